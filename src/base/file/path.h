/* base/file/path.h -- names of files.  Knows nothing of the rest of the
 * program. */
#pragma once
#include <string.h>

/* Returns 1 if the path ends in `end` ("x.csv" in ".csv") and is longer. */
static inline int path_ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n > m && !strcmp(path + n - m, end);
}
/* Returns the name behind the last slash; all of the path without one. */
static inline const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}
