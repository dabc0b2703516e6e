/* base/file/path.h -- tests on file names.  Knows nothing of the rest of the
 * program. */
#pragma once
#include <string.h>

/* Returns 1 if the path ends in `end` ("x.csv" in ".csv") and is longer. */
static inline int path_ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n > m && !strcmp(path + n - m, end);
}
