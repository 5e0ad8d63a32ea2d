#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "TH/generic/THTensor.cpp"
#else

scalar_t* THTensor_(data)(const THTensor* self) {
  return th::checked_data<scalar_t>(self);
}

int64_t THTensor_(nElement)(const THTensor* self) {
  return self->numel();
}

int64_t THTensor_(nDimension)(const THTensor* self) {
  return self->dim();
}

int64_t THTensor_(size)(const THTensor* self, int64_t dim) {
  return self->size(dim);
}

int64_t THTensor_(stride)(const THTensor* self, int64_t dim) {
  return self->stride(dim);
}

bool THTensor_(isContiguous)(const THTensor* self) {
  return self->is_contiguous();
}

THTensor* THTensor_(newContiguous)(THTensor* self) {
  return th::tensor(self).contiguous().unsafeReleaseTensorImpl();
}

void THTensor_(free)(THTensor* self) {
  th::Owned::reclaim(self); // a temporary, which drops the reference
}

void THTensor_(resizeAs)(THTensor* self, const THTensor* other) {
  THTensor_(resizeNd)(self, other->sizes());
}

void THTensor_(resizeNd)(THTensor* self, c10::IntArrayRef sizes) {
  th::tensor(self).resize_(sizes);
}

void THTensor_(set)(THTensor* self, THTensor* other) {
  th::tensor(self).set_(th::tensor(other));
}

void THTensor_(copy)(THTensor* self, THTensor* other) {
  th::tensor(self).copy_(th::tensor(other));
}

void THTensor_(zero)(THTensor* self) {
  THTensor_(fill)(self, 0);
}

void THTensor_(fill)(THTensor* self, scalar_t value) {
  th::tensor(self).fill_(value);
}

accreal THTensor_(sumall)(THTensor* self) {
  const th::Elements<scalar_t> elements(self);
  accreal sum = 0;
  for (const scalar_t value : elements) {
    sum += value;
  }
  return sum;
}

#endif
