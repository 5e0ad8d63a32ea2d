#pragma once

// torch::save and torch::load for tensors, modules and optimizers. The files are those of Python's
// torch.save: a tensor, a list of tensors, or a dictionary of a module's parameters and buffers, as
// state_dict() returns it.
#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/serialize/pickle.h>

namespace torch {

inline void save(const Tensor& tensor, const std::string& path) {
  serialize::write_archive(tensor, path);
}
inline void load(Tensor& tensor, const std::string& path) {
  tensor = serialize::read_archive(path).expect(serialize::Value::Kind::tensor, "a tensor").tensor;
}

inline void save(const std::vector<Tensor>& tensors, const std::string& path) {
  auto list = serialize::Value::of(serialize::Value::Kind::sequence);
  list.items.assign(tensors.begin(), tensors.end());
  serialize::write_archive(list, path);
}
inline void load(std::vector<Tensor>& tensors, const std::string& path) {
  const auto list = serialize::read_archive(path);
  tensors.clear();
  for (const auto& item : list.expect(serialize::Value::Kind::sequence, "a list").items)
    tensors.push_back(item.expect(serialize::Value::Kind::tensor, "a tensor").tensor);
}

inline void save(const nn::Module& module, const std::string& path) {
  auto state = serialize::Value::of(serialize::Value::Kind::dictionary);
  for (const auto& tensors : {module.named_parameters(), module.named_buffers()}) {
    for (const auto& item : tensors)
      state.set(item.key(), item.value());
  }
  serialize::write_archive(state, path);
}
// Copies the file's tensors into those of the module, which must have the same names and sizes.
inline void load(nn::Module& module, const std::string& path) {
  const auto state = serialize::read_archive(path);
  state.expect(serialize::Value::Kind::dictionary, "a dictionary");
  const NoGradGuard guard;
  size_t count = 0;
  for (auto tensors : {module.named_parameters(), module.named_buffers()}) {
    for (auto& item : tensors) {
      const auto* value = state.find(item.key());
      TORCH_CHECK(value, path, " has no tensor \"", item.key(), "\" of ", module.name());
      const Tensor& tensor = value->expect(serialize::Value::Kind::tensor, "a tensor").tensor;
      TORCH_CHECK(
          tensor.sizes() == item.value().sizes(), "\"", item.key(), "\" has the sizes ",
          tensor.sizes(), " in ", path, ", and ", item.value().sizes(), " in the module");
      item.value().copy_(tensor);
      ++count;
    }
  }
  TORCH_CHECK(
      state.items.size() == 2 * count, path, " has ", state.items.size() / 2,
      " tensors, but the module has ", count);
}
template <typename ModuleType>
requires std::is_base_of_v<nn::Module, ModuleType>
void save(const std::shared_ptr<ModuleType>& module, const std::string& path) {
  save(static_cast<const nn::Module&>(*module), path);
}
template <typename ModuleType>
requires std::is_base_of_v<nn::Module, ModuleType>
void load(std::shared_ptr<ModuleType>& module, const std::string& path) {
  load(static_cast<nn::Module&>(*module), path);
}
template <typename Contained>
void save(const nn::ModuleHolder<Contained>& holder, const std::string& path) {
  save(static_cast<const nn::Module&>(*holder), path);
}
template <typename Contained>
void load(nn::ModuleHolder<Contained>& holder, const std::string& path) {
  load(static_cast<nn::Module&>(*holder), path);
}

// What the optimizer remembers about each parameter, in their order; not its options.
inline void save(const optim::Optimizer& optimizer, const std::string& path) {
  using serialize::Value;
  Value states = Value::of(Value::Kind::sequence);
  for (const auto& state : optimizer.state()) {
    Value entry = Value::of(Value::Kind::dictionary);
    entry.set("step", state.step);
    for (const auto& [name, tensor] : state.tensors)
      entry.set(name, tensor);
    states.items.push_back(std::move(entry));
  }
  serialize::write_archive(states, path);
}
inline void load(optim::Optimizer& optimizer, const std::string& path) {
  using serialize::Value;
  const Value states = serialize::read_archive(path);
  std::vector<optim::ParameterState> result;
  for (const Value& entry : states.expect(Value::Kind::sequence, "a list of states").items) {
    entry.expect(Value::Kind::dictionary, "a state");
    auto& state = result.emplace_back();
    for (size_t i = 0; i + 1 < entry.items.size(); i += 2) {
      const Value& value = entry.items[i + 1];
      if (value.kind == Value::Kind::integer) {
        state.step = value.integer;
      } else {
        state.tensors[entry.items[i].text] = value.expect(Value::Kind::tensor, "a tensor").tensor;
      }
    }
  }
  optimizer.set_state(std::move(result));
}

} // namespace torch
