"""Choices of the elements that become zero."""
