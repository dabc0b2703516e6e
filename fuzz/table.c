/* table.c -- Any bytes as a table; may fail, must not crash. */
#include "fuzz.h"
#include "tables/table_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table t;
	struct problem p;
	FILE *f = fuzz_stream(data, size);
	if (f) {
		if (table_read(&t, f, "fuzz.csv", &p) == 0)
			table_free(&t);
		fclose(f);
	}
	return 0;
}
