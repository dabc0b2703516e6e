/* names.c -- Keeps lists of names. */
#include "base/names.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/folder.h"

/* Takes ownership of `copy`; NULL means that memory is out. */
static int add_copy(struct names *l, char *copy)
{
	if (copy && l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 8;
		const char **item = realloc(l->item, cap * sizeof *item);
		if (item) {
			l->item = item;
			l->cap = cap;
		}
	}
	if (!copy || l->n == l->cap) {
		free(copy);
		return -1;
	}
	l->item[l->n++] = copy;
	return 0;
}

int names_add(struct names *l, const char *name)
{
	return add_copy(l, strdup(name));
}

int names_add_lines(struct names *l, FILE *f)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	int rc = 0;
	while (rc == 0 && (n = getline(&line, &size, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		rc = names_add_new(l, line);
	}
	free(line);
	return feof(f) ? rc : -1;
}

int names_have(const struct names *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->item[i], name))
			return 1;
	return 0;
}

int names_add_new(struct names *l, const char *name)
{
	return names_have(l, name) ? 0 : names_add(l, name);
}

/* Adds "NAME" for a file "NAME.so" with suffix ".so"; ignores other files. */
static int add_file(struct names *l, const char *file, const char *suffix)
{
	size_t len = strlen(file), end = strlen(suffix);
	if (file[0] == '.' || len <= end || strcmp(file + len - end, suffix))
		return 0;
	char *name = strndup(file, len - end);
	if (name && names_have(l, name)) {
		free(name);
		return 0;
	}
	return add_copy(l, name);
}

int names_add_files(struct names *l, const char *folder, const char *suffix)
{
	struct dirent **entry;
	int n = folder_list(folder, NULL, &entry), rc = 0;
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = add_file(l, entry[i]->d_name, suffix);
		free(entry[i]);
	}
	free(entry);
	return rc;
}

const char *names_join(const struct names *l, char *buf, size_t size)
{
	static const char rest[] = ", ...";
	size_t used = 0;
	buf[0] = '\0';
	for (size_t i = 0; i < l->n; i++) {
		const char *before = i ? ", " : "";
		/* Leave room for the text that says that more names follow. */
		size_t more = i + 1 < l->n ? sizeof rest - 1 : 0;
		size_t n = strlen(before) + strlen(l->item[i]);
		if (used + n + more >= size) {
			snprintf(buf + used, size - used, "%s",
				 i ? rest : rest + 2);
			break;
		}
		snprintf(buf + used, size - used, "%s%s", before, l->item[i]);
		used += n;
	}
	return buf;
}

void names_free(struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free((char *)(uintptr_t)l->item[i]);
	free(l->item);
	*l = (struct names){0};
}

int name_is_tail(const char *tail, const char *name)
{
	size_t n = strlen(tail), m = strlen(name);
	return m > n && !strcmp(name + m - n, tail) &&
	       (name[m - n - 1] == '.' || name[m - n - 1] == ':');
}
