// Function.apply: runs forward() without recording it and creates its node in the graph, unless
// arguments are inside a transform of torch.func.
#include <torch/csrc/autograd/python_function.h>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/torch_function.h>

#include <unordered_set>
#include <vector>

namespace torch::autograd {
namespace {

// What apply() calls instead, with the class first, once a program transforms functions: bound
// methods that it got before have to see the transforms, too.
PyObject* transformed_apply = nullptr;

THPFunction* cast(PyObject* object) {
  return reinterpret_cast<THPFunction*>(object);
}

THPObjectPtr attribute(PyObject* object, const char* name) {
  return THPObjectPtr(checked(PyObject_GetAttrString(object, name)));
}

// The arguments of forward(): as passed, or in the order of its signature.
THPObjectPtr bound_arguments(
    PyObject* cls, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool bind) {
  if (bind) {
    const THPObjectPtr binder = attribute(cls, "_bind_arguments");
    return THPObjectPtr(
        checked(PyObject_Vectorcall(binder.get(), args, static_cast<size_t>(nargs), kwnames)));
  }
  THPObjectPtr tuple(checked(PyTuple_New(nargs)));
  for (Py_ssize_t i = 0; i < nargs; ++i)
    PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(args[i]));
  return tuple;
}

// The properties of the arguments that matter to autograd.
struct Inputs {
  variable_list variables;
  bool recorded = false; // some need a gradient, and gradients are enabled
};

Inputs note_inputs(THPFunction& ctx, PyObject* args) {
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  Inputs inputs;
  ctx.is_variable_input.resize(static_cast<size_t>(count));
  THPObjectPtr needs(checked(PyTuple_New(count)));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* arg = PyTuple_GET_ITEM(args, i);
    const bool is_variable = THPVariable_Check(arg);
    bool needs_grad = false;
    if (is_variable) {
      inputs.variables.push_back(THPVariable_Unpack(arg));
      needs_grad = inputs.variables.back().requires_grad();
    }
    ctx.is_variable_input[static_cast<size_t>(i)] = is_variable;
    PyTuple_SET_ITEM(needs.get(), i, Py_NewRef(needs_grad ? Py_True : Py_False));
    inputs.recorded |= needs_grad;
  }
  inputs.recorded &= c10::GradMode::is_enabled();
  Py_XSETREF(ctx.needs_input_grad, needs.release());
  return inputs;
}

THPObjectPtr call_forward(PyObject* cls, PyObject* ctx, PyObject* args, bool has_setup_context) {
  const c10::NoGradGuard not_recorded;
  const THPObjectPtr forward = attribute(cls, "forward");
  if (has_setup_context) {
    THPObjectPtr output(checked(PyObject_CallObject(forward.get(), args)));
    const THPObjectPtr setup = attribute(cls, "setup_context");
    const THPObjectPtr nothing(
        checked(PyObject_CallFunctionObjArgs(setup.get(), ctx, args, output.get(), nullptr)));
    return output;
  }
  std::vector<PyObject*> with_ctx{ctx};
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i)
    with_ctx.push_back(PyTuple_GET_ITEM(args, i));
  return THPObjectPtr(
      checked(PyObject_Vectorcall(forward.get(), with_ctx.data(), with_ctx.size(), nullptr)));
}

// The tensors that forward() passed to mark_dirty or mark_non_differentiable.
std::unordered_set<at::TensorImpl*> named_tensors(PyObject* names, const char* complaint) {
  std::unordered_set<at::TensorImpl*> tensors;
  if (!names) return tensors;
  if (!PyTuple_Check(names)) {
    throw_python(PyExc_TypeError, "%s, but got %s", complaint, Py_TYPE(names)->tp_name);
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* item = PyTuple_GET_ITEM(names, i);
    if (!THPVariable_Check(item)) {
      throw_python(
          PyExc_RuntimeError, "%s, but argument %zd is of type %s", complaint, i,
          Py_TYPE(item)->tp_name);
    }
    tensors.insert(THPVariable_Unpack(item).unsafeGetTensorImpl());
  }
  return tensors;
}

// A subclass that overrides calls decides what a view of its tensors is.
Variable view_of_same_class(const Variable& variable) {
  const THPObjectPtr object(wrap(variable));
  if (!has_torch_function(object.get())) return view_as_self(variable);
  const c10::NoGradGuard no_grad;
  const THPObjectPtr view(checked(PyObject_CallMethod(object.get(), "view_as", "O", object.get())));
  return THPVariable_Check(view.get()) ? THPVariable_Unpack(view.get()) : view_as_self(variable);
}

