"""Names of function transforms under the module by which other packages import them."""
