#pragma once

#include <caffe2/proto/caffe2.pb.h>

#include <c10/macros/Export.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace caffe2 {

// The operators that compute an operator's gradient, and the names of the gradients of its inputs;
// empty for an input without one.
struct GradientOpsMeta {
  std::vector<OperatorDef> ops;
  std::vector<std::string> g_input;
};

// Makes the operators of the gradient for one operator type. Subclasses define GetGradientDefs.
class C10_EXPORT GradientMakerBase {
 public:
  // `g_output` has the names of the outputs' gradients; empty for one without gradient.
  GradientMakerBase(const OperatorDef& definition, std::vector<std::string> g_output);
  virtual ~GradientMakerBase();
  GradientMakerBase(const GradientMakerBase&) = delete;
  GradientMakerBase& operator=(const GradientMakerBase&) = delete;

  GradientOpsMeta Get();

 protected:
  virtual std::vector<OperatorDef> GetGradientDefs() = 0;

  const OperatorDef& definition() const { return definition_; }
  // Names of an input, an output and an output's gradient.
  const std::string& I(int index) const { return definition_.input(index); }
  const std::string& O(int index) const { return definition_.output(index); }
  const std::string& GO(int index) const { return g_output_.at(static_cast<size_t>(index)); }
  // The name of an input's gradient, which the operators will write.
  std::string GI(int index);

  // A gradient operator with the arguments of the operator.
  OperatorDef SingleGradientDef(
      const std::string& type, const std::vector<std::string>& inputs,
      const std::vector<std::string>& outputs) const;

 private:
  OperatorDef definition_;
  std::vector<std::string> g_output_;
  std::vector<std::string> g_input_;
};

using GradientMaker =
    std::unique_ptr<GradientMakerBase> (*)(const OperatorDef&, std::vector<std::string>);

// The gradient of an operator, by the maker of its type. A type without a maker is an error.
C10_EXPORT GradientOpsMeta
GetGradientForOp(const OperatorDef& definition, const std::vector<std::string>& g_output);
C10_EXPORT int RegisterGradient(const std::string& type, GradientMaker make);

template <typename T>
std::unique_ptr<GradientMakerBase> MakeGradientMaker(
    const OperatorDef& definition, std::vector<std::string> g_output) {
  return std::make_unique<T>(definition, std::move(g_output));
}

// The maker of operators that nothing flows back through.
class C10_EXPORT NoGradient final : public GradientMakerBase {
 public:
  using GradientMakerBase::GradientMakerBase;

 private:
  std::vector<OperatorDef> GetGradientDefs() override { return {}; }
};

} // namespace caffe2

#define REGISTER_GRADIENT(type, class)                       \
  [[maybe_unused]] static const int caffe2_gradient_##type = \
      ::caffe2::RegisterGradient(#type, &::caffe2::MakeGradientMaker<class>)
#define NO_GRADIENT(type) REGISTER_GRADIENT(type, ::caffe2::NoGradient)
