"""The type stubs of torch._C and its submodules."""
