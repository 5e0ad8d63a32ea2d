"""The graphs of TorchScript programs and of traces: values, nodes, and how they are printed."""
