"""TorchScript archives: read them, run their programs on this package's operators, and write them.

_reading makes the modules of an archive, whose classes are in _program; _translate turns their methods
into Python functions that call _operators; _tracing records programs, and _writing writes archives.
"""
