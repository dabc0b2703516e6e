/* set.c -- Finds, lists and loads sets of tables. */
#include <config.h>
#include "tables/set.h"
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/nearest.h"
#include "setup/datafile.h"
#include "tables/infersim.h"
#include "tables/kind.h"

static const char no_memory[] = "out of memory";

static int read_manifest(struct table_set *s, const char *folder,
			 struct problem *p)
{
	char *path;
	if (asprintf(&path, "%s/MANIFEST", folder) < 0)
		return -1;
	int rc = 0;
	if (access(path, F_OK) == 0 || errno != ENOENT)
		rc = ini_load(&s->manifest, path, p);
	if (rc < 0 && p)
		p->code = EXIT_INPUT;
	for (size_t i = 0; rc == 0 && i < s->manifest.n; i++)
		if (s->manifest.item[i].section[0]) {
			problem_set(p, EXIT_INPUT,
				    "%s: sections have no place here",
				    s->manifest.item[i].at);
			rc = -1;
		}
	free(path);
	if (rc < 0)
		return -1;
	s->note = calloc(2 * s->manifest.n + 1, sizeof *s->note);
	for (size_t i = 0; s->note && i < s->manifest.n; i++) {
		s->note[2 * i] = s->manifest.item[i].key;
		s->note[2 * i + 1] = s->manifest.item[i].value;
	}
	return s->note ? 0 : -1;
}

/* ---- sets ---- */

static int is_folder(const char *path, const char *place, const char *set)
{
	char *folder;
	struct stat st;
	if (asprintf(&folder, "%s/%s%s", path, place, set) < 0)
		return 0;
	int yes = stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
	free(folder);
	return yes;
}

/* Where a set may stand in a folder: as one of its own, or InferSim's. */
static const char *const place[] = {"", "gemm/", "mha/decode/", "mha/prefill/"};
enum { N_PLACES = sizeof place / sizeof *place };

static int has_set(const char *path, const char *set)
{
	for (int i = 0; i < N_PLACES; i++)
		if (is_folder(path, place[i], set))
			return 1;
	return 0;
}

/* A table by the name of its op: other CSV files make no set. */
static int is_op(const struct dirent *d)
{
	for (int i = 0; i < n_table_kinds; i++) {
		size_t n = strlen(table_kind[i].op);
		if (!strncmp(d->d_name, table_kind[i].op, n) &&
		    !strcmp(d->d_name + n, ".csv"))
			return 1;
	}
	return 0;
}

