"""The messages of caffe2.proto, which protoc compiles in a build with BUILD_CAFFE2=ON."""
