#include <torch/csrc/monitor/python_init.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/monitor/counters.h>
#include <torch/csrc/monitor/events.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_enumeration.h>
#include <torch/csrc/utils/python_numbers.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace torch::monitor {

namespace {

using std::chrono::microseconds;

std::string unpack_text(PyObject* object) {
  const char* const text = PyUnicode_AsUTF8(object);
  if (!text) throw_python_error();
  return text;
}

// Calls a method without arguments on a Python object and returns the result as a number.
double number_from(PyObject* object, const char* method) {
  const THPObjectPtr number(checked(PyObject_CallMethod(object, method, nullptr)));
  return unpack_double(number.get());
}

// ---- values of events

data_value_t unpack_value(PyObject* object) {
  if (PyUnicode_Check(object)) return unpack_text(object);
  if (PyBool_Check(object)) return object == Py_True;
  if (PyLong_Check(object)) return unpack_long(object);
  if (PyFloat_Check(object)) return unpack_double(object);
  throw_python(
      PyExc_TypeError, "the data of an event must be str, float, int or bool, not %s",
      Py_TYPE(object)->tp_name);
}

struct Wrap {
  PyObject* operator()(const std::string& text) const { return PyUnicode_FromString(text.c_str()); }
  PyObject* operator()(double number) const { return PyFloat_FromDouble(number); }
  PyObject* operator()(int64_t number) const { return PyLong_FromLongLong(number); }
  PyObject* operator()(bool truth) const { return PyBool_FromLong(truth); }
};

// ---- Event: its attributes are Python objects until it is logged

struct PyEvent {
  PyObject_HEAD PyObject *name, *timestamp, *data;
};

PyTypeObject event_type = static_type("torch._C._monitor.Event", sizeof(PyEvent));

PyEvent& event_of(PyObject* self) {
  return *reinterpret_cast<PyEvent*>(self);
}

PyObject* make_event(PyObject* name, PyObject* timestamp, PyObject* data) {
  PyObject* const self = checked(event_type.tp_alloc(&event_type, 0));
  event_of(self).name = Py_NewRef(name);
  event_of(self).timestamp = Py_NewRef(timestamp);
  event_of(self).data = Py_NewRef(data);
  return self;
}

Event to_cpp(const PyEvent& event) {
  Event result;
  result.name = unpack_text(event.name);
  const double seconds = number_from(event.timestamp, "timestamp");
  result.timestamp += microseconds(std::llround(seconds * 1e6));
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(event.data, &position, &key, &value))
    result.data[unpack_text(key)] = unpack_value(value);
  return result;
}

PyObject* to_python(const Event& event) {
  const THPObjectPtr name(checked(PyUnicode_FromString(event.name.c_str())));
  const THPObjectPtr library(checked(PyImport_ImportModule("datetime")));
  const THPObjectPtr type(checked(PyObject_GetAttrString(library.get(), "datetime")));
  const auto since =
      std::chrono::duration_cast<microseconds>(event.timestamp.time_since_epoch()).count();
  const THPObjectPtr timestamp(checked(
      PyObject_CallMethod(type.get(), "fromtimestamp", "d", static_cast<double>(since) / 1e6)));
  const THPObjectPtr data(checked(PyDict_New()));
  for (const auto& [key, value] : event.data) {
    const THPObjectPtr object(checked(std::visit(Wrap(), value)));
    checked(PyDict_SetItemString(data.get(), key.c_str(), object.get()));
  }
  return make_event(name.get(), timestamp.get(), data.get());
}

PyObject* new_event(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"name", "timestamp", "data", nullptr};
  PyObject *name = nullptr, *timestamp = nullptr, *data = nullptr;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "UOO!:Event", const_cast<char**>(names), &name, &timestamp, &PyDict_Type,
          &data)) {
    return nullptr;
  }
  const THPObjectPtr event(make_event(name, timestamp, data));
  to_cpp(event_of(event.get())); // reject values that cannot be logged
  return Py_NewRef(event.get());
  END_HANDLE_TH_ERRORS
}

