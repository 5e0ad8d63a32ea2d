"""Terminal output of a running build: steps, a progress bar, errors."""
