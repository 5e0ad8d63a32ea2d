"""The form of functions that change graphs, and running several of them."""
