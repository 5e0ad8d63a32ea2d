// Indexing in two steps. Ints, slices, None and Ellipsis are basic: they change sizes, strides and
// offset, which are collected in one Geometry without creating a view per index. Only when
// gradients are recorded is there one operator per index, so that each has its derivative. Tensors,
// masks and sequences are advanced: they are collected by dimension and passed to index /
// index_put_.
#include <torch/csrc/autograd/python_variable_indexing.h>

#include <ATen/core/List.h>
#include <ATen/ops/alias_ops.h>
#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/expand_ops.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/index_ops.h>
#include <ATen/ops/index_put_ops.h>
#include <ATen/ops/item.h>
#include <ATen/ops/masked_fill_ops.h>
#include <ATen/ops/scalar_tensor_ops.h>
#include <ATen/ops/select_ops.h>
#include <ATen/ops/slice_ops.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/unsqueeze_ops.h>
#include <ATen/ops/view.h>
#include <ATen/ops/view_ops.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/python_variable_convert.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/tensor_new.h>
#include <torch/csrc/utils/torch_function.h>
#include <torch/csrc/autograd/type_name.h>

namespace torch::autograd {
namespace {

bool is_basic_int(PyObject* index) {
  return PyLong_Check(index) && !PyBool_Check(index);
}

// Whether a graph, a subclass or a mode has to see each view operator.
bool is_recorded(const at::Tensor& self) {
  return compute_requires_grad(self) || self.unsafeGetTensorImpl()->is_python_dispatch() ||
      c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::Python);
}

// Whether a tensor of vmap holds one index for each element, so that it has no single value.
bool holds_an_index_for_each_element(const at::Tensor& index) {
  if (!index.unsafeGetTensorImpl()->is_python_dispatch()) return false;
  const THPObjectPtr object(checked(THPVariable_Wrap(index)));
  return PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object.get())), "_is_mapped");
}

class Indexer {
 public:
  explicit Indexer(const at::Tensor& self)
      : self_(self), recorded_(is_recorded(self)), offset_(self.storage_offset()) {}

  // Applies one index, or each index of a tuple.
  void apply(PyObject* index) {
    const bool is_tuple = PyTuple_Check(index);
    if (is_tuple || is_treated_as_tuple(index)) {
      if (!is_tuple) warn_about_list();
      apply_all(PySequence_Fast_ITEMS(index), PySequence_Fast_GET_SIZE(index));
    } else {
      if (self_.dim() == 0) throw_single_index(index);
      apply_all(&index, 1);
    }
  }

  bool advanced() const { return advanced_count_ != 0; }
  bool whole() const { return untouched_; }

  at::Tensor view() const {
    if (recorded_) return recorded_view();
    if (self_.has_storage()) {
      at::Tensor view(c10::make_view_impl(
          *self_.unsafeGetTensorImpl(), at::IntArrayRef(sizes_), at::IntArrayRef(strides_),
          offset_));
      return as_view(self_, view, true, true, nullptr, current_creation_meta());
    }
    return at::_ops::as_strided::call(self_, sizes_, strides_, offset_);
  }

  // The view below the advanced indices: the whole tensor if there is no basic index.
  at::Tensor base() const { return untouched_ ? self_ : view(); }

  // One entry per dimension of the view, as index() expects them.
  c10::List<std::optional<at::Tensor>> advanced_indices() const {
    c10::List<std::optional<at::Tensor>> list;
    list.reserve(tensors_.size());
    for (const at::Tensor& tensor : tensors_) {
      if (tensor.defined()) {
        list.push_back(tensor);
      } else {
        list.emplace_back(std::nullopt);
      }
    }
    return list;
  }
  // Returns the mask if a single boolean tensor with the view's shape is the only index.
  const at::Tensor* only_mask() const {
    if (advanced_count_ != 1 || tensors_.empty() || !tensors_[0].defined()) return nullptr;
    const at::Tensor& mask = tensors_[0];
    return mask.scalar_type() == at::ScalarType::Bool && mask.dim() > 0 ? &mask : nullptr;
  }

 private:
  // Records one index that changed the view, on dimension `dim` of the view so far.
  struct Step {
    enum Kind { kSelect, kSlice, kUnsqueeze } kind;
    int64_t dim;
    int64_t start = 0, stop = 0, step = 1;
  };

  at::Tensor recorded_view() const {
    at::Tensor view = self_;
    for (const Step& step : steps_) {
      switch (step.kind) {
        case Step::kSelect:
          view = at::_ops::select_int::call(view, step.dim, step.start);
          break;
        case Step::kSlice:
          view = at::_ops::slice_Tensor::call(view, step.dim, step.start, step.stop, step.step);
          break;
        case Step::kUnsqueeze:
          view = at::_ops::unsqueeze::call(view, step.dim);
          break;
      }
    }
    return steps_.empty() ? at::_ops::alias::call(view) : view;
  }