/* Folders with a table in them; within: "", or one of InferSim's. */
static int add_sets(struct names *names, const char *path, const char *within)
{
	struct dirent **entry, **file;
	char *folder;
	int rc = 0;
	if (asprintf(&folder, "%s/%s", path, within) < 0)
		return -1;
	int n = scandir(folder, &entry, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char *inside;
		if (rc == 0 && entry[i]->d_name[0] != '.' &&
		    asprintf(&inside, "%s/%s", folder, entry[i]->d_name) >= 0) {
			int m =
			    scandir(inside, &file,
				    *within ? table_set_is_file : is_op, NULL);
			for (int k = 0; k < m; k++)
				free(file[k]);
			if (m >= 0)
				free(file);
			if (m > 0)
				rc = names_add_new(names, entry[i]->d_name);
			free(inside);
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	free(folder);
	return rc;
}

int set_names(struct names *names, const char *path)
{
	for (int i = 0; i < N_PLACES; i++)
		if (add_sets(names, path, place[i]) < 0)
			return -1;
	return 0;
}

static void no_set(const struct searchpath *s, const char *set,
		   struct problem *p)
{
	char hint[100], list[500], where[300];
	struct names known = {0};
	for (size_t i = 0; i < s->folder.n; i++)
		set_names(&known, s->folder.item[i]);
	problem_set(p, EXIT_USAGE,
		    "no set of tables '%s' in %s%s; there are: %s", set,
		    names_join(&s->folder, where, sizeof where),
		    nearest_of(set, &known, hint),
		    known.n ? names_join(&known, list, sizeof list) : "none");
	names_free(&known);
}

int set_folders(struct searchpath *s, const char *path, const char *written)
{
	int elsewhere =
	    written ? written[0] == '/' || written[0] == '.' : path != NULL;
	if (searchpath_make(s, path, NULL, "") < 0)
		return -1;
	if (!elsewhere &&
	    datafile_add_folders(s, written && written[0] ? written
							  : "bench_data") < 0) {
		searchpath_free(s);
		return -1;
	}
	return 0;
}

char *set_find(const char *path, const char *written, const char *set,
	       struct problem *p)
{
	struct searchpath s;
	char *found = NULL;
	if (set_folders(&s, path, written) < 0) {
		problem_set(p, EXIT_USAGE, "%s", no_memory);
		return NULL;
	}
	for (size_t i = 0; i < s.folder.n && !found; i++)
		if (set[0] && has_set(s.folder.item[i], set) &&
		    !(found = strdup(s.folder.item[i])))
			problem_set(p, EXIT_USAGE, "%s", no_memory);
	if (!found)
		no_set(&s, set, p);
	searchpath_free(&s);
	return found;
}

/* ---- loading ---- */

/* One CSV file of a folder of its own. */
static int load_file(struct table_set *s, const char *path, const char *file,
		     struct problem *p)
{
	char *name;
	struct table t;
	if (asprintf(&name, "%s/%s", s->name, file) < 0)
		return problem_set(p, EXIT_INPUT, "%s", no_memory);
	int rc = table_set_read(s, &t, path, name, p);
	if (rc == 0)
		rc = table_set_take(s, &t, p);
	free(name);
	return rc;
}

/* The CSV files of a folder of its own, and its MANIFEST. */
static int load_folder(struct table_set *s, const char *path,
		       const struct table_bad *bad, struct problem *p)
{
	struct dirent **file = NULL;
	char *folder;
	int rc = -1;
	if (asprintf(&folder, "%s/%s", path, s->name) < 0)
		return problem_set(p, EXIT_INPUT, "%s", no_memory);
	int n = scandir(folder, &file, table_set_is_file, alphasort);
	if (n <= 0)
		problem_set(p, EXIT_USAGE, "%s: %s", folder,
			    n ? strerror(errno) : "no .csv file");
	else
		rc = read_manifest(s, folder, p);
	for (int i = 0; rc == 0 && i < n; i++)
		rc = table_bad_tell(bad, load_file(s, path, file[i]->d_name, p),
				    p);
	for (int i = 0; i < n; i++)
		free(file[i]);
	if (n >= 0)
		free(file);
	free(folder);
	return rc;
}

static int make_view(struct table_set *s, struct problem *p)
{
	s->view = calloc(s->n + 1, sizeof *s->view);
	if (!s->view)
		return problem_set(p, EXIT_INPUT, "%s", no_memory);
	for (uint32_t i = 0; i < s->n; i++) {
		s->table[i]->view.set = s->name;
		s->table[i]->view.n_notes = (uint32_t)s->manifest.n;
		s->table[i]->view.note = s->note;
		s->view[i] = &s->table[i]->view;
	}
	return 0;
}

int set_load_some(struct table_set *s, const char *path, const char *name,
		  const struct table_bad *bad, struct problem *p)
{
	*s = (struct table_set){.name = strdup(name)};
	int rc;
	if (!s->name)
		rc = problem_set(p, EXIT_INPUT, "%s", no_memory);
	else if (!name[0] || is_folder(path, "", name) || !has_set(path, name))
		rc = load_folder(s, path, bad, p);
	else
		rc = infersim_load(s, path, bad, p);
	if (rc == 0)
		rc = make_view(s, p);
	if (rc < 0)
		set_free(s);
	return rc;
}

int set_load(struct table_set *s, const char *path, const char *name,
	     struct problem *p)
{
	return set_load_some(s, path, name, NULL, p);
}

void set_free(struct table_set *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		table_free(s->table[i]);
		free(s->table[i]);
	}
	for (uint32_t i = 0; i < s->n_files; i++)
		free(s->file[i].name);
	free(s->table), free(s->view), free(s->note), free(s->name);
	free(s->file);
	ini_free(&s->manifest);
	*s = (struct table_set){0};
}
