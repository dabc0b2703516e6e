/* changes.c -- Looks at files until one has changed. */
#include "jobs/changes.h"
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/file/path.h"

static struct stat look(const char *path)
{
	struct stat is = {0};
	if (stat(path, &is) < 0)
		memset(&is, 0, sizeof is);
	return is;
}

static int differs(const struct stat *a, const struct stat *b)
{
	return a->st_ino != b->st_ino || a->st_size != b->st_size ||
	       a->st_mtim.tv_sec != b->st_mtim.tv_sec ||
	       a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

static struct changes_file *find(const struct changes *w, const char *path)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->file[i].path, path))
			return &w->file[i];
	return NULL;
}

/* Returns the watched file of that path, which is added if it is not watched
 * yet, or NULL if memory is out. */
static struct changes_file *add(struct changes *w, const char *path,
				const struct changes *known)
{
	struct changes_file *file = find(w, path);
	if (file)
		return file;
	file = realloc(w->file, (w->n + 1) * sizeof *file);
	if (file)
		w->file = file;
	char *copy = file ? strdup(path) : NULL;
	if (!copy)
		return NULL;
	const struct changes_file *before = find(known, path);
	file = &w->file[w->n++];
	*file = (struct changes_file){.path = copy, .is = look(path)};
	if (before) {
		file->is = before->is;
		file->by_build = before->by_build;
	}
	return file;
}

int changes_add(struct changes *w, const char *path,
		const struct changes *known)
{
	return add(w, path, known) ? 0 : -1;
}

/* ---- sources ---- */

static int is_source(const char *name)
{
	static const char *const whole[] = {"Makefile", "GNUmakefile",
					    "makefile", "CMakeLists.txt",
					    "meson.build"};
	static const char *const end[] = {
	    ".c",   ".h",   ".cc",  ".cpp",  ".cxx", ".hh",
	    ".hpp", ".hxx", ".inc", ".cu",   ".rs",  ".py",
	    ".go",  ".zig", ".f90", ".toml", ".am",  ".mk"};
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (!strcmp(name, whole[i]))
			return 1;
	for (size_t i = 0; i < sizeof end / sizeof *end; i++)
		if (path_ends_in(name, end[i]))
			return 1;
	return 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int add_entries(FTS *tree, struct changes *w, const char *folder,
		       const struct changes *known, struct problem *p)
{
	size_t n = 0;
	for (const FTSENT *e; (e = fts_read(tree));) {
		if (e->fts_info == FTS_D && e->fts_level > 0 &&
		    e->fts_name[0] == '.') {
			fts_set(tree, (FTSENT *)e, FTS_SKIP);
			continue;
		}
		if (++n > CHANGES_ENTRIES)
			return problem_set(p, EXIT_USAGE,
					   "%s: more than %d files; start the "
					   "command in the folder of the "
					   "sources",
					   folder, CHANGES_ENTRIES);
		if (e->fts_info != FTS_F || !is_source(e->fts_name))
			continue;
		const char *path = e->fts_path;
		if (!strncmp(path, "./", 2))
			path += 2;
		struct changes_file *file = add(w, path, known);
		if (!file)
			return problem_no_memory(p);
		file->is_source = 1;
	}
	return 0;
}

int changes_add_sources(struct changes *w, const char *folder,
			const struct changes *known, struct problem *p)
{
	char *root = strdup(folder);
	char *const roots[] = {root, NULL};
	FTS *tree = root
			? fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR,
				   by_name)
			: NULL;
	int rc = -1;
	if (!root)
		problem_no_memory(p);
	else if (!tree)
		problem_set(p, EXIT_USAGE, "%s: %s", folder, strerror(errno));
	else
		rc = add_entries(tree, w, folder, known, p);
	if (tree)
		fts_close(tree);
	free(root);
	return rc;
}

size_t changes_sources(const struct changes *w)
{
	size_t n = 0;
	for (size_t i = 0; i < w->n; i++)
		n += w->file[i].is_source != 0;
	return n;
}

/* ---- changes ---- */

const struct changes_file *changes_wait(struct changes *w)
{
	static const struct timespec moment = {.tv_nsec = 100000000};
	const struct changes_file *changed = NULL;
	for (int resting = 0; !changed || resting < 2; resting++) {
		nanosleep(&moment, NULL);
		for (size_t i = 0; i < w->n; i++) {
			struct stat now = look(w->file[i].path);
			if (!differs(&now, &w->file[i].is))
				continue;
			w->file[i].is = now;
			changed = &w->file[i];
			resting = 0;
		}
	}
	return changed;
}

void changes_built(struct changes *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct changes_file *f = &w->file[i];
		struct stat now = look(f->path);
		f->by_build = differs(&now, &f->is) ? f->by_build + 1 : 0;
		if (!f->is_source || f->by_build > 1)
			f->is = now;
	}
}

void changes_free(struct changes *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->file[i].path);
	free(w->file);
	*w = (struct changes){0};
}
