"""Functions that layers were once made of; only `thnn` is left."""
