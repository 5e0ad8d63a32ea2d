#include <torch/csrc/lazy/core/graph.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace torch::lazy {

namespace {

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  void build(const std::vector<Value>& outputs) {
    for (const Value& output : outputs) {
      visit(output);
    }
    number_slots();
    graph_.hash.add(graph_.arguments.size());
    for (const Value& argument : graph_.arguments) {
      graph_.hash.add(argument.shape().hash());
    }
    for (const Node* node : order_) {
      add_step(*node);
    }
    for (const Value& output : outputs) {
      graph_.outputs.push_back(slot_of(output));
      graph_.hash.add(graph_.outputs.back());
    }
  }

 private:
  // Depth first, with a stack of its own: a trace can be longer than the thread's.
  void visit(const Value& root) {
    std::vector<std::pair<const Value*, size_t>> pending{{&root, 0}};
    while (!pending.empty()) {
      auto& [value, next] = pending.back();
      const Node* node = value->node.get();
      if (next == 0 && (is_argument(*value) || seen_.contains(node))) {
        pending.pop_back();
      } else if (next < node->operands().size()) {
        const Value* operand = &node->operands()[next++];
        pending.emplace_back(operand, 0);
      } else {
        if (seen_.emplace(node, 0).second) {
          order_.push_back(node);
        }
        pending.pop_back();
      }
    }
  }

  bool is_argument(const Value& value) {
    if (!value.data().defined()) {
      return false;
    }
    if (arguments_.emplace(key(value), graph_.arguments.size()).second) {
      graph_.arguments.push_back(value);
    }
    return true;
  }

  void number_slots() {
    graph_.slots = graph_.arguments.size();
    for (const Node* node : order_) {
      seen_[node] = graph_.slots;
      graph_.slots += node->shapes().size();
    }
  }

  void add_step(const Node& node) {
    graph_.hash.add(node.hash());
    Graph::Step step{&node, {}, seen_[&node], graph_.scalars.size()};
    for (const Value& operand : node.operands()) {
      step.operands.push_back(slot_of(operand));
    }
    graph_.hash.add(step.operands);
    std::copy(node.scalars().begin(), node.scalars().end(), std::back_inserter(graph_.scalars));
    graph_.steps.push_back(std::move(step));
  }

  size_t slot_of(const Value& value) const {
    const auto argument = arguments_.find(key(value));
    return argument != arguments_.end() ? argument->second
                                        : seen_.at(value.node.get()) + value.index;
  }

  static std::pair<const Node*, size_t> key(const Value& value) {
    return {value.node.get(), value.index};
  }

  Graph& graph_;
  std::map<std::pair<const Node*, size_t>, size_t> arguments_;
  std::unordered_map<const Node*, size_t> seen_; // with the slots of their first results
  std::vector<const Node*> order_;
};

std::string joined(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) {
    text += (text.empty() ? "" : ", ") + shape.to_string();
  }
  return shapes.size() == 1 ? text : "(" + text + ")";
}

// Which outputs a node computes, such as ", ROOT=0".
std::string roots(const Graph& graph, size_t first_slot, size_t count) {
  std::string text;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    if (graph.outputs[i] >= first_slot && graph.outputs[i] < first_slot + count) {
      text += ", ROOT=" + std::to_string(i);
    }
  }
  return text;
}

// The number of the node that has a slot, and which of its results it is.
std::pair<size_t, size_t> place_of(const Graph& graph, size_t slot) {
  if (slot < graph.arguments.size()) {
    return {slot, 0};
  }
  const auto after = std::upper_bound(
      graph.steps.begin(), graph.steps.end(), slot,
      [](size_t wanted, const Graph::Step& step) { return wanted < step.first_slot; });
  const auto step = std::prev(after);
  return {
      graph.arguments.size() + static_cast<size_t>(step - graph.steps.begin()),
      slot - step->first_slot};
}

std::string reference(const Graph& graph, size_t slot) {
  const auto [node, result] = place_of(graph, slot);
  return "%" + std::to_string(node) + (result == 0 ? "" : "." + std::to_string(result));
}

} // namespace

Graph Graph::of(const std::vector<Value>& outputs) {
  Graph graph;
  Builder(graph).build(outputs);
  return graph;
}

std::string graph_text(const Graph& graph) {
  std::ostringstream text;
  text << "IR {\n";
  for (size_t i = 0; i < graph.arguments.size(); ++i) {
    text << "  %" << i << " = [" << graph.arguments[i].shape().to_string() << "] "
         << DeviceData::ClassOpKind().name << "(), device=CPU0" << roots(graph, i, 1) << '\n';
  }
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const Graph::Step& step = graph.steps[i];
    text << "  %" << graph.arguments.size() + i << " = [" << joined(step.node->shapes()) << "] "
         << step.node->op().name << '(';
    for (size_t k = 0; k < step.operands.size(); ++k) {
      text << (k == 0 ? "" : ", ") << reference(graph, step.operands[k]);
    }
    const std::string attributes = step.node->ToString();
    text << ')' << (attributes.empty() ? "" : ", ") << attributes
         << roots(graph, step.first_slot, step.node->shapes().size()) << '\n';
  }
  text << "}\n";
  return text.str();
}

std::string graph_dot(const Graph& graph) {
  std::ostringstream text;
  text << "digraph G {\n";
  for (size_t i = 0; i < graph.arguments.size(); ++i) {
    text << "  node" << i << " [label=\"" << DeviceData::ClassOpKind().name << "\\n"
         << graph.arguments[i].shape().to_string() << "\"]\n";
  }
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const Graph::Step& step = graph.steps[i];
    text << "  node" << graph.arguments.size() + i << " [label=\"" << step.node->op().name << "\\n"
         << joined(step.node->shapes()) << "\"]\n";
    for (size_t k = 0; k < step.operands.size(); ++k) {
      text << "  node" << place_of(graph, step.operands[k]).first << " -> node"
           << graph.arguments.size() + i << " [label=\"i=" << k << "\"]\n";
    }
  }
  text << "}\n";
  return text.str();
}

} // namespace torch::lazy
