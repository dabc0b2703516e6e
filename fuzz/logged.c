/* logged.c -- Any bytes as the steps that an engine tells.  May be refused,
 * must not crash; rows that were written are read back. */
#include <stdlib.h>
#include <string.h>
#include "cost/steps.h"
#include "fuzz.h"
#include "steps/logged.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct logged l = {.context_tokens = size % 2 ? 100 : 0};
	struct problem p = {0};
	struct steps s;
	char *text = fuzz_text(data, size, 1 << 16), *rows = NULL;
	size_t n;
	if (!text)
		return 0;
	FILE *f = open_memstream(&rows, &n);
	int rc = logged_write(&l, text, strlen(text), "f", f, &p);
	fclose(f);
	if (rc < 0 && !p.text[0])
		abort();
	f = fmemopen(rows, n, "r");
	if (rc == 0 && (steps_read(&s, f, "f", NULL, &p) < 0 || s.n != l.n))
		abort();
	if (rc == 0)
		steps_free(&s);
	fclose(f);
	free(rows);
	free(text);
	return 0;
}
