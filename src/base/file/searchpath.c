/* searchpath.c -- Splits lists of folders. */
#include "base/file/searchpath.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int searchpath_add(struct searchpath *s, const char *folder)
{
	return names_add_new(&s->folder, folder);
}

static int add_folder(struct searchpath *s, const char *top, size_t len,
		      const char *sub)
{
	char *folder;
	if (len == 0)
		return 0;
	if (asprintf(&folder, "%.*s%s%s", (int)len, top, *sub ? "/" : "", sub) <
	    0)
		return -1;
	int rc = searchpath_add(s, folder);
	free(folder);
	return rc;
}

int searchpath_add_user(struct searchpath *s, const char *sub)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	char *folder;
	int n;
	if (data && *data == '/')
		n = asprintf(&folder, "%s/" PACKAGE "/%s", data, sub);
	else if (home && *home == '/')
		n = asprintf(&folder, "%s/.local/share/" PACKAGE "/%s", home,
			     sub);
	else
		return 0;
	if (n < 0)
		return -1;
	int rc = searchpath_add(s, folder);
	free(folder);
	return rc;
}

int searchpath_make(struct searchpath *s, const char *path, const char *last,
		    const char *sub)
{
	*s = (struct searchpath){0};
	int rc = 0;
	for (const char *at = path ? path : ""; rc == 0 && *at;) {
		size_t n = strcspn(at, ":");
		rc = add_folder(s, at, n, sub);
		at += n + (at[n] == ':');
	}
	if (rc == 0 && last)
		rc = add_folder(s, last, strlen(last), sub);
	if (rc < 0)
		searchpath_free(s);
	return rc;
}

int searchpath_make_user(struct searchpath *s, const char *path,
			 const char *user, const char *last, const char *sub)
{
	int is_whole = path && path[0] == '!';
	if (searchpath_make(s, path ? path + is_whole : NULL, NULL, sub) < 0)
		return -1;
	s->is_whole = is_whole;
	if (is_whole)
		return 0;
	if (searchpath_add_user(s, user) == 0 &&
	    add_folder(s, last, strlen(last), sub) == 0)
		return 0;
	searchpath_free(s);
	return -1;
}

void searchpath_free(struct searchpath *s)
{
	names_free(&s->folder);
}
