/* fuzz.c -- Bytes as a text, a file, or files of a folder, for fuzz targets. */
#include "fuzz.h"
#include <fcntl.h>
#include <ftw.h>
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

/* All of the bytes, whatever a write takes at a time. */
static void fill(int fd, const uint8_t *data, size_t size)
{
	for (ssize_t n; size; data += n, size -= (size_t)n)
		if ((n = write(fd, data, size)) <= 0)
			abort();
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[40];
	static int fd = -1;
	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	fill(fd, data, size);
	return path;
}

size_t fuzz_split(const uint8_t *data, size_t size, size_t *second)
{
	static const char line[] = "\n==\n";
	const uint8_t *at = memmem(data, size, line, sizeof line - 1);
	size_t first = at ? (size_t)(at - data) + 1 : 0;
	*second = at ? first + sizeof line - 2 : 0;
	return first;
}

static char top[200];
static pid_t owner; /* children leave the folder alone */

static int remove_one(const char *path, const struct stat *is, int kind,
		      struct FTW *at)
{
	(void)is, (void)kind, (void)at;
	return remove(path);
}

static void remove_folder(void)
{
	if (getpid() == owner)
		nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
	const char *within = getenv("TMPDIR");
	if (top[0])
		return top;
	snprintf(top, sizeof top, "%s/fuzz-XXXXXX", within ? within : "/tmp");
	if (!mkdtemp(top))
		abort();
	owner = getpid();
	atexit(remove_folder);
	return top;
}

static int make_file(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

void fuzz_put(const char *name, const uint8_t *data, size_t size)
{
	char path[300];
	int n = snprintf(path, sizeof path, "%s/", fuzz_folder());
	snprintf(path + n, sizeof path - (size_t)n, "%s", name);
	int fd = make_file(path);
	for (char *s = path + n; fd < 0 && (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		mkdir(path, 0700);
	}
	if (fd < 0)
		fd = make_file(path);
	if (fd < 0)
		abort();
	fill(fd, data, size);
	close(fd);
}

void fuzz_put_data(const char *name, const char *text)
{
	char path[300];
	snprintf(path, sizeof path, "%s/data", fuzz_folder());
	setenv("STEPCOST_DATA_PATH", path, 1);
	setenv("HOME", path, 1);
	unsetenv("XDG_DATA_HOME");
	snprintf(path, sizeof path, "data/%s", name);
	fuzz_put(path, (const uint8_t *)text, strlen(text));
}
