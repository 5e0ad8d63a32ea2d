"""What went wrong, as a person can act on it: causes from a table, retries that may mend it."""
