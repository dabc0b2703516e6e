/* checked_table.c -- Reads a table for its checks. */
#include <config.h>
#include "tables/checked_table.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/infile.h"
#include "tables/table_csv.h"

/* ---- telling ---- */

void checked_tell(const struct checked_table *c, int64_t row, const char *what,
		  int is_error, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	const struct finding f = {c->path, row < 0 ? 0 : c->t.line[row], what,
				  is_error, text};
	c->tell(c->user, &f);
}

/* ---- columns ---- */

/* Of a column of numbers; NULL: there is none. */
static const double *numbers(const struct table *t, const char *name)
{
	int at = table_column(t, name);
	return at >= 0 ? t->col[at] : NULL;
}

static int find_slot(const struct checked_table *c,
		     const char *const name[KIND_NAMES], struct slot *s)
{
	*s = (struct slot){.name = name[0], .constant = 1};
	for (int i = 0; i < KIND_NAMES && name[i] && !s->col; i++)
		s->col = numbers(&c->t, name[i]);
	return s->col != NULL;
}

/* "…32-8-128-tp1.csv": the numbers of the last such group in the name. */
static int numbers_of_name(const char *path, unsigned part[4])
{
	const char *slash = strrchr(path, '/');
	const char *s = slash ? slash + 1 : path;
	for (; *s; s++) {
		part[3] = 1;
		if (isdigit((unsigned char)*s) &&
		    sscanf(s, "%9u-%9u-%9u-tp%9u", &part[0], &part[1], &part[2],
			   &part[3]) >= 3)
			return 1;
		while (isdigit((unsigned char)*s) &&
		       isdigit((unsigned char)s[1]))
			s++;
	}
	return 0;
}

static const struct table_kind *kind_of(const struct table *t)
{
	for (int k = 0; k < n_table_kinds; k++) {
		int is = 1;
		for (int i = 0; i < 3 && table_kind[k].sign[i]; i++)
			is &= table_column(t, table_kind[k].sign[i]) >= 0;
		if (is)
			return &table_kind[k];
	}
	return NULL;
}

/* Where the kind's keys and axes stand.  0, or -1: a shape is not told. */
static int find_slots(struct checked_table *c)
{
	unsigned part[4] = {0};
	int named = numbers_of_name(c->path, part), unknown = 0;
	for (int i = 0; i < KIND_KEYS && c->kind->key[i][0]; i++)
		if (!find_slot(c, c->kind->key[i], &c->slot[i])) {
			unknown |= !named && i < 3;
			c->slot[i].constant = named ? part[i] : 1;
		}
	for (int i = 0; i < KIND_AXES && c->kind->axis[i][0]; i++)
		find_slot(c, c->kind->axis[i], &c->slot[KIND_KEYS + i]);
	return unknown ? -1 : 0;
}

static int find_columns(struct checked_table *c, struct problem *p)
{
	int dtype = table_column(&c->t, "dtype");
	c->kind = kind_of(&c->t);
	c->latency = numbers(&c->t, "latency_us");
	c->mfu = numbers(&c->t, "mfu");
	c->dtype = dtype >= 0 ? c->t.text[dtype] : NULL;
	if (!c->kind || !c->latency)
		return problem_set(p, EXIT_INPUT,
				   "%s:1: no table of kernel times: needs "
				   "latency_us and m,n,k or seq_len or kv_len "
				   "or message_bytes",
				   c->path);
	if (find_slots(c) < 0)
		return problem_set(p, EXIT_INPUT,
				   "%s:1: of which shape? Neither columns "
				   "nor the name (32-8-128-tp1.csv) say",
				   c->path);
	return 0;
}

double checked_value(const struct checked_table *c, int slot, uint64_t row)
{
	const struct slot *s = &c->slot[slot];
	return s->col ? s->col[row] : s->constant;
}

int checked_table_open(struct checked_table *c, const char *path,
		       finding_fn tell, void *user, struct problem *p)
{
	*c = (struct checked_table){.path = path, .tell = tell, .user = user};
	FILE *f = infile_open(path, p);
	if (!f)
		return -1;
	int rc = table_read(&c->t, f, path, p);
	fclose(f);
	return rc < 0 ? -1 : find_columns(c, p);
}

void checked_table_close(struct checked_table *c)
{
	table_free(&c->t);
}
