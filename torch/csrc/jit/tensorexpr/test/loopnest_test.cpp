// Transformations keep results, and refuse what would change them.

#include <torch/csrc/jit/tensorexpr/codegen.h>
#include <torch/csrc/jit/tensorexpr/ir_printer.h>
#include <torch/csrc/jit/tensorexpr/loopnest.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <random>

namespace torch::jit::tensorexpr {
namespace {

// y[i, j] = sum over k of (2 x[i, k] + i) * j, in integers: exact in any order.
struct Program {
  BufHandle x;
  Tensor scaled, y;
  LoopNest nest;

  static Program of(int64_t rows, int64_t columns, int64_t depth) {
    const BufHandle x("x", {rows, depth}, at::kLong);
    const Tensor scaled = Compute("scaled", {rows, depth}, [&](const auto& i) {
      return x.load({i[0], i[1]}) * 2 + i[0];
    });
    const Tensor y = Reduce(
        "y", {rows, columns}, Reducer::Sum(),
        [&](const auto& i) {
          return scaled.load({i[0], i[2]}) * i[1];
        },
        {depth});
    return {x, scaled, y, LoopNest({y}, {scaled, y})};
  }

  at::Tensor input() const { return at::randint(-50, 50, x.node()->sizes, at::kLong); }

  at::Tensor expected(const at::Tensor& in) const {
    const auto& sizes = y.buf.node()->sizes;
    const at::Tensor rows = (in * 2 + at::arange(sizes[0]).unsqueeze(1)).sum(1, true);
    return rows * at::arange(sizes[1]);
  }

