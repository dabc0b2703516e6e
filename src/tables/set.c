/* set.c -- Finds, lists and loads sets of tables. */
#include <config.h>
#include "tables/set.h"
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/nearest.h"
#include "cost/kernel_op.h"
#include "setup/datafile.h"
#include "tables/infersim.h"

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

static int is_folder(const char *path, const char *part, const char *set)
{
	char *folder;
	struct stat st;
	if (asprintf(&folder, "%s/%s%s", path, part, set) < 0)
		return 0;
	int yes = stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
	free(folder);
	return yes;
}

/* Where a set may stand in a folder: as one of its own, or InferSim's. */
static const char *const part[] = {"", "gemm/", "mha/decode/", "mha/prefill/"};
enum { N_PARTS = sizeof part / sizeof *part };

static int has_set(const char *path, const char *set)
{
	for (int i = 0; i < N_PARTS; i++)
		if (is_folder(path, part[i], set))
			return 1;
	return 0;
}

/* A table by the name of its op: other CSV files make no set. */
static int is_op(const struct dirent *d)
{
	for (const struct kernel_op *o = kernel_ops; o->name; o++) {
		size_t n = strlen(o->name);
		if (!strncmp(d->d_name, o->name, n) &&
		    !strcmp(d->d_name + n, ".csv"))
			return 1;
	}
	return 0;
}

/* Folders with a table in them; within: "", or one of InferSim's. */
static int add_sets(struct searchpath *names, const char *path,
		    const char *within)
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
			int m = scandir(inside, &file,
					*within ? set_is_table : is_op, NULL);
			for (int k = 0; k < m; k++)
				free(file[k]);
			if (m >= 0)
				free(file);
			if (m > 0)
				rc = searchpath_add(names, entry[i]->d_name);
			free(inside);
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	free(folder);
	return rc;
}

int set_names(struct searchpath *names, const char *path)
{
	*names = (struct searchpath){0};
	for (int i = 0; i < N_PARTS; i++)
		if (add_sets(names, path, part[i]) < 0) {
			searchpath_free(names);
			return -1;
		}
	return 0;
}

static void no_set(const struct searchpath *s, const char *set,
		   struct problem *p)
{
	char hint[100] = "", known[500] = "", where[300] = "";
	struct nearest near;
	nearest_start(&near, set);
	for (size_t i = 0; i < s->n; i++) {
		struct searchpath names;
		size_t n = strlen(where);
		snprintf(where + n, sizeof where - n, "%s%s", n ? ", " : "",
			 s->folder[i]);
		if (set_names(&names, s->folder[i]) < 0)
			break;
		near.name = NULL;
		for (size_t k = 0; k < names.n; k++) {
			n = strlen(known);
			nearest_try(&near, names.folder[k]);
			snprintf(known + n, sizeof known - n, "%s%s",
				 n ? ", " : "", names.folder[k]);
		}
		if (near.name)
			nearest_hint(&near, hint);
		searchpath_free(&names);
	}
	problem_set(p, EXIT_USAGE,
		    "no set of tables '%s' in %s%s; there are: "
		    "%s",
		    set, where, hint, known[0] ? known : "none");
}

char *set_find(const char *path, const char *written, const char *set,
	       struct problem *p)
{
	struct searchpath s;
	char *found = NULL;
	int elsewhere = written && (written[0] == '/' || written[0] == '.');
	if (searchpath_make(&s, path, NULL, "") < 0 ||
	    (!elsewhere && datafile_add_folders(&s, written && written[0]
							? written
							: "bench_data") < 0)) {
		problem_set(p, EXIT_USAGE, "%s", no_memory);
		searchpath_free(&s);
		return NULL;
	}
	for (size_t i = 0; i < s.n && !found; i++)
		if (set[0] && has_set(s.folder[i], set) &&
		    !(found = strdup(s.folder[i])))
			problem_set(p, EXIT_USAGE, "%s", no_memory);
	if (!found)
		no_set(&s, set, p);
	searchpath_free(&s);
	return found;
}

/* The CSV files of a folder of its own, and its MANIFEST. */
static int load_folder(struct table_set *s, const char *path, struct problem *p)
{
	struct dirent **file = NULL;
	char *folder, *name;
	int rc = -1;
	if (asprintf(&folder, "%s/%s", path, s->name) < 0)
		return problem_set(p, EXIT_INPUT, "%s", no_memory);
	int n = scandir(folder, &file, set_is_table, alphasort);
	if (n <= 0)
		problem_set(p, EXIT_USAGE, "%s: %s", folder,
			    n ? strerror(errno) : "no .csv file");
	else
		rc = read_manifest(s, folder, p);
	for (int i = 0; rc == 0 && i < n; i++) {
		struct table *t = set_new_table(s, p);
		if (!t ||
		    asprintf(&name, "%s/%s", s->name, file[i]->d_name) < 0) {
			rc = problem_set(p, EXIT_INPUT, "%s", no_memory);
			free(t);
			break;
		}
		rc = set_read_file(s, t, path, name, p);
		if (rc == 0)
			s->n++;
		else
			free(t);
		free(name);
	}
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

int set_load(struct table_set *s, const char *path, const char *name,
	     struct problem *p)
{
	*s = (struct table_set){.name = strdup(name)};
	int rc;
	if (!s->name)
		rc = problem_set(p, EXIT_INPUT, "%s", no_memory);
	else if (!name[0] || is_folder(path, "", name) || !has_set(path, name))
		rc = load_folder(s, path, p);
	else
		rc = infersim_load(s, path, p);
	if (rc == 0)
		rc = make_view(s, p);
	if (rc < 0)
		set_free(s);
	return rc;
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
