"""The parts of torch.library."""
