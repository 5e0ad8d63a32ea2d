#include <torch/csrc/Generator.h>

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/cuda/Module.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

namespace {

PyObject* make(PyTypeObject* type, at::Generator generator) {
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  auto* object = reinterpret_cast<THPGenerator*>(self);
  new (&object->cdata) at::Generator(std::move(generator));
  object->cdata.set_pyobj(self);
  return self;
}

PyObject* new_generator(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"device", nullptr};
  PyObject* device = nullptr;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|O:Generator", const_cast<char**>(names), &device)) {
    return nullptr;
  }
  const c10::Device wanted =
      device ? torch::unpack_device(device) : c10::Device(c10::default_device_type);
  if (wanted.is_cuda() && at::detail::getCUDAHooks().isBuilt()) torch::cuda::lazy_init();
  const auto& hooks = at::globalContext().getAcceleratorHooksInterface(wanted.type());
  return make(type, hooks.getNewGenerator(wanted.index()));
  END_HANDLE_TH_ERRORS
}

void dealloc(PyObject* self) {
  auto* object = reinterpret_cast<THPGenerator*>(self);
  if (object->cdata.defined()) object->cdata.set_pyobj(nullptr);
  object->cdata.~Generator();
  Py_TYPE(self)->tp_free(self);
}

// Accepts -2^63 to 2^64 - 1, as PyTorch does: negative seeds wrap around. Its errors are a
// RuntimeError for other types and a ValueError for larger integers.
uint64_t unpack_seed(PyObject* object) {
  TORCH_CHECK(
      PyIndex_Check(object) && !PyBool_Check(object) && !THPVariable_Check(object),
      "manual_seed expected a long, but got ", Py_TYPE(object)->tp_name);
  const THPObjectPtr index(torch::checked(PyNumber_Index(object)));
  const unsigned long long seed = PyLong_AsUnsignedLongLong(index.get());
  if (!PyErr_Occurred()) return seed;
  PyErr_Clear();
  int overflow = 0;
  const long long negative = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  TORCH_CHECK_VALUE(overflow == 0, "Overflow when unpacking long long");
  return static_cast<uint64_t>(negative);
}

