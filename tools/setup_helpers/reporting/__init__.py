"""What a run did: times, sizes and reasons, as lines, JSON and a page."""
