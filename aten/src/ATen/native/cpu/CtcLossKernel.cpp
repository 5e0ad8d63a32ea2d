// Alignments of connectionist temporal classification: the states of a step of time are adjacent
// lanes, and each is the sum of up to three states of the step before.

#include <ATen/native/CtcLoss.h>
#include <ATen/native/cpu/Lanes.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/cpu/vec/vec_log.h>

#include <algorithm>
#include <vector>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

using Alignments = CtcAlignments;
using ctc::kNever;

template <class V>
V greater_of(V a, V b) {
  return a < b ? b : a;
}

// log(e^a + e^b + e^c)
template <class V>
V log_sum(V a, V b, V c) {
  using E = at::vec::element_of<V>;
  const V most = greater_of(greater_of(a, b), c);
  const V base = most == at::vec::splat<V>(kNever<E>) ? V{} : most;
  return base +
      at::vec::log(at::vec::exp(a - base) + at::vec::exp(b - base) + at::vec::exp(c - base));
}

// The states of one element of a batch. Rows of states have room for two more on either side and
// for a whole register at the end.
template <class T>
struct States {
  static constexpr int64_t L = kLanes<T>, kMargin = 2;

  int64_t count, room;
  std::vector<int64_t> labels;
  std::vector<T> skips; // 0 if a state also follows the one two before it, else minus infinity
  std::vector<T> first, second, here;

  States(const Alignments& a, int64_t b)
      : count(a.states_of(b)),
        room((count + L - 1) / L * L),
        labels(count),
        skips(room + kMargin, kNever<T>),
        first(room + 2 * kMargin, kNever<T>),
        second(first),
        here(room) {
    for (int64_t s = 0; s < count; ++s) {
      labels[s] = a.label(b, s);
      if (s > 1 && s % 2 == 1 && labels[s] != labels[s - 2]) {
        skips[s] = T(0);
      }
    }
  }

  // Puts the log probabilities of all states into `here`.
  void look_up(const T* probs) {
    for (int64_t s = 0; s < count; ++s) {
      here[s] = probs[labels[s]];
    }
  }

  // States beyond the last one must not reach it from above.
  void end(T* row) const { std::fill(row + count, row + room, kNever<T>); }
};

// alpha[t][s]: the log probability of all alignments of the first t + 1 steps that end in state s.
template <class T>
T forward(const Alignments& a, int64_t b, const T* probs, T* alpha) {
  const int64_t steps = a.input_lengths[b], states = a.states_of(b);
  if (steps == 0) {
    return states == 1 ? T(0) : -kNever<T>;
  }
  States<T> state(a, b);
  T* last = state.first.data() + state.kMargin;
  T* next = state.second.data() + state.kMargin;
  const int64_t step = a.batch * a.classes;
  last[0] = alpha[0] = probs[a.blank];
  if (states > 1) {
    last[1] = alpha[1] = probs[state.labels[1]];
  }
  for (int64_t t = 1; t < steps; ++t) {
    state.look_up(probs + t * step);
    T* row = alpha + t * a.states;
    for (int64_t s = 0; s < states; s += state.L) {
      const auto sum = log_sum(
                           load_lanes<T>(last + s), load_lanes<T>(last + s - 1),
                           load_lanes<T>(last + s - 2) + load_lanes<T>(state.skips.data() + s)) +
          load_lanes<T>(state.here.data() + s);
      store_lanes<T>(next + s, sum);
      save_up_to<T, T>(row + s, sum, states - s);
    }
    std::swap(last, next);
  }
  const T* ends = last + states - 1;
  return -(states > 1 ? ctc::log_add(ends[0], ends[-1]) : ends[0]);
}

