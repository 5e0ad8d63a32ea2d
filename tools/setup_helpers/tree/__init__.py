"""What a build directory remembers, and how it survives kills, damage, moves and wrong clocks."""
