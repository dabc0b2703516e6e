/* libFuzzer target: any bytes as a table; may fail, must not crash. */
#include <stdint.h>
#include <stdio.h>
#include "tables/table_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table t;
	struct problem p;
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	if (f) {
		if (table_read(&t, f, "fuzz.csv", NULL, &p) == 0)
			table_free(&t);
		fclose(f);
	}
	return 0;
}
