"""What went wrong, as a person can act on it: the diagnostics, the likely cause, what to do, where the log is.

Causes are rows of causes.toml; nothing here knows the project that is built.
"""