void dealloc_event(PyObject* self) {
  PyEvent& event = event_of(self);
  for (PyObject* part : {event.name, event.timestamp, event.data})
    Py_XDECREF(part);
  Py_TYPE(self)->tp_free(self);
}

PyMemberDef event_members[] = {
    {"name", T_OBJECT, offsetof(PyEvent, name), 0, nullptr},
    {"timestamp", T_OBJECT, offsetof(PyEvent, timestamp), 0, nullptr},
    {"data", T_OBJECT, offsetof(PyEvent, data), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

// ---- handlers

// The event that this thread logs with its Python object, which handlers get themselves.
struct Logged {
  const Event* event = nullptr;
  PyObject* object = nullptr;
};
thread_local Logged logged_now;

// Sets it while an event is logged; a handler may log another one.
struct WhileLogged {
  explicit WhileLogged(Logged logged) : before(std::exchange(logged_now, logged)) {}
  ~WhileLogged() { logged_now = before; }
  WhileLogged(const WhileLogged&) = delete;
  WhileLogged& operator=(const WhileLogged&) = delete;
  Logged before;
};

class PythonHandler final : public EventHandler {
 public:
  explicit PythonHandler(PyObject* callable) : callable_(Py_NewRef(callable)) {}
  ~PythonHandler() override {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(callable_);
    PyGILState_Release(state);
  }
  void handle(const Event& event) override {
    const PyGILState_STATE state = PyGILState_Ensure();
    try {
      const THPObjectPtr object(
          &event == logged_now.event ? Py_NewRef(logged_now.object) : to_python(event));
      const THPObjectPtr result(checked(PyObject_CallOneArg(callable_, object.get())));
    } catch (python_error& error) {
      error.persist();
      PyGILState_Release(state);
      throw;
    }
    PyGILState_Release(state);
  }

 private:
  PyObject* callable_;
};

struct PyHandle {
  PyObject_HEAD std::shared_ptr<EventHandler> handler;
};

PyTypeObject handle_type = static_type("torch._C._monitor.EventHandlerHandle", sizeof(PyHandle));

void dealloc_handle(PyObject* self) {
  reinterpret_cast<PyHandle*>(self)->handler.~shared_ptr();
  Py_TYPE(self)->tp_free(self);
}

PyObject* log_event(PyObject*, PyObject* event) {
  HANDLE_TH_ERRORS
  if (Py_TYPE(event) != &event_type) {
    throw_python(
        PyExc_TypeError, "log_event expects an Event, but got %s", Py_TYPE(event)->tp_name);
  }
  const Event logged = to_cpp(event_of(event));
  const WhileLogged scope({&logged, event});
  logEvent(logged);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* register_event_handler(PyObject*, PyObject* callable) {
  HANDLE_TH_ERRORS
  auto handler = std::make_shared<PythonHandler>(callable);
  PyObject* const self = checked(handle_type.tp_alloc(&handle_type, 0));
  new (&reinterpret_cast<PyHandle*>(self)->handler) std::shared_ptr<EventHandler>(handler);
  registerEventHandler(std::move(handler));
  return self;
  END_HANDLE_TH_ERRORS
}

PyObject* unregister_event_handler(PyObject*, PyObject* handle) {
  HANDLE_TH_ERRORS
  if (Py_TYPE(handle) != &handle_type) {
    throw_python(
        PyExc_TypeError, "unregister_event_handler expects an EventHandlerHandle, but got %s",
        Py_TYPE(handle)->tp_name);
  }
  unregisterEventHandler(reinterpret_cast<PyHandle*>(handle)->handler);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// ---- Stat

struct PyStat {
  PyObject_HEAD std::optional<Stat> stat;
};

PyTypeObject stat_type = static_type("torch._C._monitor.Stat", sizeof(PyStat));

// Aggregation; its members are attributes of the module, too.
Enumeration& aggregations() {
  static const std::vector<EnumerationMember> members = [] {
    std::vector<EnumerationMember> rows;
    rows.reserve(kAggregations.size());
    for (const auto& [name, kind] : kAggregations)
      rows.emplace_back(name, static_cast<int>(kind));
    return rows;
  }();
  static Enumeration all("Aggregation", members, /*exports_members=*/true);
  return all;
}

Stat& stat_of(PyObject* self) {
  return *reinterpret_cast<PyStat*>(self)->stat;
}

PyObject* new_stat(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"name", "aggregations", "window_size", "max_samples", nullptr};
  PyObject *name = nullptr, *kinds = nullptr, *window = nullptr;
  long long most = std::numeric_limits<int64_t>::max();
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "UOO|L:Stat", const_cast<char**>(names), &name, &kinds, &window, &most)) {
    return nullptr;
  }
  const THPObjectPtr items(
      checked(PySequence_Fast(kinds, "Stat(): expected a sequence of Aggregation")));
  std::vector<Aggregation> wanted;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(items.get(), i);
    wanted.push_back(static_cast<Aggregation>(aggregations().unpack(item, "Stat")));
  }
  const std::chrono::milliseconds length(std::llround(number_from(window, "total_seconds") * 1e3));
  THPObjectPtr self(checked(type->tp_alloc(type, 0)));
  auto& held = *new (&reinterpret_cast<PyStat*>(self.get())->stat) std::optional<Stat>();
  held.emplace(unpack_text(name), std::move(wanted), length, most);
  return self.release();
  END_HANDLE_TH_ERRORS
}

