/* base/two.h -- arithmetic on two neighbouring numbers at once.  Compilers do
 * not vectorize a loop over doubles that must keep the order of a sum. */
#pragma once
#include <stdint.h>

typedef double two_doubles
    __attribute__((vector_size(16), aligned(8), may_alias));
/* Result of a comparison of two_doubles: 0 or -1 each. */
typedef int64_t two_words
    __attribute__((vector_size(16), aligned(8), may_alias));