  template <class Backend = SimpleIREvaluator>
  at::Tensor run(const at::Tensor& in) {
    LoopNest prepared = nest;
    prepared.prepareForCodegen();
    at::Tensor out = at::zeros(y.buf.node()->sizes, at::kLong);
    Backend(prepared.root_stmt(), {x, y.buf}).call({in, out});
    return out;
  }
};

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const c10::Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_error(const std::string& message, const std::function<void()>& f) {
  const std::string error = error_of(f);
  EXPECT_NE(error.find(message), std::string::npos) << error;
}

TEST(LoopNest, SplitsEveryLoopByEveryFactor) {
  for (int64_t factor = 1; factor <= 8; ++factor) {
    for (size_t loop = 0; loop < 3; ++loop) {
      Program tail = Program::of(5, 3, 7), mask = Program::of(5, 3, 7);
      tail.nest.splitWithTail(tail.nest.getLoopsFor(tail.y)[loop], factor);
      mask.nest.splitWithMask(mask.nest.getLoopsFor(mask.y)[loop], factor);
      const at::Tensor in = tail.input();
      EXPECT_TRUE(tail.run(in).equal(tail.expected(in)));
      EXPECT_TRUE(mask.run(in).equal(mask.expected(in)));
    }
  }
}

TEST(LoopNest, SplitsAreSeenInTheText) {
  Program program = Program::of(5, 3, 7);
  const auto split = program.nest.splitWithTail(program.nest.getLoopsFor(program.y)[0], 2);
  EXPECT_TRUE(split.tail.has_value());
  const std::string text = to_string(program.nest.root_stmt());
  EXPECT_NE(text.find("i0_outer"), std::string::npos);
  EXPECT_NE(text.find("i0_tail"), std::string::npos);
}

TEST(LoopNest, ReordersWhatCarriesNoValues) {
  Program program = Program::of(4, 3, 5);
  const auto loops = program.nest.getLoopsFor(program.scaled);
  program.nest.reorderAxis(loops[0], loops[1]);
  EXPECT_EQ(program.nest.getLoopsFor(program.scaled)[0].var().id, loops[1].var().id);
  const at::Tensor in = program.input();
  EXPECT_TRUE(program.run(in).equal(program.expected(in)));
}

TEST(LoopNest, RefusesToReorderTwoCarryingLoops) {
  const BufHandle x("x", {3, 4}, at::kFloat);
  const Tensor sum = Reduce(
      "sum", {}, Reducer::Sum(),
      [&](const auto& i) {
        return x.load({i[0], i[1]});
      },
      {3, 4});
  LoopNest nest({sum});
  const auto loops = nest.getLoopsFor(sum);
  expect_error("more than one of them carries", [&] { nest.reorderAxis(loops[0], loops[1]); });
}

TEST(LoopNest, RefusesInvalidTransformations) {
  Program program = Program::of(4, 3, 5);
  LoopNest& nest = program.nest;
  const auto loops = nest.getLoopsFor(program.y);
  const StmtPtr before = nest.root_stmt();
  expect_error("positive factor", [&] { nest.splitWithTail(loops[0], 0); });
  expect_error("no loop over", [&] { nest.unroll(VarHandle("none")); });
  expect_error("not nested", [&] { nest.reorderAxis(loops[0], loops[2]); });
  expect_error(
      "not nested", [&] { nest.reorderAxis(loops[0], nest.getLoopsFor(program.scaled)[0]); });
  expect_error("not independent", [&] { nest.parallel(loops[2]); });
  expect_error("has loops inside", [&] { nest.vectorize(loops[0]); });
  expect_error("not a temporary", [&] { nest.computeInline(program.y); });
  EXPECT_EQ(nest.root_stmt(), before);
  nest.splitWithTail(nest.getLoopsFor(program.scaled)[0], 2);
  expect_error("cannot be inlined", [&] { nest.computeInline(program.scaled); });
}

TEST(LoopNest, RefusesTooManyCopies) {
  const Tensor y = Compute("y", {5000}, [](const auto& i) { return i[0] + 1; });
  LoopNest nest({y});
  expect_error("at most 1024", [&] { nest.unroll(nest.getLoopsFor(y)[0]); });
}

TEST(LoopNest, RefusesParallelIterationsThatMeet) {
  const BufHandle x("x", {9}, at::kLong);
  const VarHandle i("i");
  const Tensor shifted{
      x,
      make_block({make_stmt(
          For{i.var(), 0, 8,
              make_block({make_stmt(Store{x.node(), {(i + 1).node()}, x.load({i}).node()})})})})};
  LoopNest nest({shifted});
  expect_error("not independent", [&] { nest.parallel(i); });
  expect_error("not independent", [&] { nest.vectorize(i); });
}

TEST(LoopNest, InlinesWhereIndicesAreExchanged) {
  const BufHandle x("x", {3, 3}, at::kFloat);
  const Tensor copy = Compute("copy", {3, 3}, [&](const auto& i) {
    return x.load({i[0], i[1]}) * 2.f;
  });
  const Tensor y = Compute("y", {3, 3}, [&](const auto& i) { return copy.load({i[1], i[0]}); });
  LoopNest nest({y}, {copy, y});
  nest.computeInline(copy);
  nest.prepareForCodegen();
  const at::Tensor in = at::rand({3, 3});
  at::Tensor out = at::empty({3, 3});
  SimpleIREvaluator(nest.root_stmt(), {x, y.buf}).call({in, out});
  EXPECT_TRUE(out.equal(in.t() * 2));
  EXPECT_EQ(to_string(nest.root_stmt()).find("copy"), std::string::npos);
}

// One random transformation; those that are refused leave the nest as it was.
void transform(Program& program, std::mt19937& random) {
  const auto below = [&](size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
  };
  LoopNest& nest = program.nest;
  const StmtPtr before = nest.root_stmt();
  try {
    const auto loops = nest.getLoopsFor(below(2) == 0 ? program.scaled : program.y);
    if (loops.empty()) {
      return;
    }
    const VarHandle first = loops[below(loops.size())], second = loops[below(loops.size())];
    switch (below(7)) {
      case 0:
        nest.splitWithTail(first, static_cast<int64_t>(1 + below(5)));
        break;
      case 1:
        nest.splitWithMask(first, static_cast<int64_t>(1 + below(5)));
        break;
      case 2:
        nest.reorderAxis(first, second);
        break;
      case 3:
        nest.computeInline(program.scaled);
        break;
      case 4:
        nest.unroll(first);
        break;
      case 5:
        nest.parallel(first);
        break;
      default:
        nest.vectorize(first);
    }
  } catch (const c10::ValueError& refused) {
    EXPECT_EQ(nest.root_stmt(), before) << refused.what();
  }
}

TEST(LoopNest, RandomTransformationsKeepTheResult) {
  std::mt19937 random(0);
  for (int round = 0; round < 300; ++round) {
    const auto size = [&] { return static_cast<int64_t>(random() % 7); };
    Program program = Program::of(size(), size(), size());
    for (unsigned steps = random() % 6; steps > 0; --steps) {
      transform(program, random);
    }
    const at::Tensor in = program.input();
    EXPECT_TRUE(program.run(in).equal(program.expected(in))) << to_string(program.nest.root_stmt());
    if (round % 30 == 0) {
      EXPECT_TRUE(program.run<CppCodeGen>(in).equal(program.expected(in)));
    }
  }
}

} // namespace
} // namespace torch::jit::tensorexpr
