"""What the tests of torch use; not part of the public interface."""
