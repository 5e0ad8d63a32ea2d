${generated}

#include <torch/csrc/jit/tensorexpr/external_functions_codegen.h>
#include <torch/csrc/jit/tensorexpr/external_functions_core.h>
${includes}

namespace torch::jit::tensorexpr {

${definitions}
}  // namespace torch::jit::tensorexpr
//@section function
// ${schema}
extern "C" void ${name}(
    int64_t bufs_num, void** buf_data, int64_t* buf_ranks, int64_t* buf_dims, int64_t* buf_strides,
    int8_t* buf_dtypes, int64_t args_num, [[maybe_unused]] int64_t* extra_args) {
  check_counts("${name}", bufs_num, ${buffers}, args_num, ${words});
  auto tensors =
      constructTensors(bufs_num, buf_data, buf_ranks, buf_dims, buf_strides, buf_dtypes);
  at::_ops::${operator}::call(${arguments});
  check_output("${name}", tensors[0], buf_data[0], buf_dims);
}
static const RegisterNNCExternalFunction register_${name}(
    "${name}", {${name}, ${inputs}, {${kinds}}});
