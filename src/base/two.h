/* base/two.h -- two numbers that lie side by side, computed at once: of a loop
 * over doubles no compiler makes vectors that must keep the order of a sum. */
#ifndef SC_BASE_TWO_H
#define SC_BASE_TWO_H
#include <stdint.h>

typedef double two_doubles
    __attribute__((vector_size(16), aligned(8), may_alias));
/* What a comparison of those is: 0 or -1 each. */
typedef int64_t two_words
    __attribute__((vector_size(16), aligned(8), may_alias));
#endif
