"""Nested tensors of the layout torch.jagged, under the name by which pickles refer to them."""
