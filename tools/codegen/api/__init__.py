"""Pure functions that translate operator schemas to C++, Python and stub signatures."""
