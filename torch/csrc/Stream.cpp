#include <torch/csrc/Stream.h>

#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/util/Exception.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Event.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>

#include <memory>
#include <vector>

namespace {

const c10::Stream& unpack(PyObject* self) {
  return reinterpret_cast<THPStream*>(self)->stream;
}

c10::Event& unpack_event(PyObject* object) {
  if (!THPEvent_Check(object)) {
    torch::throw_python(
        PyExc_TypeError, "expected a torch.Event, but got %s", Py_TYPE(object)->tp_name);
  }
  return *reinterpret_cast<THPEvent*>(object)->event;
}

bool is_stream(PyObject* object) {
  return PyType_IsSubtype(Py_TYPE(object), &THPStreamType);
}

PyObject* make(c10::Device device, c10::StreamId id) {
  c10::impl::getDeviceGuardImpl(device.type()); // or raises
  THPStream* self = PyObject_New(THPStream, &THPStreamType);
  if (self) new (&self->stream) c10::Stream(c10::Stream::UNSAFE, device, id);
  return reinterpret_cast<PyObject*>(self);
}

// Stream(device=None, *, priority=0), or Stream(stream_id=, device_index=, device_type=) for an
// existing stream.
PyObject* new_stream(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"device",       "priority",    "stream_id",
                                "device_index", "device_type", nullptr};
  PyObject* device = Py_None;
  int priority = 0;
  long long id = 0;
  int index = -1;
  int type = static_cast<int>(c10::default_device_type);
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|O$iLii:Stream", const_cast<char**>(names), &device, &priority, &id,
          &index, &type)) {
    return nullptr;
  }
  if (device != Py_None) {
    const c10::Device wanted = torch::unpack_device(device);
    const c10::Stream made =
        c10::impl::getDeviceGuardImpl(wanted.type())->getNewStream(wanted, priority);
    return make(wanted.has_index() ? wanted : made.device(), made.id());
  }
  TORCH_CHECK(c10::isValidDeviceType(static_cast<c10::DeviceType>(type)), "Unknown device: ", type);
  return make(
      c10::Device(static_cast<c10::DeviceType>(type), static_cast<c10::DeviceIndex>(index)), id);
  END_HANDLE_TH_ERRORS
}

PyObject* repr(PyObject* self) {
  HANDLE_TH_ERRORS
  const c10::Stream& stream = unpack(self);
  return PyUnicode_FromFormat(
      "torch.Stream device_type=%s, device_index=%d, stream_id=%lld",
      c10::DeviceTypeName(stream.device_type(), true).c_str(), stream.device_index(),
      static_cast<long long>(stream.id()));
  END_HANDLE_TH_ERRORS
}

Py_hash_t hash(PyObject* self) {
  const c10::Stream& stream = unpack(self);
  return static_cast<Py_hash_t>(stream.id()) * 4099 +
      static_cast<Py_hash_t>(stream.device_type()) * 1031 + stream.device_index() + 3;
}

PyObject* compare(PyObject* self, PyObject* other, int op) {
  if (!is_stream(other) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((unpack(self) == unpack(other)) == (op == Py_EQ));
}

PyObject* query(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return PyBool_FromLong(unpack(self).query());
  END_HANDLE_TH_ERRORS
}

PyObject* synchronize(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  unpack(self).synchronize();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* wait_stream(PyObject* self, PyObject* other) {
  HANDLE_TH_ERRORS
  if (!is_stream(other)) {
    torch::throw_python(
        PyExc_TypeError, "wait_stream expects a torch.Stream, but got %s", Py_TYPE(other)->tp_name);
  }
  c10::Event event(unpack(other).device_type());
  event.record(unpack(other));
  event.block(unpack(self));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* record_event(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"event", nullptr};
  PyObject* given = Py_None;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|O:record_event", const_cast<char**>(names), &given)) {
    return nullptr;
  }
  THPObjectPtr event(
      given == Py_None ? THPEvent_New(unpack(self).device_type()) : Py_NewRef(given));
  unpack_event(event.get()).record(unpack(self));
  return event.release();
  END_HANDLE_TH_ERRORS
}

PyObject* wait_event(PyObject* self, PyObject* event) {
  HANDLE_TH_ERRORS
  unpack_event(event).block(unpack(self));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// The streams that were current before those of the `with` statements around this point.
thread_local std::vector<std::unique_ptr<c10::StreamGuard>> entered;

PyObject* enter(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  entered.push_back(std::make_unique<c10::StreamGuard>(unpack(self)));
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* exit(PyObject*, PyObject*) {
  if (!entered.empty()) entered.pop_back();
  Py_RETURN_NONE;
}

PyObject* get_device(PyObject* self, void*) {
  return THPDevice_New(unpack(self).device());
}
PyObject* get_device_index(PyObject* self, void*) {
  return PyLong_FromLong(unpack(self).device_index());
}
PyObject* get_device_type(PyObject* self, void*) {
  return PyLong_FromLong(static_cast<long>(unpack(self).device_type()));
}
PyObject* get_stream_id(PyObject* self, void*) {
  return PyLong_FromLongLong(unpack(self).id());
}

PyGetSetDef properties[] = {
    {"device", get_device, nullptr, "Return the stream's device.", nullptr},
    {"device_index", get_device_index, nullptr, "Return the index of the stream's device.",
     nullptr},
    {"device_type", get_device_type, nullptr, "Return the number of the device's type.", nullptr},
    {"stream_id", get_stream_id, nullptr, "Return the number of the stream on its device.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"query", query, METH_NOARGS,
     "query() -> bool\n"
     "\n"
     "Return whether all work submitted to the stream is done."},
    {"synchronize", synchronize, METH_NOARGS,
     "synchronize() -> None\n"
     "\n"
     "Wait until all work submitted to the stream is done."},
    {"wait_stream", wait_stream, METH_O,
     "wait_stream(stream) -> None\n"
     "\n"
     "Make future work wait for the work submitted to another stream."},
    {"record_event", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(record_event)),
     METH_VARARGS | METH_KEYWORDS,
     "record_event(event=None) -> Event\n"
     "\n"
     "Mark the work submitted so far with an event, by default a new one, and return it."},
    {"wait_event", wait_event, METH_O,
     "wait_event(event) -> None\n"
     "\n"
     "Make future work wait for the work that an event marks."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", exit, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyTypeObject THPStreamType = torch::static_type("torch.Stream", sizeof(THPStream));

PyObject* THPStream_Wrap(const c10::Stream& stream) {
  return make(stream.device(), stream.id());
}

bool THPStream_init(PyObject* module) {
  THPStreamType.tp_doc = "A queue of work on a device, whose parts run one after another.";
  THPStreamType.tp_flags |= Py_TPFLAGS_BASETYPE;
  THPStreamType.tp_new = new_stream;
  THPStreamType.tp_repr = repr;
  THPStreamType.tp_hash = hash;
  THPStreamType.tp_richcompare = compare;
  THPStreamType.tp_getset = properties;
  THPStreamType.tp_methods = methods;
  return PyModule_AddType(module, &THPStreamType) == 0;
}
