"""The parts of a DataLoader: fetching, collation, and worker processes."""
