"""The front end: builds an importable package or a wheel from one table (build_config.toml).

Nothing here names a library, operator or option of the project; those are rows of the table.
"""
