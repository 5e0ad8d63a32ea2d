"""The generator of Caffe2's operator ATen."""
