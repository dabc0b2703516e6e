/* scratch.h -- a folder of a test's own, for files it writes; gone when the
 * test ends. */
#ifndef T_SCRATCH_H
#define T_SCRATCH_H
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"

static char scratch[] = "/tmp/stepcost-test-XXXXXX";

/* The path of a name in it; good until it was asked for seven others. */
__attribute__((unused)) static const char *scratch_path(const char *name)
{
	static char path[8][400];
	static int at;
	at = (at + 1) % 8;
	snprintf(path[at], sizeof path[at], "%s/%s", scratch, name);
	return path[at];
}

/* A folder "a/b" in it, with those that it lies in; returns its path. */
__attribute__((unused)) static const char *scratch_folder(const char *name)
{
	char part[300];
	for (const char *s = strchr(name, '/'); s; s = strchr(s + 1, '/')) {
		snprintf(part, sizeof part, "%.*s", (int)(s - name), name);
		mkdir(scratch_path(part), 0777);
	}
	mkdir(scratch_path(name), 0777);
	return scratch_path(name);
}

/* Writes a file "a/b" into a folder that is there; returns its path. */
__attribute__((unused)) static const char *scratch_file(const char *name,
							const char *text)
{
	const char *path = scratch_path(name);
	FILE *f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		bail_out(path);
	return path;
}

static void scratch_remove(const char *path)
{
	char inside[600];
	DIR *d = opendir(path);
	for (struct dirent *entry; d && (entry = readdir(d));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
		if (remove(inside) < 0)
			scratch_remove(inside);
	}
	if (d)
		closedir(d);
	remove(path);
}

static void scratch_close(void)
{
	scratch_remove(scratch);
}
static void scratch_open(void)
{
	if (!mkdtemp(scratch) || atexit(scratch_close))
		bail_out("mkdtemp");
}
#endif
