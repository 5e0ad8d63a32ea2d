"""Report build failures so that a user can act: diagnostics, likely cause, what to do, path of the log.

Causes are rows of causes.toml. This package knows nothing about the project that is built.
"""
