/* math/holm.h -- p-values of several tests at once (Holm, A simple sequentially
 * rejective multiple test procedure, 1979).  [any thread] */
#pragma once
#include <stddef.h>

/* adjusted[n]: for the tests in the order of (p, index), the greatest of
 * min(1, (n - j) p_j) over j up to the own place, j from 0.  A p that is NaN
 * counts as 1.  Returns 0, or -1 if memory is out. */
int holm_adjust(const double *p, size_t n, double *adjusted);