  void record(Step::Kind kind, int64_t start = 0, int64_t stop = 0, int64_t step = 1) {
    untouched_ = false;
    if (recorded_) steps_.push_back({kind, static_cast<int64_t>(sizes_.size()), start, stop, step});
  }

  void apply_all(PyObject* const* items, Py_ssize_t count) {
    const int64_t specified = count_specified(items, count);
    if (specified > self_.dim()) {
      throw_python(
          PyExc_IndexError, "too many indices for tensor of dimension %lld",
          static_cast<long long>(self_.dim()));
    }
    for (Py_ssize_t i = 0; i < count; ++i)
      apply_one(items[i], specified);
    keep_rest();
  }

  // A tensor without dimensions has separate error messages for an int and for a slice.
  void throw_single_index(PyObject* index) const {
    if (PySlice_Check(index))
      throw_python(PyExc_IndexError, "slice() cannot be applied to a 0-dim tensor.");
    if (!PyBool_Check(index) && !THPVariable_Check(index) && is_int(index)) bad_index(0, 0);
  }

  // NumPy's old rule, kept by PyTorch: a short list is a tuple if it holds more than numbers.
  static bool is_treated_as_tuple(PyObject* index) {
    if (!PyList_Check(index) || PyList_GET_SIZE(index) >= 32) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(index); ++i) {
      PyObject* item = PyList_GET_ITEM(index, i);
      if (item == Py_None || item == Py_Ellipsis || PySlice_Check(item) || PySequence_Check(item) ||
          THPVariable_Check(item)) {
        return true;
      }
    }
    return false;
  }

  static void warn_about_list() {
    TORCH_WARN(
        "Using a non-tuple sequence for multidimensional indexing is deprecated and will be "
        "changed in pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be "
        "interpreted as tensor index, x[torch.tensor(seq)], which will result either in an error "
        "or a different result");
  }

  // How many dimensions of self the indices consume, not counting Ellipsis and None.
  static int64_t count_specified(PyObject* const* items, Py_ssize_t count) {
    int64_t specified = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = items[i];
      if (item == Py_Ellipsis || item == Py_None || PyBool_Check(item)) continue;
      if (THPVariable_Check(item)) {
        const at::Tensor& tensor = THPVariable_Unpack(item);
        const bool mask = is_mask(tensor);
        specified += mask ? tensor.dim() : 1;
      } else {
        ++specified;
      }
    }
    return specified;
  }

  static bool is_mask(const at::Tensor& tensor) {
    return tensor.scalar_type() == at::ScalarType::Bool ||
        tensor.scalar_type() == at::ScalarType::Byte;
  }

  void apply_one(PyObject* item, int64_t specified) {
    if (is_basic_int(item)) return select(unpack_long(item));
    if (PySlice_Check(item)) return slice(item);
    if (item == Py_None) return add_dimension();
    if (item == Py_Ellipsis) {
      for (int64_t n = self_.dim() - specified; n > 0 && dim_ < self_.dim(); --n)
        keep();
      return;
    }
    if (PyBool_Check(item)) {
      add_dimension();
      return advance(bool_index(item == Py_True), 1);
    }
    if (THPVariable_Check(item)) return apply_tensor(THPVariable_Unpack(item));
    if (PySequence_Check(item) && !PyUnicode_Check(item)) {
      return apply_tensor(sequence_index(item));
    }
    if (is_int(item)) return select(unpack_index(item));
    if (PyUnicode_Check(item)) throw_python(PyExc_TypeError, "new(): invalid data type 'str'");
    throw_python(
        PyExc_IndexError,
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        "indices (got %s)",
        Py_TYPE(item)->tp_name);
  }

  void apply_tensor(const at::Tensor& tensor) {
    const bool integral = c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/false);
    if (tensor.dim() == 0 && is_mask(tensor)) {
      add_dimension();
      return advance(at::methods::to(at::unsqueeze(tensor, 0), at::kBool), 1);
    }
    const bool has_value = !tensor.is_meta() && !holds_an_index_for_each_element(tensor);
    if (tensor.dim() == 0 && integral && has_value) {
      return select(at::methods::item(tensor).toLong());
    }
    if (!integral && tensor.scalar_type() != at::ScalarType::Bool) {
      throw_python(
          PyExc_IndexError, "tensors used as indices must be long, int, byte or bool tensors");
    }
    const int64_t consumed = is_mask(tensor) && tensor.dim() ? tensor.dim() : 1;
    for (int64_t n = consumed; n > 0; --n)
      keep();
    advance(tensor, consumed);
  }

  static int64_t unpack_index(PyObject* item) {
    const THPObjectPtr index(checked(PyNumber_Index(item)));
    return unpack_long(index.get());
  }

  at::Tensor sequence_index(PyObject* item) const {
    at::Tensor tensor = tensor_from_data(item, {});
    if (tensor.numel() == 0) tensor = at::methods::to(tensor, at::kLong);
    return self_.is_meta() || tensor.device() == self_.device()
        ? tensor
        : at::methods::to(tensor, self_.device());
  }

  static at::Tensor bool_index(bool value) {
    return at::methods::view(wrapped_number_tensor(value), {1});
  }

  void select(int64_t index) {
    const int64_t size = this->size();
    if (index < -size || index >= size) [[unlikely]]
      bad_index(index, size);
    record(Step::kSelect, index);
    offset_ += (index < 0 ? index + size : index) * stride();
    ++dim_;
  }

  [[noreturn]] void bad_index(int64_t index, int64_t size) const {
    if (self_.dim() == 0) {
      throw_python(
          PyExc_IndexError,
          "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
          "C++ to convert a 0-dim tensor to a number");
    }
    throw_python(
        PyExc_IndexError, "index %lld is out of bounds for dimension %lld with size %lld",
        static_cast<long long>(index), static_cast<long long>(dim_), static_cast<long long>(size));
  }

  void slice(PyObject* item) {
    Py_ssize_t start = 0, stop = 0, step = 1;
    checked(PySlice_Unpack(item, &start, &stop, &step));
    if (step <= 0) throw_python(PyExc_ValueError, "step must be greater than zero");
    const Py_ssize_t length = PySlice_AdjustIndices(size(), &start, &stop, step);
    if (length != size() || start != 0 || step != 1) record(Step::kSlice, start, stop, step);
    sizes_.push_back(length);
    strides_.push_back(stride() * step);
    offset_ += start * stride();
    ++dim_;
  }

  // A new dimension of size 1, with the same stride as from unsqueeze.
  void add_dimension() {
    record(Step::kUnsqueeze);
    sizes_.push_back(1);
    strides_.push_back(dim_ < self_.dim() ? self_.sizes()[dim_] * self_.strides()[dim_] : 1);
  }

  void keep() {
    sizes_.push_back(size());
    strides_.push_back(stride());
    ++dim_;
  }
  void keep_rest() {
    while (dim_ < self_.dim())
      keep();
  }

  // The tensor indexes the last `consumed` dimensions of the view so far.
  void advance(at::Tensor tensor, int64_t consumed) {
    const size_t first = sizes_.size() - static_cast<size_t>(consumed);
    while (tensors_.size() < first)
      tensors_.emplace_back();
    tensors_.push_back(std::move(tensor));
    // A mask of n dimensions is one index that stands for n.
    ++advanced_count_;
  }

  int64_t size() const { return dim_ < self_.dim() ? self_.sizes()[dim_] : too_many(); }
  int64_t stride() const { return self_.strides()[dim_]; }
  int64_t too_many() const { bad_index(0, 0); }

  const at::Tensor& self_;
  bool recorded_;
  c10::SmallVector<Step, 2> steps_;
  int64_t offset_;
  int64_t dim_ = 0; // the next dimension of self
  bool untouched_ = true;
  int advanced_count_ = 0;
  c10::SmallVector<int64_t, 6> sizes_;
  c10::SmallVector<int64_t, 6> strides_;
  c10::SmallVector<at::Tensor, 2> tensors_;
};