void dealloc_stat(PyObject* self) {
  // Logs the last window, possibly while an exception is propagating.
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  reinterpret_cast<PyStat*>(self)->stat.~optional();
  PyErr_Restore(type, error, trace);
  Py_TYPE(self)->tp_free(self);
}

PyObject* stat_add(PyObject* self, PyObject* value) {
  HANDLE_TH_ERRORS
  stat_of(self).add(unpack_double(value));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* stat_get(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  THPObjectPtr result(checked(PyDict_New()));
  for (const auto& [kind, value] : stat_of(self).get()) {
    const THPObjectPtr key(checked(aggregations().member(static_cast<int>(kind))));
    const THPObjectPtr number(checked(PyFloat_FromDouble(value)));
    checked(PyDict_SetItem(result.get(), key.get(), number.get()));
  }
  return result.release();
  END_HANDLE_TH_ERRORS
}

PyObject* stat_name(PyObject* self, void*) {
  return PyUnicode_FromString(stat_of(self).name().c_str());
}
PyObject* stat_count(PyObject* self, void*) {
  return PyLong_FromLongLong(stat_of(self).count());
}

PyMethodDef stat_methods[] = {
    {"add", stat_add, METH_O, "Add a measurement."},
    {"get", stat_get, METH_NOARGS, "The aggregations logged last."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef stat_properties[] = {
    {"name", stat_name, nullptr, nullptr, nullptr},
    {"count", stat_count, nullptr, "The number of measurements that have not been logged.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// ---- the module

PyMethodDef functions[] = {
    {"log_event", log_event, METH_O, "Pass an event to every handler."},
    {"register_event_handler", register_event_handler, METH_O,
     "Call a function with every logged event; return a handle that unregisters it."},
    {"unregister_event_handler", unregister_event_handler, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "torch._C._monitor",
    nullptr,
    -1,
    functions,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

} // namespace

bool initMonitorBindings(PyObject* module) {
  event_type.tp_new = new_event;
  event_type.tp_dealloc = dealloc_event;
  event_type.tp_members = event_members;
  handle_type.tp_dealloc = dealloc_handle;
  handle_type.tp_flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
  stat_type.tp_new = new_stat;
  stat_type.tp_dealloc = dealloc_stat;
  stat_type.tp_methods = stat_methods;
  stat_type.tp_getset = stat_properties;
  const THPObjectPtr monitor(PyModule_Create(&definition));
  return monitor && PyModule_AddType(monitor.get(), &event_type) == 0 &&
      PyModule_AddType(monitor.get(), &handle_type) == 0 &&
      PyModule_AddType(monitor.get(), &stat_type) == 0 && aggregations().add_to(monitor.get()) &&
      PyModule_AddObjectRef(module, "_monitor", monitor.get()) == 0;
}

} // namespace torch::monitor
