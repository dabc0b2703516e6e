/* fuzz.c -- Bytes as a text, a file, or files of a folder, for fuzz targets. */
#define _GNU_SOURCE
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

char *fuzz_text(const uint8_t *data, size_t size, size_t most)
{
	if (size > most || memchr(data, '\0', size))
		return NULL;
	char *text = malloc(size + 1);
	if (text) {
		memcpy(text, data, size);
		text[size] = '\0';
	}
	return text;
}

int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
	if (write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return -1;
	}
	return fd;
}

size_t fuzz_split(const uint8_t *data, size_t size, size_t *second)
{
	static const char line[] = "\n==\n";
	const uint8_t *at = memmem(data, size, line, sizeof line - 1);
	size_t first = at ? (size_t)(at - data) + 1 : 0;
	*second = at ? first + sizeof line - 2 : 0;
	return first;
}

const char *fuzz_folder(void)
{
	static char top[200];
	const char *within = getenv("TMPDIR");
	if (top[0])
		return top;
	snprintf(top, sizeof top, "%s/fuzz-XXXXXX", within ? within : "/tmp");
	if (!mkdtemp(top))
		abort();
	return top;
}

void fuzz_put(const char *name, const uint8_t *data, size_t size)
{
	char path[300];
	int n = snprintf(path, sizeof path, "%s/", fuzz_folder());
	snprintf(path + n, sizeof path - (size_t)n, "%s", name);
	for (char *s = path + n; (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		mkdir(path, 0700);
	}
	FILE *f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
		abort();
}
