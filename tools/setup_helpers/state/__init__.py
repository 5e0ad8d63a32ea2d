"""The records of a build directory, and how a tree survives kills, damage, moves and wrong clocks."""
