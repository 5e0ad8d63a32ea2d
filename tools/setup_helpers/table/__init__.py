"""Read and check build_config.toml, and evaluate its conditions."""
