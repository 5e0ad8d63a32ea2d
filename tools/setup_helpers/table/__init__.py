"""What build_config.toml says: the table read and checked, its conditions, and options resolved by it."""
