#include <ATen/native/ReduceDriver.h>
#include <ATen/native/ReduceGeometry.h>

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <vector>

namespace at::native {
namespace {

struct ReduceJob {
  const ReduceKernel& kernel;
  const ReduceSink& sink;
  const char* in;
  char* out;
  char* out2;
  int64_t out_size;
  int64_t out2_size;
  double param;
  DimList outs;
  DimList reds;
};

// Visits all dimensions but the innermost; `visit` receives the offset of each position.
template <class Visit>
void for_each_outer(const DimList& list, const Visit& visit) {
  if (list.count == 1) {
    return visit(int64_t{0});
  }
  int64_t index[64] = {};
  int64_t offset = 0;
  while (true) {
    visit(offset);
    int d = 1;
    for (; d < list.count; ++d) {
      offset += list.dims[d].in_stride;
      if (++index[d] < list.dims[d].size) {
        break;
      }
      offset -= list.dims[d].in_stride * list.dims[d].size;
      index[d] = 0;
    }
    if (d >= list.count) {
      return;
    }
  }
}

// Folds a run of `count` neighboring outputs that starts at `in`. `base` is the offset along the
// innermost reduced dimension.
void accumulate(
    const ReduceJob& job, const DimList& reds, void* acc, const char* in, int64_t count,
    int64_t base) {
  const ReduceKernel& k = job.kernel;
  const int64_t out_step = job.outs.dims[0].in_stride;
  const ReduceDim red = reds.dims[0];
  k.init(acc, count);
  const bool by_rows = count > 1 && out_step == 1 && red.in_stride != 1;
  for_each_outer(reds, [&](int64_t offset) {
    const char* p = in + offset * k.element_size;
    if (by_rows) {
      k.outer(acc, p, count, red.size, red.in_stride, base, job.param);
    } else {
      k.inner(acc, p, count, out_step, red.size, red.in_stride, base, job.param);
    }
  });
}

struct OutputRun {
  int64_t count;
  int64_t in = 0;
  int64_t out = 0;
  int64_t out2 = 0;
};

// Handles the outputs starting at `index` that differ only in the innermost output position.
OutputRun locate(const DimList& outs, int64_t index, int64_t end) {
  const int64_t first = index % outs.dims[0].size;
  OutputRun run{std::min({kReduceChunk, outs.dims[0].size - first, end - index})};
  for (int d = 0; d < outs.count; ++d) {
    const int64_t i = index % outs.dims[d].size;
    index /= outs.dims[d].size;
    run.in += i * outs.dims[d].in_stride;
    run.out += i * outs.dims[d].out_stride;
    run.out2 += i * outs.dims[d].out2_stride;
  }
  return run;
}

void store_run(const ReduceJob& job, const OutputRun& run, const void* acc) {
  const ReduceDim& o = job.outs.dims[0];
  job.sink.store(
      job.sink, acc, run.count, job.out + run.out * job.out_size, o.out_stride,
      job.out2 ? job.out2 + run.out2 * job.out2_size : nullptr, o.out2_stride);
}

void run_outputs(const ReduceJob& job, int64_t begin, int64_t end) {
  alignas(64) char acc[kReduceChunk * kMaxAccumulator];
  while (begin < end) {
    const OutputRun run = locate(job.outs, begin, end);
    accumulate(job, job.reds, acc, job.in + run.in * job.kernel.element_size, run.count, 0);
    store_run(job, run, acc);
    begin += run.count;
  }
}

// Few outputs, long reductions: each task folds a slice of the longest reduced dimension.
void run_split(const ReduceJob& job, int64_t outputs, int64_t tasks) {
  int longest = 0;
  for (int d = 1; d < job.reds.count; ++d) {
    if (job.reds.dims[d].size > job.reds.dims[longest].size) {
      longest = d;
    }
  }
  const ReduceDim split = job.reds.dims[longest];
  tasks = std::min(tasks, split.size);
  const int64_t slice = (split.size + tasks - 1) / tasks;
  tasks = (split.size + slice - 1) / slice;
  const ReduceKernel& k = job.kernel;
  const int64_t row = outputs * k.acc_size;
  std::vector<char> partial(static_cast<size_t>(tasks * row));
  at::parallel_for(0, tasks, 1, [&](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) {
      DimList reds = job.reds;
      reds.dims[longest].size = std::min(slice, split.size - t * slice);
      const int64_t shift = t * slice * split.in_stride;
      const int64_t base = longest == 0 ? t * slice : 0;
      for (int64_t i = 0; i < outputs;) {
        const OutputRun run = locate(job.outs, i, outputs);
        accumulate(
            job, reds, &partial[t * row + i * k.acc_size],
            job.in + (run.in + shift) * k.element_size, run.count, base);
        i += run.count;
      }
    }
  });
  for (int64_t t = 1; t < tasks; ++t) {
    k.combine(partial.data(), &partial[t * row], outputs);
  }
  for (int64_t i = 0; i < outputs;) {
    const OutputRun run = locate(job.outs, i, outputs);
    store_run(job, run, &partial[i * k.acc_size]);
    i += run.count;
  }
}

// Many rows of adjacent outputs: giving whole rows to threads reads memory in order.
bool folds_tall_rows(const ReduceJob& job, int64_t outputs, int64_t threads) {
  constexpr int64_t kRowsWorthASplit = 128;
  constexpr int64_t kOutputsAtMost = 1 << 14;
  return job.reds.count == 1 && job.outs.count == 1 && job.outs.dims[0].in_stride == 1 &&
      job.reds.dims[0].in_stride > 1 && outputs <= kOutputsAtMost &&
      job.reds.dims[0].size >= threads * kRowsWorthASplit;
}

void run(const ReduceJob& job) {
  const int64_t outputs = job.outs.numel();
  const int64_t length = job.reds.numel();
  if (outputs == 0) {
    return;
  }
  const int64_t threads = at::get_num_threads();
  const int64_t work = outputs * std::max<int64_t>(length, 1);
  if (work < at::internal::GRAIN_SIZE || threads == 1 || at::in_parallel_region()) {
    run_outputs(job, 0, outputs);
  } else if (
      !folds_tall_rows(job, outputs, threads) &&
      (outputs >= threads * kReduceChunk || length < at::internal::GRAIN_SIZE)) {
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(length, 1));
    at::parallel_for(0, outputs, grain, [&](int64_t b, int64_t e) { run_outputs(job, b, e); });
  } else {
    run_split(job, outputs, threads);
  }
}

} // namespace

