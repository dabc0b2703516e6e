/* table_set.c -- Adds tables to a set, with the files they came from. */
#include "tables/table_set.h"
#include <sys/types.h>
#include <sha2.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/infile.h"
#include "base/file/path.h"
#include "tables/table_csv.h"

/* Adds a copy of *of to s->file. */
static int add_file(struct table_set *s, const struct table_file *of,
		    struct problem *p)
{
	struct table_file *file =
	    realloc(s->file, (s->n_files + 1) * sizeof *file);
	if (!file)
		return problem_no_memory(p);
	s->file = file;
	file += s->n_files;
	*file = *of;
	file->name = strdup(of->name);
	if (!file->name)
		return problem_no_memory(p);
	s->n_files++;
	return 0;
}

void table_set_clear(struct table_set *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		table_free(s->table[i]);
		free(s->table[i]);
	}
	for (uint32_t i = 0; i < s->n_files; i++)
		free(s->file[i].name);
	free(s->table), free(s->file);
	s->table = NULL;
	s->file = NULL;
	s->n = s->n_files = 0;
}

static int note_file(struct table_set *s, const struct table_file *of,
		     const char *path, struct problem *p)
{
	if (add_file(s, of, p) < 0)
		return -1;
	if (!SHA256File(path, s->file[s->n_files - 1].sha256))
		return problem_set(p, EXIT_INPUT, "%s: %s", path,
				   strerror(errno));
	return 0;
}

int table_set_read(struct table_set *s, struct table *t, const char *path,
		   const struct table_file *of, struct problem *p)
{
	char *file;
	if (asprintf(&file, "%s/%s", path, of->name) < 0)
		return problem_no_memory(p);
	FILE *f = infile_open(file, p);
	int rc = -1;
	if (f && path_ends_in(of->name, ".gz"))
		problem_set(p, EXIT_INPUT, "%s:1: compressed: unpack it first",
			    file);
	else if (f)
		rc = table_read(t, f, file, of->columns, p);
	if (f)
		fclose(f);
	if (rc == 0 && (rc = note_file(s, of, file, p)) < 0)
		table_free(t);
	free(file);
	return rc;
}

int table_set_is_file(const struct dirent *d)
{
	return d->d_name[0] != '.' && (path_ends_in(d->d_name, ".csv") ||
				       path_ends_in(d->d_name, ".csv.gz"));
}

int table_set_take(struct table_set *s, struct table *t, struct problem *p)
{
	struct table **table = realloc(s->table, (s->n + 1) * sizeof *table);
	if (table)
		s->table = table;
	struct table *own = table ? malloc(sizeof *own) : NULL;
	if (!own) {
		table_free(t);
		return problem_no_memory(p);
	}
	*own = *t;
	*t = (struct table){0};
	s->table[s->n++] = own;
	return 0;
}

int table_set_tell(struct table_set *s, const struct table_bad *bad, int rc,
		   struct problem *p)
{
	if (rc == TABLE_FOREIGN)
		return names_add(&s->left_out, p->text) < 0
			   ? problem_no_memory(p)
			   : 0;
	if (rc == 0 || !bad)
		return rc;
	bad->tell(bad->user, p);
	return 0;
}
