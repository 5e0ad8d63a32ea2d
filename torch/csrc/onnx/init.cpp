#include <torch/csrc/onnx/init.h>

#include <torch/csrc/onnx/model.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_enumeration.h>
#include <torch/version.h>

namespace torch::onnx {

namespace {

// Values of TensorProto.DataType in onnx.proto.
constexpr EnumerationMember kDataTypes[] = {
    {"UNDEFINED", 0},      {"FLOAT", 1},         {"UINT8", 2},           {"INT8", 3},
    {"UINT16", 4},         {"INT16", 5},         {"INT32", 6},           {"INT64", 7},
    {"STRING", 8},         {"BOOL", 9},          {"FLOAT16", 10},        {"DOUBLE", 11},
    {"UINT32", 12},        {"UINT64", 13},       {"COMPLEX64", 14},      {"COMPLEX128", 15},
    {"BFLOAT16", 16},      {"FLOAT8E4M3FN", 17}, {"FLOAT8E4M3FNUZ", 18}, {"FLOAT8E5M2", 19},
    {"FLOAT8E5M2FNUZ", 20}};

// How to export an operator that ONNX does not have.
constexpr EnumerationMember kExportTypes[] = {
    {"ONNX", 0}, {"ONNX_ATEN", 1}, {"ONNX_ATEN_FALLBACK", 2}, {"ONNX_FALLTHROUGH", 3}};

// The mode in which to export a model.
constexpr EnumerationMember kTrainingModes[] = {{"EVAL", 0}, {"PRESERVE", 1}, {"TRAINING", 2}};

Enumeration data_types{"TensorProtoDataType", kDataTypes};
Enumeration export_types{"OperatorExportTypes", kExportTypes};
Enumeration training_modes{"TrainingMode", kTrainingModes};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "torch._C._onnx",
                          nullptr,
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

} // namespace

bool initONNXBindings(PyObject* module) {
  THPObjectPtr onnx(PyModule_Create(&definition));
  return onnx && PyModule_AddFunctions(onnx.get(), model_functions()) == 0 &&
      data_types.add_to(onnx.get()) && export_types.add_to(onnx.get()) &&
      training_modes.add_to(onnx.get()) &&
      PyModule_AddStringConstant(onnx.get(), "PRODUCER_VERSION", TORCH_VERSION) == 0 &&
      PyModule_AddObjectRef(module, "_onnx", onnx.get()) == 0;
}

} // namespace torch::onnx