PyObject* manual_seed(PyObject* self, PyObject* seed) {
  HANDLE_TH_ERRORS
  const at::Generator& generator = THPGenerator_Unpack(self);
  const uint64_t value = unpack_seed(seed);
  std::scoped_lock<std::mutex> lock(generator.mutex());
  generator.set_current_seed(value);
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* seed(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const at::Generator& generator = THPGenerator_Unpack(self);
  std::scoped_lock<std::mutex> lock(generator.mutex());
  return PyLong_FromUnsignedLongLong(generator.seed());
  END_HANDLE_TH_ERRORS
}

PyObject* initial_seed(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromUnsignedLongLong(THPGenerator_Unpack(self).current_seed());
  END_HANDLE_TH_ERRORS
}

PyObject* get_state(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const at::Generator& generator = THPGenerator_Unpack(self);
  std::scoped_lock<std::mutex> lock(generator.mutex());
  return THPVariable_Wrap(at::Tensor(generator.get_state()));
  END_HANDLE_TH_ERRORS
}

PyObject* set_state(PyObject* self, PyObject* state) {
  HANDLE_TH_ERRORS
  if (!THPVariable_Check(state)) {
    torch::throw_python(
        PyExc_TypeError, "expected a torch.ByteTensor, but got %s", Py_TYPE(state)->tp_name);
  }
  const at::Generator& generator = THPGenerator_Unpack(self);
  std::scoped_lock<std::mutex> lock(generator.mutex());
  generator.set_state(THPVariable_Unpack(state));
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* clone_state(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const at::Generator& generator = THPGenerator_Unpack(self);
  std::scoped_lock<std::mutex> lock(generator.mutex());
  return THPGenerator_Wrap(generator.clone());
  END_HANDLE_TH_ERRORS
}

PyObject* device(PyObject* self, void*) {
  return THPDevice_New(THPGenerator_Unpack(self).device());
}

// The arguments and the state that PyTorch's pickles hold: the seed, no offset, the whole state.
PyObject* reduce(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const THPObjectPtr at(device(self, nullptr)), value(initial_seed(self, nullptr));
  const THPObjectPtr state(get_state(self, nullptr));
  if (!at || !value || !state) return nullptr;
  return Py_BuildValue("O(O)(OOO)", Py_TYPE(self), at.get(), value.get(), Py_None, state.get());
  END_HANDLE_TH_ERRORS
}

PyObject* set_pickled_state(PyObject* self, PyObject* arguments) {
  HANDLE_TH_ERRORS
  PyObject *value = nullptr, *offset = nullptr, *state = nullptr;
  if (!PyTuple_Check(arguments)) {
    torch::throw_python(
        PyExc_TypeError, "expected a tuple of a seed, an offset and a state, but got %s",
        Py_TYPE(arguments)->tp_name);
  }
  if (!PyArg_ParseTuple(arguments, "OOO:__setstate__", &value, &offset, &state)) return nullptr;
  const THPObjectPtr seeded(manual_seed(self, value));
  return seeded ? set_state(self, state) : nullptr;
  END_HANDLE_TH_ERRORS
}

// PyTorch's generators of the CPU have no such state either.
PyObject* graphsafe_get_state(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK_NOT_IMPLEMENTED(false, "graphsafe_get_state is not supported in this Generator");
  END_HANDLE_TH_ERRORS
}

PyObject* graphsafe_set_state(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK_NOT_IMPLEMENTED(false, "graphsafe_set_state is not supported in this Generator");
  END_HANDLE_TH_ERRORS
}

PyMethodDef methods[] = {
    {"manual_seed", manual_seed, METH_O,
     "manual_seed(seed) -> Generator\n"
     "\n"
     "Set the seed, and return the generator.\n"
     "\n"
     "Example:\n"
     "    >>> torch.rand(1, generator=torch.Generator().manual_seed(0))\n"
     "    tensor([0.4963])"},
    {"seed", seed, METH_NOARGS,
     "seed() -> int\n"
     "\n"
     "Set a seed that the operating system provides, and return it."},
    {"initial_seed", initial_seed, METH_NOARGS,
     "initial_seed() -> int\n"
     "\n"
     "Return the seed that was set last."},
    {"get_state", get_state, METH_NOARGS,
     "get_state() -> Tensor\n"
     "\n"
     "Return the state as a uint8 tensor."},
    {"set_state", set_state, METH_O,
     "set_state(new_state) -> None\n"
     "\n"
     "Restore a state that :meth:`get_state` returned.\n"
     "\n"
     "Raises:\n"
     "    TypeError: If the argument is not a uint8 tensor.\n"
     "    RuntimeError: If the tensor does not hold a state."},
    {"clone_state", clone_state, METH_NOARGS,
     "clone_state() -> Generator\n"
     "\n"
     "Return a new generator in the same state."},
    {"graphsafe_get_state", graphsafe_get_state, METH_NOARGS,
     "graphsafe_get_state() -> Generator\n"
     "\n"
     "Return a state that graphs can use; no generator of this build has one.\n"
     "\n"
     "Raises:\n"
     "    NotImplementedError: Always."},
    {"graphsafe_set_state", graphsafe_set_state, METH_O,
     "graphsafe_set_state(state) -> None\n"
     "\n"
     "Set a state that graphs can use; no generator of this build has one.\n"
     "\n"
     "Raises:\n"
     "    NotImplementedError: Always."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"__setstate__", set_pickled_state, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"device", device, nullptr, "Return the device whose numbers the generator makes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

PyTypeObject THPGeneratorType = torch::static_type("torch._C.Generator", sizeof(THPGenerator));

bool THPGenerator_init(PyObject* module) {
  THPGeneratorType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  THPGeneratorType.tp_doc =
      "Generator(device='cpu')\n"
      "\n"
      "A source of random numbers with a state of its own.\n"
      "\n"
      "Example:\n"
      "    >>> generator = torch.Generator().manual_seed(1)\n"
      "    >>> torch.randint(10, (3,), generator=generator)\n"
      "    tensor([5, 9, 4])";
  THPGeneratorType.tp_new = new_generator;
  THPGeneratorType.tp_dealloc = dealloc;
  THPGeneratorType.tp_methods = methods;
  THPGeneratorType.tp_getset = properties;
  if (PyType_Ready(&THPGeneratorType) < 0 || PyModule_AddType(module, &THPGeneratorType) < 0)
    return false;
  THPObjectPtr generator(
      THPGenerator_Wrap(at::globalContext().defaultGenerator(c10::default_device_type)));
  return generator && PyModule_AddObject(module, "default_generator", generator.release()) == 0;
}

PyObject* THPGenerator_Wrap(at::Generator generator) {
  if (!generator.defined()) Py_RETURN_NONE;
  if (PyObject* known = generator.pyobj()) return Py_NewRef(known);
  return make(&THPGeneratorType, std::move(generator));
}
