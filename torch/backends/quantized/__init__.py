"""Engines of quantized operators, of which this build has none."""

engine = "none"
supported_engines = ["none"]
