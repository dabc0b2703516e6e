/* table.c -- A first line as the name of a file, the other bytes as a table of
 * it; may be refused, must not crash. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "tables/table_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table t;
	struct problem p;
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t head = end ? (size_t)(end - data) : 0;
	char *name = head ? fuzz_text(data, head, 100) : NULL;
	FILE *f = name ? fuzz_stream(end + 1, size - head - 1) : NULL;
	if (f) {
		if (table_read(&t, f, name, NULL, &p) == 0)
			table_free(&t);
		fclose(f);
	}
	free(name);
	return 0;
}