// The gradient with respect to a log probability from log_softmax: its probability minus the share
// of alignments that pass through it. next[s] is the log probability of all alignments that start
// in state s.
template <class T>
void backward(
    const Alignments& a, int64_t b, const T* probs, const T* alpha, T loss, T upstream, T* grad) {
  const int64_t steps = a.input_lengths[b], step = a.batch * a.classes;
  States<T> state(a, b);
  const int64_t states = state.count;
  T* next = state.first.data() + state.kMargin;
  T* beta = state.second.data() + state.kMargin;
  std::vector<T> shares(state.room), of_class(a.classes);
  for (int64_t t = steps - 1; t >= 0; --t) {
    const T* now = probs + t * step;
    state.look_up(now);
    if (t == steps - 1) {
      std::fill(beta + std::max<int64_t>(states - 2, 0), beta + states, T(0));
    } else {
      for (int64_t s = 0; s < states; s += state.L) {
        store_lanes<T>(
            beta + s,
            log_sum(
                load_lanes<T>(next + s), load_lanes<T>(next + s + 1),
                load_lanes<T>(next + s + 2) + load_lanes<T>(state.skips.data() + s + 2)));
      }
    }
    for (int64_t s = 0; s < states; s += state.L) {
      const auto sum = load_lanes<T>(beta + s);
      const auto before = load_up_to<T>(alpha + t * a.states + s, states - s, kNever<T>);
      store_lanes<T>(shares.data() + s, at::vec::exp(before + sum + splat<T>(loss)));
      store_lanes<T>(beta + s, sum + load_lanes<T>(state.here.data() + s));
    }
    state.end(beta);
    std::swap(beta, next);
    // What no alignment allows has no share; neither has any class if the loss is infinite.
    for (int64_t c = 0; c < a.classes; ++c) {
      of_class[c] =
          kNever<T> + loss - now[c] == kNever<T> ? T(0) : std::numeric_limits<T>::quiet_NaN();
    }
    T blank = shares[0];
    for (int64_t s = 1; s < states; s += 2) {
      of_class[state.labels[s]] += shares[s];
      blank += shares[s + 1];
    }
    of_class[a.blank] += blank;
    for (int64_t c = 0; c < a.classes; c += state.L) {
      const auto probability = at::vec::exp(load_up_to<T>(now + c, a.classes - c, T(0)));
      const auto share = load_up_to<T>(of_class.data() + c, a.classes - c, T(0));
      save_up_to<T, T>(
          grad + t * step + c, (probability - share) * splat<T>(upstream), a.classes - c);
    }
  }
}

void check_labels(const Alignments& a) {
  for (int64_t b = 0; b < a.batch; ++b) {
    for (int64_t s = 1; s < a.states_of(b); s += 2) {
      TORCH_CHECK(
          a.label(b, s) >= 0 && a.label(b, s) < a.classes, "ctc_loss: label ", a.label(b, s),
          " is not in the range of classes, 0 to ", a.classes - 1);
    }
  }
}

void ctc_loss_kernel(
    ScalarType dtype, const Alignments& a, const void* probs, void* alpha, void* losses) {
  check_labels(a);
  AT_DISPATCH_FLOATING_TYPES(dtype, "ctc_loss_cpu", [&] {
    const auto* from = static_cast<const scalar_t*>(probs);
    auto* to = static_cast<scalar_t*>(alpha);
    auto* loss = static_cast<scalar_t*>(losses);
    at::parallel_for(0, a.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        loss[b] = forward<scalar_t>(a, b, from + b * a.classes, to + b * a.time * a.states);
      }
    });
  });
}

void ctc_loss_backward_kernel(ScalarType dtype, const Alignments& a, const CtcGradient& g) {
  check_labels(a);
  AT_DISPATCH_FLOATING_TYPES(dtype, "ctc_loss_backward_cpu", [&] {
    const auto* from = static_cast<const scalar_t*>(g.probs);
    const auto* alpha = static_cast<const scalar_t*>(g.alpha);
    const auto* loss = static_cast<const scalar_t*>(g.losses);
    const auto* by = static_cast<const scalar_t*>(g.upstream);
    auto* to = static_cast<scalar_t*>(g.out);
    at::parallel_for(0, a.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        if (!g.zero_infinity || loss[b] != -kNever<scalar_t>) {
          backward<scalar_t>(
              a, b, from + b * a.classes, alpha + b * a.time * a.states, loss[b], by[b],
              to + b * a.classes);
        }
      }
    });
  });
}

} // namespace

REGISTER_DISPATCH(ctc_loss_stub, &ctc_loss_kernel)
REGISTER_DISPATCH(ctc_loss_backward_stub, &ctc_loss_backward_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