void reduce_geometry(
    const TensorBase& in, DimMask mask, const TensorBase& out, const TensorBase& out2,
    DimList& outs, DimList& reds) {
  const int64_t ndim = in.dim();
  const bool kept = out.dim() == ndim;
  int64_t o = out.dim();
  bool empty = false;
  for (int64_t d = ndim - 1; d >= 0; --d) {
    const int64_t size = in.size(d);
    const bool reduced = mask[d];
    if (kept || !reduced) {
      --o;
    }
    if (size == 1) {
      continue;
    }
    if (reduced) {
      empty = empty || size == 0;
      reds.insert({size, in.stride(d), 0, 0});
    } else {
      outs.insert({size, in.stride(d), out.stride(o), out2.defined() ? out2.stride(o) : 0});
    }
  }
  outs.coalesce();
  reds.coalesce();
  if (outs.count == 0) {
    outs.dims[outs.count++] = {1, 0, 0, 0};
  }
  if (reds.count == 0 || empty) {
    reds.count = 1;
    // A step of zero makes neighboring outputs fold together, as rows.
    reds.dims[0] = {empty ? 0 : 1, 0, 0, 0};
  }
}

void reduce_dims(
    const ReduceKernel& kernel, const ReduceSink& sink, const TensorBase& in, DimMask mask,
    const TensorBase& out, const TensorBase& out2, double param) {
  if (kernel.on_device != nullptr) {
    return kernel.on_device(sink, in, mask, out, out2, param);
  }
  ReduceJob job{
      kernel,
      sink,
      static_cast<const char*>(in.const_data_ptr()),
      static_cast<char*>(out.mutable_data_ptr()),
      out2.defined() ? static_cast<char*>(out2.mutable_data_ptr()) : nullptr,
      static_cast<int64_t>(out.element_size()),
      out2.defined() ? static_cast<int64_t>(out2.element_size()) : 0,
      param,
      {},
      {}};
  reduce_geometry(in, mask, out, out2, job.outs, job.reds);
  run(job);
}

void reduce_flat(
    const ReduceKernel& kernel, const ReduceSink& sink, const TensorBase& in, const TensorBase& out,
    const TensorBase& out2, double param) {
  if (kernel.on_device != nullptr) {
    return kernel.on_device(sink, in, DimMask().set(), out, out2, param);
  }
  const int64_t n = in.numel();
  const auto* from = static_cast<const char*>(in.const_data_ptr());
  auto* to = static_cast<char*>(out.mutable_data_ptr());
  auto* to2 = out2.defined() ? static_cast<char*>(out2.mutable_data_ptr()) : nullptr;
  if (n >= at::internal::GRAIN_SIZE && at::get_num_threads() > 1 && !at::in_parallel_region()) {
    ReduceJob job{kernel, sink, from, to, to2, 0, 0, param, {}, {}};
    job.outs.dims[job.outs.count++] = {1, 0, 0, 0};
    job.reds.dims[job.reds.count++] = {n, 1, 0, 0};
    run_split(job, 1, at::get_num_threads());
    return;
  }
  alignas(64) char acc[kMaxAccumulator];
  kernel.init(acc, 1);
  kernel.inner(acc, from, 1, 0, n, 1, 0, param);
  sink.store(sink, acc, 1, to, 0, to2, 0);
}

void reduce_all(
    const ReduceKernel& kernel, const ReduceSink& sink, const TensorBase& in, const TensorBase& out,
    double param) {
  if (in.is_contiguous() || in.is_non_overlapping_and_dense()) {
    reduce_flat(kernel, sink, in, out, TensorBase(), param);
  } else {
    reduce_dims(kernel, sink, in, DimMask().set(), out, param);
  }
}

} // namespace at::native
