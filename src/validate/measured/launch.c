/* launch.c -- Finds how the server of a measured row was launched. */
#include "validate/measured/launch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/file/infile.h"
#include "keys/datafile.h"
#include "validate/measured/condition.h"

#define LAUNCH "launch:"

int launch_is(const char *section)
{
	return !strncmp(section, LAUNCH, strlen(LAUNCH));
}

int launch_asks(const char *key)
{
	static const char *const others[] = {"protocol", "ranks", "source",
					     "note"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(key, others[i]))
			return 0;
	return !strchr(key, '.');
}

/* Returns -1 if there is no such word. */
static int ranks_of(const char *word)
{
	static const char *const words[] = {
	    [RANKS_AS_ROW] = "as_row",
	    [RANKS_SQUARE] = "square",
	    [RANKS_EP_IS_TP] = "ep_is_tp",
	    [RANKS_TP_IS_GPUS] = "tp_is_gpus",
	};
	for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
		if (!strcmp(word, words[i]))
			return i;
	return -1;
}

/* ---- etc/protocols.csv ---- */

enum { MAX_COLUMNS = 64 };

struct reading {
	struct ini *aliases;
	const char *path;
	char *column[MAX_COLUMNS];
	uint32_t n;
	struct problem *p;
};

static const char *read_header(struct reading *r, uint32_t n, char *const *cell)
{
	if (n > MAX_COLUMNS || strcmp(cell[0], "name"))
		return "the first of at most 64 columns is not `name`";
	for (r->n = 0; r->n < n; r->n++) {
		r->column[r->n] = strdup(cell[r->n]);
		if (!r->column[r->n])
			return out_of_memory;
	}
	return NULL;
}

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct reading *r = user;
	char section[120], at[4200];
	if (!row)
		return read_header(r, n, cell);
	snprintf(section, sizeof section, LAUNCH "%.100s", cell[0]);
	snprintf(at, sizeof at, "%s:%llu", r->path,
		 (unsigned long long)row + 1);
	if (ini_find(r->aliases, section, "protocol"))
		return "a second row of that name";
	for (uint32_t i = 1; i < n; i++)
		if (*cell[i] && ini_put(r->aliases, section, r->column[i],
					cell[i], at, r->p) < 0)
			return out_of_memory;
	return NULL;
}

int launches_read(struct ini *aliases, struct problem *p)
{
	struct reading r = {.aliases = aliases, .p = p};
	char *path = datafile_find("etc", "protocols", ".csv", p);
	FILE *f = path ? infile_open(path, p) : NULL;
	r.path = path;
	int rc = f ? csv_read(f, path, on_row, &r, p) : -1;
	if (f)
		fclose(f);
	for (uint32_t i = 0; i < r.n; i++)
		free(r.column[i]);
	free(path);
	return rc;
}

static int check_key(const struct ini *aliases, const struct ini_item *t,
		     struct problem *p)
{
	if (launch_asks(t->key) && !condition_column(t->key))
		return problem_set(p, EXIT_USAGE,
				   "%s: %s is no column of the measured rows",
				   t->at, t->key);
	if (!ini_find(aliases, t->section, "protocol"))
		return problem_set(p, EXIT_USAGE, "%s: [%s] names no protocol",
				   t->at, t->section);
	if (!strcmp(t->key, "ranks") && ranks_of(t->value) < 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: ranks = %s: not as_row, square, "
				   "ep_is_tp or tp_is_gpus",
				   t->at, t->value);
	return 0;
}

int launches_check(const struct ini *aliases, struct problem *p)
{
	for (size_t i = 0; i < aliases->n; i++)
		if (launch_is(aliases->item[i].section) &&
		    check_key(aliases, &aliases->item[i], p) < 0)
			return -1;
	return 0;
}

/* ---- the launch of a row ---- */

/* Whether a file of runs never told this of its row. */
static int lacks_value(const char *column, const struct measured_row *r)
{
	return (!strcmp(column, "origin") && !r->origin) ||
	       (!strcmp(column, "measured") && !r->measured);
}

/* Whether all conditions of a section hold.  A launch is of servers in one
 * piece, unless it asks for a mode.  With `lacks`, a condition on the origin or
 * the day of a row without them counts as one that holds, and is *lacks, if the
 * launch is of models: others are of all that a publisher ran. */
static int holds(const struct ini *aliases, const char *section,
		 const struct measured_row *r, const char **lacks)
{
	if ((measured_is_apart(r) && !ini_find(aliases, section, "mode")) ||
	    (lacks && !ini_find(aliases, section, "model")))
		return 0;
	for (size_t i = 0; i < aliases->n; i++) {
		const struct ini_item *t = &aliases->item[i];
		if (strcmp(t->section, section) != 0 || !launch_asks(t->key) ||
		    condition_holds(condition_column(t->key), t->value, r))
			continue;
		if (!lacks || !lacks_value(t->key, r))
			return 0;
		*lacks = t->key;
	}
	return 1;
}

/* The next section from item *i on with conditions that hold; *i is behind its
 * first key. */
static const char *next_that_holds(const struct ini *aliases, size_t *i,
				   const struct measured_row *r,
				   const char **lacks)
{
	for (; *i < aliases->n; ++*i) {
		const struct ini_item *t = &aliases->item[*i];
		if (launch_is(t->section) && !strcmp(t->key, "protocol") &&
		    holds(aliases, t->section, r, lacks)) {
			++*i;
			return t->section;
		}
	}
	return NULL;
}

static const struct ini_item *named(const struct ini *aliases, const char *name)
{
	char section[120];
	snprintf(section, sizeof section, LAUNCH "%.100s", name);
	return ini_find(aliases, section, "protocol");
}

static int one_of_two(const struct measured_row *r, const char *one,
		      const char *other, struct problem *p)
{
	return problem_set(p, EXIT_USAGE,
			   "%s:%llu: [%s] and [%s] both say how this run was "
			   "launched; name one in the column protocol",
			   r->file, (unsigned long long)r->line, one, other);
}

static void set_launch(struct measured_row *r, const struct ini *aliases,
		       const char *section)
{
	const char *ranks = section ? ini_get(aliases, section, "ranks") : NULL;
	r->launch = section;
	r->ranks = ranks ? (enum measured_ranks)ranks_of(ranks) : RANKS_AS_ROW;
}

int launch_find(struct measured_row *r, const struct ini *aliases,
		struct problem *p)
{
	size_t i = 0;
	if (r->protocol) {
		const struct ini_item *own = named(aliases, r->protocol);
		set_launch(r, aliases, own ? own->section : NULL);
		return 0;
	}
	const char *one = next_that_holds(aliases, &i, r, NULL);
	const char *other = one ? next_that_holds(aliases, &i, r, NULL) : NULL;
	set_launch(r, aliases, one);
	r->launch_lacks = NULL;
	i = 0;
	if (!one && !next_that_holds(aliases, &i, r, &r->launch_lacks))
		r->launch_lacks = NULL;
	return other ? one_of_two(r, one, other, p) : 0;
}
