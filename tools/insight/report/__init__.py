"""Report what a run did: times, sizes and reasons, as terminal output, JSON and an HTML page."""
