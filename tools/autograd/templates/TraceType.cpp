${generated}

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/KernelTable.h>
#include <torch/csrc/jit/frontend/tracer.h>
${includes}

namespace torch::TraceType {
namespace {

using jit::tracer::after_tracer;

${kernels}
c10::KernelRow rows[] = {
  ${rows}
};
const c10::KernelTable table(rows);

}  // namespace
}  // namespace torch::TraceType
//@section returning
// ${schema}
${declaration} {
  jit::tracer::CallRecord record(at::_ops::${struct}::entry);
  record.inputs(${inputs});
  decltype(auto) ${result} = ${call};
  record.outputs(${result});
  return ${result};
}

//@section void
// ${schema}
${declaration} {
  jit::tracer::CallRecord record(at::_ops::${struct}::entry);
  record.inputs(${inputs});
  ${call};
  record.finish();
}

