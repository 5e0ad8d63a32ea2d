"""What a person sees while a build runs: steps, a bar, errors."""
