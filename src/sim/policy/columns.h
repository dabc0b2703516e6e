/* sim/policy/columns.h -- operations of policies on a column of numbers, one
 * number per running request.
 *
 * They use vectors by hand, because gcc -O2 does not vectorize a loop of
 * unknown length.  The rest behind the last full vector is handled without a
 * loop, because a processor would mispredict its length.  So COLUMNS_PAD places
 * behind a column are read and written as well; columns_plus() leaves there
 * what its own column had. */
#pragma once
#include <stdint.h>

typedef uint32_t column_four
    __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t column_four_signed
    __attribute__((vector_size(16), aligned(4), may_alias));
enum { COLUMNS_PAD = 8 };

typedef int64_t column_two __attribute__((vector_size(16)));
typedef uint64_t column_two_long
    __attribute__((vector_size(16), aligned(8), may_alias));

/* to[i] = x[i] + by; to may be x. */
static inline void columns_plus(uint32_t *to, const uint32_t *x, uint32_t n,
				uint32_t by)
{
	static const uint32_t all[2 * COLUMNS_PAD] = {~0u, ~0u, ~0u, ~0u,
						      ~0u, ~0u, ~0u, ~0u};
	const uint32_t *rest = all + COLUMNS_PAD - n % COLUMNS_PAD;
	uint32_t i = 0;
	for (; i + 8 <= n; i += 8) {
		*(column_four *)(to + i) = *(const column_four *)(x + i) + by;
		*(column_four *)(to + i + 4) =
		    *(const column_four *)(x + i + 4) + by;
	}
	for (uint32_t k = 0; k < 8; k += 4)
		*(column_four *)(to + i + k) =
		    *(const column_four *)(x + i + k) +
		    (*(const column_four *)(rest + k) & by);
}

/* Sets to[i] = x[i] + 1 in another column; the values behind its n are lost. */
static inline void columns_next(uint32_t *to, const uint32_t *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 8) {
		*(column_four *)(to + i) = *(const column_four *)(x + i) + 1;
		*(column_four *)(to + i + 4) =
		    *(const column_four *)(x + i + 4) + 1;
	}
}

/* Moves x[1] … x[4] down to x[0] … x[3]. */
static inline void columns_pull(uint32_t *x)
{
	*(column_four *)x = *(const column_four *)(x + 1);
}
static inline void columns_pull_long(uint64_t *x)
{
	*(column_two_long *)x = *(const column_two_long *)(x + 1);
	*(column_two_long *)(x + 2) = *(const column_two_long *)(x + 3);
}

/* Returns the first index from i on with x + 1 >= due, or n.  x < 2^31; a due
 * beyond that is never reached. */
static inline uint32_t columns_next_due(const uint32_t *x, const uint32_t *due,
					uint32_t i, uint32_t n)
{
	for (; i + 4 <= n; i += 4) {
		column_two late = (column_two)(*(const column_four_signed
						     *)(const void *)(x + i) >=
					       *(const column_four_signed
						     *)(const void *)(due + i) -
						   1);
		if (late[0] | late[1])
			break;
	}
	while (i < n && x[i] + 1 < due[i])
		i++;
	return i;
}
