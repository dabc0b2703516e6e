/* points.c -- Any bytes as kernel points; may fail, must not crash. */
#include "fuzz.h"
#include "cost/kernels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernels s;
	struct problem p;
	FILE *f = fuzz_stream(data, size);
	if (f) {
		if (kernels_read(&s, f, "fuzz.csv", &p) == 0)
			kernels_free(&s);
		fclose(f);
	}
	return 0;
}
