#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/HardTanh.c"
#else

void THNN_(HardTanh_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, accreal min_val, accreal max_val,
    bool inplace) {
  const auto least = static_cast<scalar_t>(min_val), greatest = static_cast<scalar_t>(max_val);
  const auto clamp = [=](scalar_t x) { return x < least ? least : x > greatest ? greatest : x; };
  if (inplace) {
    th::apply_inplace<scalar_t>(output, clamp, input);
  } else {
    th::apply<scalar_t>(output, clamp, input);
  }
}

void THNN_(HardTanh_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput, accreal min_val,
    accreal max_val, bool inplace) {
  const auto least = static_cast<scalar_t>(min_val), greatest = static_cast<scalar_t>(max_val);
  const auto slope = [=](scalar_t x, scalar_t grad) {
    return x <= least || x >= greatest ? scalar_t(0) : grad;
  };
  th::apply<scalar_t>(gradInput, slope, input, gradOutput);
}

#endif