// Tensors, Python's numbers and NumPy's integers can be assigned.
void check_is_number(PyObject* value, const at::Tensor& self) {
  if (PyLong_Check(value) || is_int(value) || PyFloat_Check(value) || PyComplex_Check(value))
    return;
  const std::string name = type_name(self);
  throw_python(PyExc_TypeError, "can't assign a %s to a %s", Py_TYPE(value)->tp_name, name.c_str());
}

at::Tensor value_tensor(PyObject* value, const at::Tensor& self) {
  if (THPVariable_Check(value)) return THPVariable_Unpack(value);
  check_is_number(value, self);
  return at::_ops::scalar_tensor::call(
      unpack_scalar(value), self.scalar_type(), std::nullopt, at::Device(c10::default_device_type),
      std::nullopt);
}

// NumPy's rule for assignment: leading dimensions of size 1 on the right are dropped.
at::Tensor drop_leading_ones(const at::Tensor& value, int64_t dims) {
  int64_t first = 0;
  while (value.dim() - first > dims && value.sizes()[first] == 1)
    ++first;
  return first ? at::methods::view(value, value.sizes().slice(first)) : value;
}

void assign(const at::Tensor& target, PyObject* value) {
  at::Tensor destination = target;
  if (!THPVariable_Check(value)) check_is_number(value, target);
  if (is_number(value) && !compute_requires_grad(target)) {
    const at::Scalar number = unpack_scalar(value);
    at::_ops::fill__Scalar::call(destination, number);
    return;
  }
  // Records the assignment of a tensor, even if the value is a number.
  const at::Tensor source = value_tensor(value, target);
  if (source.dim() == 0 && source.is_cpu()) {
    at::_ops::fill__Tensor::call(destination, source);
    return;
  }
  at::Tensor rows = drop_leading_ones(source, target.dim());
  if (rows.sizes() != target.sizes()) rows = at::_ops::expand::call(rows, target.sizes(), false);
  at::_ops::copy_::call(destination, rows, false);
}

