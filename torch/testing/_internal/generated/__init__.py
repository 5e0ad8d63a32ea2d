"""Modules that the build generates."""
