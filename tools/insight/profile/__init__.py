"""`--profile-compile`: the cost of compiling, by phase, header and template.

The slowest files are compiled again outside the build tree, with the compiler's own profiling enabled.
The tree does not change, so nothing has to be rebuilt before or after.
"""
