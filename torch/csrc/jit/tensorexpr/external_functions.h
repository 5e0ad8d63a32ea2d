#pragma once

// Tensors that functions outside the loops compute. The functions of ATen's operators, such as
// nnc_aten_add, are generated: external_functions_codegen.h declares them.

#include <c10/core/Scalar.h>
#include <torch/csrc/jit/tensorexpr/tensor.h>

#include <unordered_map>

namespace torch::jit::tensorexpr {

// Computes the first buffer from the others. `buf_dims` and `buf_strides` have the ranks' sum of
// values, and `buf_dtypes` are numbers of c10::ScalarType. ExternalArgument tells what the
// `args_num` words of `extra_args` are.
using NNCExternalFunction = void (*)(
    int64_t bufs_num, void** buf_data, int64_t* buf_ranks, int64_t* buf_dims, int64_t* buf_strides,
    int8_t* buf_dtypes, int64_t args_num, int64_t* extra_args);

// A parameter that is no tensor. Int and Bool take one word, the value; Float the bits of a double.
// A Scalar takes two: the number of its type, and its value as an int64 or the bits of a double.
enum class ExternalArgument { Int, Bool, Float, Scalar };

struct RegisteredExternalFunction {
  NNCExternalFunction function;
  int64_t inputs; // how many buffers follow the output
  std::vector<ExternalArgument> arguments;
};

// The registered functions by name.
TORCH_API std::unordered_map<std::string, RegisteredExternalFunction>& getNNCFunctionRegistry();
// Raises ValueError if no function has the name.
TORCH_API const RegisteredExternalFunction& registered_external_function(const std::string& name);

// Registers a function before main: static const RegisterNNCExternalFunction added("NAME", {...});
struct TORCH_API RegisterNNCExternalFunction {
  RegisterNNCExternalFunction(const std::string& name, RegisteredExternalFunction function);
};

// The tensor that a registered function computes from `inputs` and `arguments`, before or after the
// loops of other tensors. Raises ValueError or TypeError if the function takes others.
TORCH_API Tensor ExternalCall(
    const std::string& name, const std::vector<int64_t>& sizes, Dtype dtype,
    const std::string& function, const std::vector<BufHandle>& inputs,
    const std::vector<c10::Scalar>& arguments = {});

// What a call passes besides its memory.
struct CallLayout {
  std::vector<BufPtr> bufs; // the output first
  std::vector<int64_t> ranks, dims, strides;
  std::vector<int8_t> dtypes;
};
CallLayout layout_of(const Call& call);

} // namespace torch::jit::tensorexpr
