#pragma once
// Names of TH: the functions of an element type have its name in theirs, such as
// THFloatTensor_zero. The preprocessor makes these names while a file is expanded for each type
// (see THGenerateFloatTypes.h).

#define TH_API extern "C" __attribute__((visibility("default")))

#define TH_CONCAT_2_EXPAND(a, b) a##b
#define TH_CONCAT_3_EXPAND(a, b, c) a##b##c
#define TH_CONCAT_4_EXPAND(a, b, c, d) a##b##c##d
#define TH_CONCAT_2(a, b) TH_CONCAT_2_EXPAND(a, b)
#define TH_CONCAT_3(a, b, c) TH_CONCAT_3_EXPAND(a, b, c)
#define TH_CONCAT_4(a, b, c, d) TH_CONCAT_4_EXPAND(a, b, c, d)
