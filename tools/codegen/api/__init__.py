"""Pure translations from operator schemas to C++ signatures."""
