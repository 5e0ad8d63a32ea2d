"""What watches and explains the front end: it receives the core's events and reads its records."""
