/* measured.c -- Any bytes as a file of measured runs, CSV or JSON as it begins;
 * before a line "==" an alias file.  May be refused, must not crash; what was
 * read is of the file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "validate/measured_read.h"

static void read_file(const char *path, const struct ini *aliases)
{
	struct measured m = {0};
	struct problem p;
	if (measured_read(&m, path, aliases, &p) == 0)
		for (size_t i = 0; i < m.n; i++)
			if (strcmp(m.row[i].file, path) != 0)
				abort();
	measured_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH];
	struct ini aliases;
	struct problem p;
	size_t from, head = fuzz_split(data, size, &from);
	int named =
	    head && ini_read(&aliases, (const char *)data, head, &p) == 0;
	int fd = fuzz_file(data + from, size - from, path);
	if (fd >= 0) {
		read_file(path, named ? &aliases : NULL);
		close(fd);
	}
	if (named)
		ini_free(&aliases);
	return 0;
}
