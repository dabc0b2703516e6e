/* searchpath.c -- Splits and searches lists of folders. */
#include <config.h>
#include "base/searchpath.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes `text` over (NULL: out of memory). */
static int add(struct searchpath *s, char *text)
{
	for (size_t i = 0; text && i < s->n; i++)
		if (!strcmp(s->folder[i], text)) {
			free(text);
			return 0;
		}
	char **folder =
	    text ? realloc(s->folder, (s->n + 1) * sizeof *folder) : NULL;
	if (!folder) {
		free(text);
		return -1;
	}
	s->folder = folder;
	s->folder[s->n++] = text;
	return 0;
}

int searchpath_add(struct searchpath *s, const char *folder)
{
	return add(s, strdup(folder));
}

static int add_folder(struct searchpath *s, const char *top, size_t len,
		      const char *sub)
{
	char *folder;
	if (len == 0)
		return 0;
	if (asprintf(&folder, "%.*s%s%s", (int)len, top, *sub ? "/" : "", sub) <
	    0)
		folder = NULL;
	return add(s, folder);
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

void searchpath_free(struct searchpath *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->folder[i]);
	free(s->folder);
	*s = (struct searchpath){0};
}

int searchpath_names(struct searchpath *names, const char *folder,
		     const char *suffix)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, NULL, alphasort), rc = 0;
	size_t end = strlen(suffix);
	*names = (struct searchpath){0};
	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;
		size_t len = strlen(name);
		if (rc == 0 && name[0] != '.' && len > end &&
		    !strcmp(name + len - end, suffix))
			rc = add(names, strndup(name, len - end));
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	if (rc < 0)
		searchpath_free(names);
	return rc;
}
