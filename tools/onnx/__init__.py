"""Generators for ONNX: its protocol buffers in a namespace of their own."""
