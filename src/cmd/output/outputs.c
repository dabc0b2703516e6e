/* outputs.c -- Compares the files that a command writes with each other and
 * with the files that it reads. */
#include "cmd/output/outputs.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/path.h"
#include "base/ini.h"

/* A place in the file system, whether or not a file is there. */
struct place {
	int is_there;
	struct stat is;     /* if is_there */
	struct stat folder; /* the folder of the path */
	const char *name;   /* in that folder */
};

struct output {
	const char *option, *path;
	struct place at;
};
enum { MOST = 16 };

struct search {
	struct output output[MOST];
	size_t n;
	struct problem *p;
	int found;
};

/* ---- places ---- */

static int same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns 0, or -1 if not even the folder exists. */
static int locate(struct place *at, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder =
	    slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int rc = folder ? stat(folder, &at->folder) : -1;
	free(folder);
	at->name = slash ? slash + 1 : path;
	at->is_there = stat(path, &at->is) == 0;
	return rc;
}

static int is_one(const struct place *a, const struct place *b)
{
	if (a->is_there && b->is_there)
		return same_file(&a->is, &b->is);
	return !a->is_there && !b->is_there &&
	       same_file(&a->folder, &b->folder) && !strcmp(a->name, b->name);
}

/* ---- outputs ---- */

/* "ttft=out.svg" also names a file. */
static const char *path_of(const struct option_def *o, const char *value)
{
	const char *equals = strchr(o->arg, '=') ? strchr(value, '=') : NULL;
	return equals ? equals + 1 : value;
}

static void add_output(void *user, const struct option_def *o,
		       const char *value)
{
	struct search *s = user;
	struct output *new = &s->output[s->n];
	*new = (struct output){.option = o->name, .path = path_of(o, value)};
	if (s->found || o->type != OPTION_OUTPUT || s->n == MOST ||
	    !strcmp(new->path, "-") || locate(&new->at, new->path) < 0 ||
	    (new->at.is_there && !S_ISREG(new->at.is.st_mode)))
		return;
	for (size_t i = 0; i < s->n && !s->found; i++)
		if (is_one(&s->output[i].at, &new->at)) {
			s->found = 1;
			problem_set(s->p, EXIT_USAGE,
				    "--%s and --%s would both write %s",
				    s->output[i].option, o->name, new->path);
		}
	s->n++;
}

/* ---- inputs ---- */

static void compare_input(struct search *s, const char *path, const char *what)
{
	struct stat is;
	if (s->found || !*path || stat(path, &is) != 0)
		return;
	for (size_t i = 0; i < s->n; i++) {
		const struct output *o = &s->output[i];
		if (!o->at.is_there ||
		    !(same_file(&o->at.is, &is) ||
		      (S_ISDIR(is.st_mode) && same_file(&o->at.folder, &is))))
			continue;
		s->found = 1;
		problem_set(s->p, EXIT_USAGE,
			    "--%s %s would overwrite an input: %s", o->option,
			    o->path, what);
		return;
	}
}

static void compare_option(void *user, const struct option_def *o,
			   const char *value)
{
	char what[80];
	snprintf(what, sizeof what, "--%s", o->name);
	if (o->type != OPTION_OUTPUT)
		compare_input(user, value, what);
}

/* A value of any key that is the path of a file counts as an input. */
static void compare_ini(struct search *s, const struct ini *c)
{
	for (size_t i = 0; i < c->n && !s->found; i++) {
		const struct ini_item *t = &c->item[i];
		char what[300];
		char *path = ini_resolve_key(c, t->section, t->key, t->value);
		snprintf(what, sizeof what, "%s: %s", t->at, t->key);
		/* "." names the INI's own folder, not a folder of tables. */
		if (path && strcmp(t->value, ".") && t->value[0])
			compare_input(s, path, what);
		free(path);
	}
}

/* Ignores a configuration that cannot be read: the code that needs it
 * complains. */
static void compare_configuration(struct search *s, const struct cmdline *c,
				  const char *path)
{
	struct ini ini = {0};
	struct problem unused;
	int rc = ini_load(&ini, path, &unused);
	for (size_t i = 0; rc == 0 && i < c->set.n; i++)
		rc = ini_override(&ini, c->set.item[i], &unused);
	if (rc == 0)
		compare_ini(s, &ini);
	ini_free(&ini);
}

/* Protects tables: `auto` finds a set without its name on the command line. */
static void spare_tables(struct search *s)
{
	for (size_t i = 0; i < s->n && !s->found; i++) {
		const struct output *o = &s->output[i];
		size_t n = (size_t)(o->at.name - o->path);
		char *manifest = NULL;
		if (!o->at.is_there ||
		    asprintf(&manifest, "%.*sMANIFEST", (int)n, o->path) < 0)
			continue;
		if (access(manifest, F_OK) == 0) {
			s->found = 1;
			problem_set(s->p, EXIT_USAGE,
				    "--%s %s would overwrite a table of "
				    "measured kernels",
				    o->option, o->path);
		}
		free(manifest);
	}
}

int outputs_check(const struct cmdline *c, struct problem *p)
{
	struct search s = {.p = p};
	cmdline_each_text(c, add_output, &s);
	if (s.n == 0 || s.found)
		return s.found ? -1 : 0;
	cmdline_each_text(c, compare_option, &s);
	for (int i = 0; i < c->n_args; i++) {
		compare_input(&s, c->arg[i], c->arg[i]);
		if (path_ends_in(c->arg[i], ".ini"))
			compare_configuration(&s, c, c->arg[i]);
	}
	spare_tables(&s);
	return s.found ? -1 : 0;
}
