/* installed.c -- Finds all plugins on the search path and asks for their
 * declarations. */
#include "plugin/installed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file/searchpath.h"
#include "base/folder.h"
#include "plugin/loader.h"

struct search {
	struct installed *out;
	struct names seen; /* names in earlier folders */
};

/* Adds FOLDER/OWN/NAME.so, or FOLDER/NAME.so if own is NULL, to the list; or to
 * the shadowed files if an earlier folder has a plugin of that name. */
static int add_file(struct search *s, const char *folder, const char *own,
		    const char *name)
{
	struct installed *l = s->out;
	char *file;
	if (asprintf(&file, "%s/%s%s%s.so", folder, own ? own : "",
		     own ? "/" : "", name) < 0)
		return -1;
	if (names_have(&s->seen, name)) {
		int rc = names_add(&l->shadowed, file);
		free(file);
		return rc;
	}
	struct plugin_query *q = realloc(l->plugin, (l->n + 1) * sizeof *q);
	if (!q) {
		free(file);
		return -1;
	}
	l->plugin = q;
	q[l->n++] = (struct plugin_query){.file = file};
	return 0;
}

/* Adds the names of folders NAME with a file NAME.so. */
static int add_folders(struct names *names, const char *folder)
{
	struct dirent **entry;
	int n = folder_list(folder, NULL, &entry), rc = 0;
	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;
		char *file;
		if (rc == 0 && name[0] != '.' &&
		    (rc = asprintf(&file, "%s/%s/%s.so", folder, name, name)) >=
			0) {
			rc = access(file, R_OK) == 0 ? names_add(names, name)
						     : 0;
			free(file);
		}
		free(entry[i]);
	}
	free(entry);
	return rc;
}

static int add_folder(struct search *s, const char *folder)
{
	struct names names = {0}, own = {0};
	int rc = names_add_files(&names, folder, ".so");
	if (rc == 0)
		rc = add_folders(&own, folder);
	for (size_t i = 0; rc == 0 && i < own.n; i++)
		rc = add_file(s, folder, own.item[i], own.item[i]);
	for (size_t i = 0; rc == 0 && i < own.n; i++)
		rc = names_add(&s->seen, own.item[i]);
	names_free(&own);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		rc = add_file(s, folder, NULL, names.item[i]);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		rc = names_add(&s->seen, names.item[i]);
	names_free(&names);
	return rc;
}

int installed_ask(struct installed *l, struct problem *p)
{
	struct searchpath path;
	struct search s = {.out = l};
	int rc = plugin_folders(&path, plugin_path());
	for (size_t i = 0; rc == 0 && i < path.folder.n; i++)
		rc = add_folder(&s, path.folder.item[i]);
	searchpath_free(&path);
	names_free(&s.seen);
	if (rc < 0)
		return problem_no_memory(p);
	return plugin_ask_all(l->plugin, l->n, JOB_ANSWER_LIMIT_S, p);
}

int installed_with_id(char **file, const char *id, struct problem *p)
{
	struct installed l = {0};
	*file = NULL;
	int rc = installed_ask(&l, p);
	for (size_t i = 0; rc == 0 && i < l.n; i++) {
		const struct plugin_query *q = &l.plugin[i];
		if (q->problem.code != EXIT_DONE || !q->about.is.id ||
		    strcmp(q->about.is.id, id))
			continue;
		if (*file)
			rc =
			    problem_set(p, EXIT_USAGE,
					"%s and %s both have the id %s; remove "
					"one",
					*file, q->file, id);
		else if (!(*file = strdup(q->file)))
			rc = problem_no_memory(p);
	}
	if (rc == 0 && !*file)
		rc = problem_set(p, EXIT_USAGE,
				 "no installed plugin has the id %s; `stepcost "
				 "plugins list` has all",
				 id);
	installed_free(&l);
	if (rc < 0) {
		free(*file);
		*file = NULL;
	}
	return rc;
}

void installed_free(struct installed *l)
{
	for (size_t i = 0; i < l->n; i++) {
		plugin_description_free(&l->plugin[i].about);
		free((char *)(uintptr_t)l->plugin[i].file);
	}
	free(l->plugin);
	names_free(&l->shadowed);
	*l = (struct installed){0};
}

const char *installed_with(char *buf, size_t size, uint32_t capabilities)
{
	struct installed l = {0};
	struct problem unused;
	size_t used = 0;
	snprintf(buf, size, "none");
	int rc = installed_ask(&l, &unused);
	for (size_t i = 0; rc == 0 && i < l.n && used < size; i++) {
		const sc_plugin *is = &l.plugin[i].about.is;
		if (l.plugin[i].problem.code != EXIT_DONE ||
		    (is->capabilities & capabilities) != capabilities)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 used ? ", " : "", is->name);
	}
	installed_free(&l);
	return buf;
}