// Puts the outputs into the graph; those that are not tensors are returned unchanged.
THPObjectPtr record_outputs(THPFunction& ctx, const Inputs& inputs, PyObject* raw) {
  const auto non_differentiable = named_tensors(
      ctx.non_differentiable, "mark_non_differentiable only accepts variable arguments");
  const auto dirty = named_tensors(ctx.dirty_tensors, "mark_dirty can only accept variables");
  for (at::TensorImpl* tensor : dirty)
    tensor->bump_version();
  const Py_ssize_t count = PyTuple_GET_SIZE(raw);
  std::vector<std::optional<Variable>> tensors(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(raw, i);
    if (THPVariable_Check(item)) tensors[static_cast<size_t>(i)] = THPVariable_Unpack(item);
  }
  const auto wrapped = _wrap_outputs(
      inputs.variables, non_differentiable, dirty, tensors,
      inputs.recorded ? c10::intrusive_ptr<Node>(ctx.cdata) : nullptr, view_of_same_class);
  THPObjectPtr outputs(checked(PyTuple_New(count)));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const auto& tensor = wrapped[static_cast<size_t>(i)];
    PyObject* object = tensor ? wrap(*tensor) : Py_NewRef(PyTuple_GET_ITEM(raw, i));
    PyTuple_SET_ITEM(outputs.get(), i, object);
    // The ctx may refer to the output, so a cycle is possible from now on.
    if (tensor && inputs.recorded) THPVariable_Track(object);
  }
  return outputs;
}

void save_tensors(THPFunction& ctx) {
  if (!ctx.to_save) return;
  if (!PyTuple_Check(ctx.to_save)) {
    throw_python(
        PyExc_TypeError, "saved_tensors must be a tuple, but got %s",
        Py_TYPE(ctx.to_save)->tp_name);
  }
  const Py_ssize_t count = PyTuple_GET_SIZE(ctx.to_save);
  ctx.saved_variables.clear();
  ctx.saved_variables.reserve(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(ctx.to_save, i);
    if (item == Py_None) {
      ctx.saved_variables.emplace_back();
      continue;
    }
    if (!THPVariable_Check(item)) {
      throw_python(
          PyExc_TypeError,
          "save_for_backward can only save variables, but argument %zd is of type %s", i,
          Py_TYPE(item)->tp_name);
    }
    const at::Tensor& tensor = THPVariable_Unpack(item);
    const bool is_output = impl::grad_fn_unsafe(tensor) == ctx.cdata.get();
    ctx.saved_variables.emplace_back(tensor, is_output);
  }
  Py_CLEAR(ctx.to_save);
}

} // namespace

PyObject* THPFunction_apply_untransformed(
    PyObject* cls, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  HANDLE_TH_ERRORS
  const bool has_setup_context = attribute(cls, "_has_setup_context").get() == Py_True;
  const THPObjectPtr call_args =
      bound_arguments(cls, args, nargs, kwnames, kwnames || has_setup_context);
  const THPObjectPtr context_class = attribute(cls, "_backward_cls");
  const THPObjectPtr object(checked(PyObject_CallNoArgs(context_class.get())));
  if (!THPFunction_Check(object.get())) {
    throw_python(PyExc_TypeError, "_backward_cls has to be a subclass of _FunctionBase");
  }
  THPFunction& ctx = *cast(object.get());
  const Inputs inputs = note_inputs(ctx, call_args.get());
  if (inputs.recorded) ctx.cdata->set_next_edges(collect_next_edges(inputs.variables));

  const THPObjectPtr output = call_forward(cls, object.get(), call_args.get(), has_setup_context);
  const bool several = PyTuple_Check(output.get());
  const THPObjectPtr raw(
      several ? Py_NewRef(output.get()) : checked(PyTuple_Pack(1, output.get())));
  THPObjectPtr outputs = record_outputs(ctx, inputs, raw.get());
  if (inputs.recorded) {
    save_tensors(ctx);
  } else {
    Py_CLEAR(ctx.to_save);
  }
  Py_CLEAR(ctx.non_differentiable);
  Py_CLEAR(ctx.dirty_tensors);
  return several ? outputs.release() : Py_NewRef(PyTuple_GET_ITEM(outputs.get(), 0));
  END_HANDLE_TH_ERRORS
}

PyObject* THPFunction_apply(
    PyObject* cls, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (transformed_apply == nullptr) {
    return THPFunction_apply_untransformed(cls, args, nargs, kwnames);
  }
  HANDLE_TH_ERRORS
  const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
  std::vector<PyObject*> all{cls};
  all.insert(all.end(), args, args + nargs + named);
  return PyObject_Vectorcall(
      transformed_apply, all.data(), static_cast<size_t>(nargs) + 1, kwnames);
  END_HANDLE_TH_ERRORS
}

PyObject* THPFunction_set_transformed_apply(PyObject* /*unused*/, PyObject* function) {
  Py_XSETREF(transformed_apply, Py_NewRef(function));
  Py_RETURN_NONE;
}

} // namespace torch::autograd
