"""Ninja and the machine it runs on: jobs and pools, what it would do and why, running it, retries."""
