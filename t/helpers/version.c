/* Versions of engines, by the numbers in their names. */
#include "stepcost/kernel/version.h"
#include <stddef.h>
#include "tap.h"

static double between(const char *one, const char *other)
{
	double a[SC_VERSION_NUMBERS], b[SC_VERSION_NUMBERS];
	sc_version_of(one, a);
	sc_version_of(other, b);
	return sc_versions_between(a, b);
}

int main(void)
{
	double v[SC_VERSION_NUMBERS];
	sc_version_of("1.3.0rc20.post2", v);
	ok(v[0] == 1 && v[1] == 3 && v[2] == 0 && v[3] == 20,
	   "numbers, at most four");
	ok(between("vllm-0.15", "vllm-0.24") == 9, "by the second number");
	ok(between("0.24", "0.15.1") == 9, "in either order");
	ok(between("0.5.6.post2", "sglang-0.5.14") == 8, "by the third");
	ok(between("0.24", "0.24.1") == 0, "numbers that only one has");
	ok(between("vllm", "vllm-0.24") == -1, "a name without a version");
	ok(between(NULL, "vllm-0.24") == -1, "no name");
	ok(between("vllm-2026-07", "vllm-0.24") == -1, "a date");
	return done();
}
