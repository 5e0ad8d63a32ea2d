"""Caffe2: nets of protocol buffers over the operators of ATen. A build has it with BUILD_CAFFE2=ON."""
