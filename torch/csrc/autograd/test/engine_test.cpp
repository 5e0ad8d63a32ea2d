#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <ATen/ATen.h>

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace torch::autograd {
namespace {

at::Tensor leaf(at::IntArrayRef shape, double value = 1) {
  return at::full(shape, value).set_requires_grad(true);
}

// A function of one tensor whose backward is given by a lambda.
template <typename F>
struct LambdaNode final : Node {
  explicit LambdaNode(F f) : f_(std::move(f)) {}
  variable_list apply(variable_list&& grads) override { return {f_(std::move(grads[0]))}; }
  std::string name() const override { return "LambdaNode"; }
  F f_;
};
template <typename F>
at::Tensor through(const at::Tensor& x, F f) {
  auto node = c10::make_intrusive<LambdaNode<F>>(std::move(f));
  node->set_next_edges(collect_next_edges(x));
  at::Tensor y = x.detach();
  set_history(y, node);
  return y;
}

TEST(Engine, AddsGradientsOfSeveralUses) {
  const at::Tensor x = leaf({3}, 2);
  (x * x + x).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({3}, 5.)));
  (x * 3).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({3}, 8.)));
}

TEST(Engine, RunsLaterNodesFirst) {
  std::vector<std::string> order;
  const auto note = [&order](const char* name) {
    return [&order, name](at::Tensor grad) {
      order.emplace_back(name);
      return grad;
    };
  };
  const at::Tensor x = leaf({1});
  const at::Tensor a = through(x, note("a"));
  const at::Tensor b = through(x, note("b"));
  const at::Tensor c = through(a, note("c"));
  backward({c, b}, {at::ones({1}), at::ones({1})});
  EXPECT_EQ(order, (std::vector<std::string>{"c", "b", "a"}));
}

TEST(Engine, ReturnsTheGradientsAskedFor) {
  const at::Tensor x = leaf({2}, 3);
  const at::Tensor y = leaf({2}, 4);
  const at::Tensor product = x * y;
  const at::Tensor out = (product * product).sum();
  const variable_list grads = grad({out}, {product, x}, {}, /*retain_graph=*/true);
  EXPECT_TRUE(at::equal(grads[0], at::full({2}, 24.)));
  EXPECT_TRUE(at::equal(grads[1], at::full({2}, 96.)));
  EXPECT_FALSE(x.grad().defined());

  const at::Tensor unused = leaf({2});
  EXPECT_THROW(grad({out}, {unused}, {}, true), c10::Error);
  EXPECT_FALSE(grad({out}, {x, unused}, {}, true, false, /*allow_unused=*/true)[1].defined());

  backward({out}, {}, /*retain_graph=*/false, false, /*inputs=*/{y});
  EXPECT_FALSE(x.grad().defined());
  EXPECT_TRUE(at::equal(y.grad(), at::full({2}, 72.)));
}

TEST(Engine, FreesWhatTheGraphSavedUnlessItIsRetained) {
  const at::Tensor x = leaf({2}, 3);
  const at::Tensor out = (x * x).sum();
  out.backward({}, /*retain_graph=*/true);
  out.backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({2}, 12.)));
  try {
    out.backward();
    FAIL() << "a third backward";
  } catch (const c10::Error& error) {
    EXPECT_EQ(
        std::string(error.msg()).find("Trying to backward through the graph a second time"), 0u);
  }
}

TEST(Engine, DifferentiatesTwice) {
  const at::Tensor x = leaf({2}, 3);
  const at::Tensor first =
      grad({(x * x * x).sum()}, {x}, {}, std::nullopt, /*create_graph=*/true)[0];
  EXPECT_TRUE(at::allclose(first, at::full({2}, 27.)));
  EXPECT_TRUE(first.requires_grad());
  EXPECT_TRUE(at::allclose(grad({first.sum()}, {x})[0], at::full({2}, 18.)));
}

