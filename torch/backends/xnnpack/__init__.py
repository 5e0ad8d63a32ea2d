"""XNNPACK, which this build does not use."""

enabled = False
