// Fillers: ConstantFill, UniformFill, GaussianFill, XavierFill, MSRAFill, GivenTensor*Fill.
//
// The sizes are the argument `shape` or, with an input, its sizes; with `input_as_shape`, its
// elements. Random numbers are those of ATen's default generator: torch.manual_seed sets its seed.
#include <caffe2/core/argument_helper.h>
#include <caffe2/core/operator.h>
#include <caffe2/core/operator_gradient.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/normal.h>
#include <ATen/ops/uniform.h>

#include <algorithm>
#include <cmath>

namespace caffe2 {

namespace {

at::ScalarType scalar_type(int64_t data_type) {
  switch (data_type) {
    case TensorProto::FLOAT:
      return at::kFloat;
    case TensorProto::DOUBLE:
      return at::kDouble;
    case TensorProto::FLOAT16:
      return at::kHalf;
    case TensorProto::INT32:
      return at::kInt;
    case TensorProto::INT64:
      return at::kLong;
    case TensorProto::INT16:
      return at::kShort;
    case TensorProto::INT8:
      return at::kChar;
    case TensorProto::UINT8:
      return at::kByte;
    case TensorProto::BOOL:
      return at::kBool;
    default:
      TORCH_CHECK_VALUE(false, "there are no tensors of the data type ", data_type);
  }
}

class FillerOp : public OperatorBase {
 public:
  using OperatorBase::OperatorBase;

 protected:
  std::vector<int64_t> sizes() const {
    auto shape = GetArgument<std::vector<int64_t>>(definition(), "shape", {});
    if (InputSize() == 0) return shape;
    TORCH_CHECK(shape.empty(), "\"shape\" and an input both give the sizes");
    if (!GetArgument<bool>(definition(), "input_as_shape", false)) {
      return {Input(0).sizes().begin(), Input(0).sizes().end()};
    }
    const at::Tensor elements = Input(0).to(at::kCPU, at::kLong).contiguous();
    const int64_t* data = elements.const_data_ptr<int64_t>();
    return {data, data + elements.numel()};
  }
  double number(const char* name, double otherwise) const {
    return GetArgument<double>(definition(), name, otherwise);
  }
  at::TensorOptions options(at::ScalarType type) const { return at::dtype(type).device(device()); }
  void uniform(double least, double most) {
    SetOutput(0, at::empty(sizes(), options(at::kFloat)).uniform_(least, most));
  }
  void gaussian(double mean, double deviation) {
    SetOutput(0, at::empty(sizes(), options(at::kFloat)).normal_(mean, deviation));
  }
};

class ConstantFillOp final : public FillerOp {
 public:
  using FillerOp::FillerOp;

 private:
  void Run() override {
    const auto value = GetArgument<at::Scalar>(definition(), "value", 0.0);
    const int64_t guess = value.isFloatingPoint() ? TensorProto::FLOAT : TensorProto::INT64;
    const auto type = GetArgument<int64_t>(definition(), "dtype", guess);
    SetOutput(0, at::full(sizes(), value, options(scalar_type(type))));
  }
};

class UniformFillOp final : public FillerOp {
 public:
  using FillerOp::FillerOp;

 private:
  void Run() override { uniform(number("min", 0), number("max", 1)); }
};

class GaussianFillOp final : public FillerOp {
 public:
  using FillerOp::FillerOp;

 private:
  void Run() override { gaussian(number("mean", 0), number("std", 1)); }
};

// The elements of one of the `dim` slices.
int64_t fan(const std::vector<int64_t>& sizes, size_t dim) {
  int64_t product = 1;
  for (size_t i = 0; i < sizes.size(); ++i)
    product *= i == dim ? 1 : sizes[i];
  return std::max<int64_t>(product, 1);
}

// Uniform with the variance 1 / fan-in (Glorot and Bengio 2010).
class XavierFillOp final : public FillerOp {
 public:
  using FillerOp::FillerOp;

 private:
  void Run() override {
    const double scale = std::sqrt(3.0 / static_cast<double>(fan(sizes(), 0)));
    uniform(-scale, scale);
  }
};

// Gaussian with the variance 2 / fan-out (He et al. 2015).
class MSRAFillOp final : public FillerOp {
 public:
  using FillerOp::FillerOp;

 private:
  void Run() override { gaussian(0, std::sqrt(2.0 / static_cast<double>(fan(sizes(), 1)))); }
};

// The argument `values`, as elements of the given type.
template <at::ScalarType type>
class GivenTensorFillOp final : public FillerOp {
 public:
  using FillerOp::FillerOp;

 private:
  void Run() override {
    const bool floating = type == at::kFloat || type == at::kDouble;
    at::Tensor values = floating ? tensor<double>() : tensor<int64_t>();
    SetOutput(0, values.to(options(type)).reshape(sizes()));
  }

  template <typename T>
  at::Tensor tensor() const {
    const auto values = GetArgument<std::vector<T>>(definition(), "values");
    at::Tensor filled =
        at::empty({static_cast<int64_t>(values.size())}, c10::CppTypeToScalarType<T>::value);
    std::copy(values.begin(), values.end(), filled.mutable_data_ptr<T>());
    return filled;
  }
};

const OpSchema kFiller = OpSchema().NumInputs(0, 1);

#define REGISTER_FILLER(type, class)           \
  REGISTER_CPU_OPERATOR(type, class, kFiller); \
  NO_GRADIENT(type)

REGISTER_FILLER(ConstantFill, ConstantFillOp);
REGISTER_FILLER(UniformFill, UniformFillOp);
REGISTER_FILLER(GaussianFill, GaussianFillOp);
REGISTER_FILLER(XavierFill, XavierFillOp);
REGISTER_FILLER(MSRAFill, MSRAFillOp);
REGISTER_FILLER(GivenTensorFill, GivenTensorFillOp<at::kFloat>);
REGISTER_FILLER(GivenTensorDoubleFill, GivenTensorFillOp<at::kDouble>);
REGISTER_FILLER(GivenTensorIntFill, GivenTensorFillOp<at::kInt>);
REGISTER_FILLER(GivenTensorInt64Fill, GivenTensorFillOp<at::kLong>);
REGISTER_FILLER(GivenTensorBoolFill, GivenTensorFillOp<at::kBool>);

} // namespace

} // namespace caffe2
