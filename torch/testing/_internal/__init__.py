"""Helpers of torch's tests; not part of the public interface."""
