/* steps.c -- Any bytes as given steps; may fail, must not crash. */
#include "fuzz.h"
#include "cost/steps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct steps s;
	struct problem p;
	FILE *f = fuzz_stream(data, size);
	if (f) {
		if (steps_read(&s, f, "fuzz.csv", &p) == 0)
			steps_free(&s);
		fclose(f);
	}
	return 0;
}