// Whether an index, or the value of an assignment, is none of the types that never override calls.
bool is_unusual(PyObject* item) {
  const bool usual = PyLong_CheckExact(item) || PySlice_Check(item) ||
      THPVariable_CheckExact(item) || PyFloat_CheckExact(item) || item == Py_None ||
      item == Py_Ellipsis || PyBool_Check(item);
  return !usual;
}

// Whether an index, or an item of one, overrides calls.
bool index_overrides(PyObject* index) {
  if (!is_unusual(index)) return false;
  if (!PyTuple_Check(index) && !PyList_Check(index)) return has_torch_function(index);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(index); ++i) {
    if (index_overrides(PySequence_Fast_GET_ITEM(index, i))) return true;
  }
  return false;
}

bool overrides(PyObject* self, PyObject* index, PyObject* value) {
  if (torch_function_mode_enabled()) return true;
  return torch_function_enabled() &&
      ((!THPVariable_CheckExact(self) && has_torch_function(self)) ||
       (value && is_unusual(value) && has_torch_function(value)) || index_overrides(index));
}

} // namespace

PyObject* variable_getitem(PyObject* self, PyObject* index) {
  HANDLE_TH_ERRORS
  if (overrides(self, index, nullptr)) [[unlikely]] {
    PyObject* arguments[] = {index};
    return call_torch_function(
        public_function("__getitem__", true, false), self, arguments, 1, nullptr);
  }
  const at::Tensor& tensor = THPVariable_Unpack(self);
  Indexer indexer(tensor);
  indexer.apply(index);
  if (!indexer.advanced()) return wrap(indexer.view());
  const auto indices = indexer.advanced_indices();
  const at::Tensor base = indexer.base();
  ReleaseGil gil(base);
  at::Tensor result = at::_ops::index_Tensor::call(base, indices);
  gil.acquire();
  return wrap(std::move(result));
  END_HANDLE_TH_ERRORS
}

int variable_setitem(PyObject* self, PyObject* index, PyObject* value) {
  HANDLE_TH_ERRORS
  if (!value) throw_python(PyExc_TypeError, "Tensor does not support deleting items");
  if (overrides(self, index, value)) [[unlikely]] {
    PyObject* arguments[] = {index, value};
    const THPObjectPtr result(call_torch_function(
        public_function("__setitem__", true, false), self, arguments, 2, nullptr));
    return 0;
  }
  const at::Tensor& tensor = THPVariable_Unpack(self);
  Indexer indexer(tensor);
  indexer.apply(index);
  if (!indexer.advanced()) {
    assign(indexer.whole() ? tensor : indexer.view(), value);
    return 0;
  }
  at::Tensor base = indexer.base();
  const at::Tensor* mask = indexer.only_mask();
  // Records index_put_, even for a mask and a number.
  if (mask && mask->sizes() == base.sizes() && is_number(value) &&
      mask->device() == base.device() && !compute_requires_grad(base)) {
    at::_ops::masked_fill__Scalar::call(base, *mask, unpack_scalar(value));
    return 0;
  }
  const auto indices = indexer.advanced_indices();
  const at::Tensor source = value_tensor(value, tensor);
  ReleaseGil gil(source);
  at::_ops::index_put_::call(base, indices, source, false);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

PySequenceMethods variable_as_sequence = {
    .sq_length = variable_length,
    .sq_concat = nullptr,
    .sq_repeat = nullptr,
    .sq_item = nullptr,
    .was_sq_slice = nullptr,
    .sq_ass_item = nullptr,
    .was_sq_ass_slice = nullptr,
    .sq_contains = variable_contains,
    .sq_inplace_concat = nullptr,
    .sq_inplace_repeat = nullptr,
};
PyMappingMethods variable_as_mapping = {variable_length, variable_getitem, variable_setitem};

} // namespace torch::autograd