TEST(Engine, RefusesGradientsThatDoNotFit) {
  const at::Tensor x = leaf({2, 3});
  EXPECT_THROW((x * 2).backward(), c10::Error);
  EXPECT_THROW((x * 2).backward(at::ones({4})), c10::Error);
  EXPECT_THROW(at::ones({1}).backward(), c10::Error);
  const at::Tensor y = through(x, [](const at::Tensor&) { return at::ones({5}); });
  try {
    y.sum().backward();
    FAIL() << "a gradient of the wrong shape";
  } catch (const c10::Error& error) {
    EXPECT_EQ(
        error.msg(),
        "Function LambdaNode returned an invalid gradient at index 0 - got [5] but expected shape "
        "compatible with [2, 3]");
  }
  // A gradient with a broadcast shape is summed, one with another dtype is cast.
  const at::Tensor z = through(x, [](const at::Tensor&) {
    return at::ones({4, 2, 3}, at::kDouble);
  });
  z.sum().backward();
  EXPECT_EQ(x.grad().scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(x.grad(), at::full({2, 3}, 4.)));
}

TEST(Engine, AccumulatesIntoLayoutsOfTheLeaf) {
  const at::Tensor x = at::ones({3, 2}).t().set_requires_grad(true);
  (x * 2).sum().backward();
  EXPECT_EQ(x.grad().strides(), x.strides());

  // A gradient that is referenced elsewhere is copied.
  const at::Tensor y = leaf({2});
  const at::Tensor given = at::ones({2});
  y.view_as(y).backward(given);
  EXPECT_NE(y.grad().data_ptr(), given.data_ptr());

  // So is one whose memory two leaves would share.
  const at::Tensor a = leaf({2, 2});
  const at::Tensor b = leaf({2, 2});
  ((a.view({4}) + b.view({4})) * at::ones({4})).sum().backward();
  EXPECT_NE(a.grad().data_ptr(), b.grad().data_ptr());
}

// ---- hooks

TEST(Hooks, SeeAndReplaceGradients) {
  const at::Tensor x = leaf({2});
  const at::Tensor y = x * 2;
  const unsigned position = x.register_hook([](const at::Tensor& grad) { return grad * 10; });
  at::Tensor seen;
  y.register_hook([&seen](const at::Tensor& grad) { seen = grad; });
  y.retain_grad();
  y.sum().backward({}, /*retain_graph=*/true);
  EXPECT_TRUE(at::equal(seen, at::ones({2})));
  EXPECT_TRUE(at::equal(y.grad(), at::ones({2})));
  EXPECT_TRUE(at::equal(x.grad(), at::full({2}, 20.)));
  x.remove_hook(position);
  y.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({2}, 22.)));
  EXPECT_THROW(at::ones({2}).register_hook([](const at::Tensor&) {}), c10::Error);
}

struct CountPost final : FunctionPostHook {
  explicit CountPost(int& count) : count_(count) {}
  variable_list operator()(const variable_list& outputs, const variable_list&) override {
    ++count_;
    return outputs;
  }
  int& count_;
};

TEST(Hooks, OfNodesRunAfterThem) {
  const at::Tensor x = leaf({2});
  const at::Tensor y = x * 2;
  int count = 0;
  const uintptr_t key = y.grad_fn()->add_post_hook(std::make_unique<CountPost>(count));
  y.sum().backward({}, true);
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(y.grad_fn()->del_post_hook(key));
  EXPECT_FALSE(y.grad_fn()->del_post_hook(key));
  y.sum().backward();
  EXPECT_EQ(count, 1);
}

struct Double final : PostAccumulateGradHook {
  void operator()(const Variable& tensor) override { tensor.mutable_grad().mul_(2); }
};

TEST(Hooks, AfterAccumulationSeeTheLeaf) {
  const at::Tensor x = leaf({2});
  impl::set_post_acc_grad_hooks(x, std::make_unique<Double>());
  (x * 3).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({2}, 6.)));
}

