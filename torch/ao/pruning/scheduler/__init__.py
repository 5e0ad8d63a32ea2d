"""Schedules of the share of zeros."""
