/* base/path.h -- questions about the name of a file.  Knows nothing of the rest
 * of the program. */
#ifndef SC_BASE_PATH_H
#define SC_BASE_PATH_H
#include <string.h>

/* Whether a path ends so ("x.csv" in ".csv") and is more than that. */
static inline int path_ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n > m && !strcmp(path + n - m, end);
}
#endif