TEST(Hooks, CallbacksRunAtTheEndOfThePass) {
  const at::Tensor x = leaf({1});
  int count = 0;
  const at::Tensor y = through(x, [&](at::Tensor grad) {
    Engine& engine = Engine::get_default_engine();
    engine.queue_callback([&] {
      EXPECT_TRUE(x.grad().defined());
      ++count;
      engine.queue_callback([&] { ++count; });
    });
    return grad;
  });
  y.backward();
  EXPECT_EQ(count, 2);
  EXPECT_THROW(Engine::get_default_engine().queue_callback([] {}), c10::Error);
}

// ---- nested passes, and threads

at::Tensor nest(int depth) {
  const at::Tensor x = leaf({1});
  return through(x, [depth](at::Tensor grad) {
    if (depth > 0) {
      nest(depth - 1).backward();
    }
    return grad;
  });
}

TEST(Reentrant, NestsBeyondTheLimitOfOneThread) {
  nest(3 * MAX_DEPTH).backward();
}

TEST(Reentrant, ErrorsReachTheOutermostCaller) {
  const at::Tensor y = through(leaf({1}), [](at::Tensor) -> at::Tensor {
    through(leaf({1}), [](at::Tensor) -> at::Tensor {
      TORCH_CHECK_VALUE(false, "inner");
    }).backward();
    return {};
  });
  EXPECT_THROW(y.backward(), c10::ValueError);
  EXPECT_EQ(get_current_graph_task_id(), -1);
  EXPECT_FALSE(get_current_node());
}

TEST(Threads, BackwardsOfOneGraphAddUp) {
  const at::Tensor x = leaf({64});
  const at::Tensor shared = (x * 2).exp();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        (shared * 3).sum().backward({}, /*retain_graph=*/true);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(at::allclose(x.grad(), at::full({64}, 200 * 6 * std::exp(2.)), 1e-4));
}

// A node whose input is on a device with its own thread; it receives only undefined gradients.
struct OnDevice final : Node {
  explicit OnDevice(bool fail) : fail_(fail) {
    add_input_metadata(at::TensorOptions(at::DeviceType::PrivateUse1).dtype(at::kFloat), {1});
  }
  variable_list apply(variable_list&&) override {
    TORCH_CHECK_VALUE(!fail_, "on the device");
    thread_ = std::this_thread::get_id();
    return {at::ones({1})};
  }
  bool fail_;
  std::thread::id thread_;
};

TEST(Threads, NodesOfDevicesRunOnTheirs) {
  const at::Tensor x = leaf({1});
  for (const bool fail : {false, true, false}) {
    const at::Tensor a = through(x, [](at::Tensor grad) { return grad; });
    auto node = c10::make_intrusive<OnDevice>(fail);
    node->set_next_edges(collect_next_edges(a));
    auto root = c10::make_intrusive<LambdaNode<at::Tensor (*)(at::Tensor)>>(
        [](at::Tensor) { return at::Tensor(); });
    root->add_input_metadata(x);
    root->set_next_edges({Edge(node, 0)});
    const edge_list roots{Edge(root, 0)};
    Engine& engine = Engine::get_default_engine();
    if (fail) {
      EXPECT_THROW(engine.execute(roots, {at::ones({1})}, false, false, true), c10::ValueError);
    } else {
      engine.execute(roots, {at::ones({1})}, false, false, true);
      EXPECT_NE(node->thread_, std::this_thread::get_id());
    }
  }
  EXPECT_TRUE(at::equal(x.grad(), at::full({1}, 2.)));
  Engine::get_default_engine().stop();
}

TEST(Graph, LongOnesAreDestroyedWithoutRecursion) {
  at::Tensor y = leaf({1});
  for (int i = 0; i < 200000; ++i) {
    y = through(y, [](at::Tensor grad) { return grad; });
  }
  y.backward();
  y.reset();
}

TEST(AnomalyMode, NamesTheFunctionThatMadeNan) {
  const DetectAnomalyGuard guard;
  const at::Tensor x = leaf({1}, 0);
  try {
    (x.sqrt() * 0).backward();
    FAIL() << "no error for NaN";
  } catch (const c10::Error& error) {
    EXPECT_EQ(error.msg(), "Function 'SqrtBackward0' returned nan values in its 0th output.");
  }
}

} // namespace
} // namespace torch::autograd
