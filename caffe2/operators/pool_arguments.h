#pragma once

#include <caffe2/core/argument_helper.h>

#include <c10/util/Exception.h>

#include <string>
#include <vector>

namespace caffe2 {

// Sizes for height and width: `kernel` for both, `kernels`, or `kernel_h` and `kernel_w`.
inline std::vector<int64_t> PairArgument(
    const OperatorDef& definition, const std::string& name, int64_t otherwise) {
  const auto both = GetArgument<int64_t>(definition, name, otherwise);
  std::vector<int64_t> pair = GetArgument<std::vector<int64_t>>(
      definition, name + "s",
      {GetArgument<int64_t>(definition, name + "_h", both),
       GetArgument<int64_t>(definition, name + "_w", both)});
  TORCH_CHECK_VALUE(
      pair.size() == 2, "the argument \"", name, "s\" needs 2 numbers, but has ", pair.size());
  return pair;
}

// `pad` for all sides, `pads` (top, left, bottom, right), or `pad_t` and so on. Opposite sides must
// be equal.
inline std::vector<int64_t> PaddingArgument(const OperatorDef& definition) {
  const auto all = GetArgument<int64_t>(definition, "pad", 0);
  std::vector<int64_t> pads;
  for (const char* side : {"pad_t", "pad_l", "pad_b", "pad_r"}) {
    pads.push_back(GetArgument<int64_t>(definition, side, all));
  }
  pads = GetArgument<std::vector<int64_t>>(definition, "pads", std::move(pads));
  TORCH_CHECK_VALUE(
      pads.size() == 4 && pads[0] == pads[2] && pads[1] == pads[3],
      "pads must be 4 numbers, and those of opposite sides equal");
  pads.resize(2);
  return pads;
}

inline void CheckOrder(const OperatorDef& definition) {
  const auto order = GetArgument<std::string>(definition, "order", "NCHW");
  TORCH_CHECK_NOT_IMPLEMENTED(
      order == "NCHW", "operator ", definition.type(), " has the order NCHW only, not ", order);
}

} // namespace caffe2
