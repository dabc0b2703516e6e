/* cachefolder.c -- Finds and makes the user's folder for what can be made
 * again. */
#include <config.h>
#include "tables/cachefolder.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Makes a folder and those around it, as the XDG base directory specification
 * wants them: for the user alone. */
static int make_folders(char *path)
{
	for (char *at = path + 1;; at++) {
		if (*at != '/' && *at)
			continue;
		char end = *at;
		*at = '\0';
		int rc = mkdir(path, 0700);
		*at = end;
		if (rc < 0 && errno != EEXIST)
			return -1;
		if (!end)
			return 0;
	}
}

char *cachefolder_open(const char *sub)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path = NULL;
	struct stat st;
	int n = -1;
	if (cache && *cache == '/')
		n = asprintf(&path, "%s/" PACKAGE "/%s", cache, sub);
	else if (home && *home == '/')
		n = asprintf(&path, "%s/.cache/" PACKAGE "/%s", home, sub);
	if (n < 0)
		return NULL;
	int there = stat(path, &st) == 0 || make_folders(path) == 0;
	if (there)
		return path;
	free(path);
	return NULL;
}
