"""The front end: from one table (build_config.toml) to an importable package or a wheel.

Nothing here knows a library, operator or option of the project by name; those are rows of the table.
"""
