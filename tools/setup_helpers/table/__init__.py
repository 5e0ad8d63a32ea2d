"""Read and check build_config.toml, evaluate its conditions, and resolve options."""
