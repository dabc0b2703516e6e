/* archive.c -- Any bytes as an archive; its members lie within the bytes, have
 * names that stay below a folder, and are the same when they are written and
 * read again. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "base/file/archive.h"

static void check_member(const struct archive_member *m, const char *bytes,
			 size_t n)
{
	size_t at = (size_t)(m->bytes - bytes);
	if (m->bytes < bytes || at > n || m->n > n - at || m->name[0] == '/' ||
	    !strncmp(m->name, "../", 3) || strstr(m->name, "/../"))
		abort();
}

static void write_and_read(const struct archive *a)
{
	struct archive copy = {0}, again;
	struct problem p;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return;
	for (size_t i = 0; i < a->n; i++)
		if (archive_add(&copy, a->item[i].name, a->item[i].bytes,
				a->item[i].n, &p) < 0)
			abort();
	archive_write(&copy, f);
	fclose(f);
	if (archive_read(&again, text, n, "written", &p) < 0 || again.n != a->n)
		abort();
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->item[i].name, again.item[i].name) != 0 ||
		    a->item[i].n != again.item[i].n ||
		    memcmp(a->item[i].bytes, again.item[i].bytes,
			   a->item[i].n) != 0)
			abort();
	archive_free(&again);
	archive_free(&copy);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct archive a;
	struct problem p;
	const char *bytes = (const char *)data;
	if (archive_read(&a, bytes, size, "fuzz", &p) == 0) {
		for (size_t i = 0; i < a.n; i++)
			check_member(&a.item[i], bytes, size);
		write_and_read(&a);
	}
	archive_free(&a);
	return 0;
}
