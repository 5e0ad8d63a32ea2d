#pragma once
// Definitions as bytes of protocol buffers, for callers that do not use caffe2.pb.h, such as
// Python. Bytes that are no such definition are an error.

#include <c10/macros/Export.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace caffe2 {

class Workspace;

// Both return the net's name.
C10_EXPORT std::string CreateSerializedNet(
    Workspace& workspace, const std::string& net, bool overwrite);
C10_EXPORT std::string RunSerializedNet(Workspace& workspace, const std::string& net);
C10_EXPORT void RunSerializedOperator(Workspace& workspace, const std::string& op);

// The operators of the gradient, and the names of the gradients of the inputs.
C10_EXPORT std::pair<std::vector<std::string>, std::vector<std::string>> SerializedGradient(
    const std::string& op, const std::vector<std::string>& g_output);

// Raises an error if the operator's type is unknown or the number of inputs or outputs is wrong.
C10_EXPORT void CheckSerializedOperator(const std::string& op);

// The types of all operators, and "; did you mean X?" for one that does not exist.
C10_EXPORT std::vector<std::string> OperatorTypes();
C10_EXPORT std::string SimilarOperator(const std::string& type);

} // namespace caffe2
