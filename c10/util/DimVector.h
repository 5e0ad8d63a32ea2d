#pragma once
#include <c10/core/DimVector.h>
