"""From flags to options: requests from the environment and the command line, resolved into typed values."""
