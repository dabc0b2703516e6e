/* stepcost/kernel/version.h -- header-only helper: how many versions of an
 * engine lie between two names of it. */
#ifndef SC_VERSION_H
#define SC_VERSION_H
#include <ctype.h>
#include <stdlib.h>

enum { SC_VERSION_NUMBERS = 4 };

/* Reads the numbers of a name: "vllm-0.24" has 0 and 24.  -1: no more numbers.
 * NULL: none. */
static inline void sc_version_of(const char *name,
				 double version[SC_VERSION_NUMBERS])
{
	const char *at = name ? name : "";
	int n = 0;
	for (int i = 0; i < SC_VERSION_NUMBERS; i++)
		version[i] = -1;
	while (*at && n < SC_VERSION_NUMBERS) {
		char *end;
		if (!isdigit((unsigned char)*at)) {
			at++;
			continue;
		}
		version[n++] = (double)strtoull(at, &end, 10);
		at = end;
	}
}

/* Returns the difference between the first numbers that differ: 9 from 0.15 to
 * 0.24.  0: the numbers that both have are alike.  -1: one has none, or is a
 * date. */
static inline double sc_versions_between(const double a[SC_VERSION_NUMBERS],
					 const double b[SC_VERSION_NUMBERS])
{
	const double first_year = 2000;
	if (a[0] < 0 || b[0] < 0 || a[0] >= first_year || b[0] >= first_year)
		return -1;
	for (int i = 0; i < SC_VERSION_NUMBERS && a[i] >= 0 && b[i] >= 0; i++)
		if (a[i] > b[i] || a[i] < b[i])
			return a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
	return 0;
}
#endif
