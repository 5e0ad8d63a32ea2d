#include <c10/core/AutogradMetaInterface.h>
#include <c10/core/AutogradState.h>
#include <c10/core/impl/PyObjectSlot.h>
#include <c10/core/impl/PythonDispatch.h>

namespace c10 {

constinit thread_local AutogradState autograd_state C10_FAST_TLS{};

AutogradMetaInterface::~AutogradMetaInterface() = default;

namespace impl {

void (*pyobj_decref)(PyObject*) = [](PyObject*) {};
intrusive_ptr<TensorImpl> (*python_detach)(const TensorImpl*) = nullptr;

AutogradMetaFactory::~AutogradMetaFactory() = default;

namespace {
AutogradMetaFactory* factory = nullptr;
}
void SetAutogradMetaFactory(AutogradMetaFactory* installed) {
  factory = installed;
}
AutogradMetaFactory* GetAutogradMetaFactory() {
  return factory;
}

} // namespace impl
} // namespace c10
