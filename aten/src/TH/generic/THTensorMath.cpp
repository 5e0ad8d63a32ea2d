#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "TH/generic/THTensorMath.cpp"
#else

void THTensor_(histc)(
    THTensor* result, THTensor* self, int64_t bins, accreal least, accreal greatest) {
  TORCH_CHECK(bins > 0, "histc: the number of bins must be positive, but is ", bins);
  TORCH_CHECK(
      least <= greatest, "histc: the limits are in the wrong order: ", least, ", ", greatest);
  const th::Elements<scalar_t> elements(self);
  if (least == greatest && elements.size() > 0) {
    const auto [lowest, highest] = std::minmax_element(elements.begin(), elements.end());
    least = *lowest;
    greatest = *highest;
  }
  if (least == greatest) { // all elements are equal
    least -= 1;
    greatest += 1;
  }
  TORCH_CHECK(
      std::isfinite(least) && std::isfinite(greatest), "histc: the limits must be finite: ", least,
      ", ", greatest);
  th::Results<scalar_t> counts(result, {bins});
  std::fill(counts.begin(), counts.end(), scalar_t(0));
  const accreal width = (greatest - least) / static_cast<accreal>(bins);
  for (const scalar_t value : elements) {
    if (value >= least && value <= greatest) {
      const auto bin = static_cast<int64_t>((value - least) / width);
      counts[std::min(bin, bins - 1)] += 1; // the last interval includes its upper limit
    }
  }
  counts.store();
}

void THTensor_(renorm)(THTensor* result, THTensor* self, accreal p, int64_t dim, accreal maxnorm) {
  TORCH_CHECK(p > 0, "renorm: the exponent must be positive, but is ", p);
  TORCH_CHECK(maxnorm >= 0, "renorm: the norm must not be negative, but is ", maxnorm);
  TORCH_CHECK(self->dim() > 1, "renorm: the tensor needs at least 2 dimensions");
  const th::Elements<scalar_t> elements(self);
  th::Results<scalar_t> scaled(result, self->sizes());
  const int64_t slices = self->size(dim);
  int64_t inner = 1;
  for (int64_t i = dim + 1; i < self->dim(); ++i) {
    inner *= self->size(i);
  }
  const auto slice_of = [&](int64_t index) { return index / inner % slices; };
  std::vector<accreal> factors(slices, 0);
  for (int64_t i = 0; i < elements.size(); ++i) {
    factors[slice_of(i)] += std::pow(std::abs(static_cast<accreal>(elements[i])), p);
  }
  for (accreal& factor : factors) {
    const accreal norm = std::pow(factor, 1 / p);
    factor = norm > maxnorm ? maxnorm / norm : 1;
  }
  for (int64_t i = 0; i < elements.size(); ++i) {
    scaled[i] = static_cast<scalar_t>(elements[i] * factors[slice_of(i)]);
  }
  scaled.store();
}

#endif
