/* place.c -- Computes with paths. */
#include "base/file/place.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/text.h"

char *place_of(const char *path)
{
	char *cwd = *path == '/' ? strdup("") : getcwd(NULL, 0), *all = NULL;
	if (cwd && asprintf(&all, "%s/%s", cwd, path) < 0)
		all = NULL;
	free(cwd);
	char *to = all;
	for (char *s = all; s && *s;) {
		s += strspn(s, "/");
		size_t n = strcspn(s, "/");
		int is_up = n == 2 && s[0] == '.' && s[1] == '.';
		if (is_up)
			while (to > all && *--to != '/')
				;
		if (n && !is_up && !(n == 1 && *s == '.')) {
			*to++ = '/';
			memmove(to, s, n);
			to += n;
		}
		s += n;
	}
	if (all && to == all)
		*to++ = '/';
	if (to)
		*to = '\0';
	return all;
}

const char *place_below(const char *folder, const char *place)
{
	size_t n = strlen(folder);
	if (n == 1)
		return place[1] ? place + 1 : NULL;
	return !strncmp(place, folder, n) && place[n] == '/' ? place + n + 1
							     : NULL;
}

char *place_from(const char *from, const char *to)
{
	size_t same = 0, i = 0;
	for (; from[i] && from[i] == to[i]; i++)
		if (from[i] == '/')
			same = i + 1;
	if (!from[i] && to[i] == '/')
		same = i + 1;
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	if (strlen(from) > 1 && strlen(from) >= same) {
		fputs("../", f);
		for (const char *s = from + same; *s; s++)
			if (*s == '/')
				fputs("../", f);
	}
	fputs(to + same, f);
	return text_end(&t);
}
