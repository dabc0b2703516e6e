/* libFuzzer target: any bytes as kernel points; may fail, must not crash. */
#include <stdint.h>
#include <stdio.h>
#include "cost/kernels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernels s;
	struct problem p;
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	if (f) {
		if (kernels_read(&s, f, "fuzz.csv", &p) == 0)
			kernels_free(&s);
		fclose(f);
	}
	return 0;
}
