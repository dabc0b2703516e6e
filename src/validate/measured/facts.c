/* facts.c -- Lays facts from a file over measured rows. */
#include "validate/measured/facts.h"
#include <stdio.h>
#include <string.h>
#include "base/csv.h"
#include "base/file/infile.h"
#include "validate/measured/aliases.h"
#include "validate/measured/condition.h"
#include "validate/measured/launch.h"

enum { MAX_CELLS = 200 };

struct reading {
	struct measured *m;
	const struct ini *aliases;
	/* What each cell fills, NULL: nothing. */
	const struct measured_column *of_cell[MAX_CELLS];
	uint32_t id; /* the cell with the row's name */
	size_t laid;
	struct problem *p;
	char message[160];
};

static const char *header(struct reading *r, uint32_t n, char *const *cell)
{
	if (n > MAX_CELLS)
		return "more than 200 columns";
	r->id = n;
	for (uint32_t i = 0; i < n; i++) {
		const char *name = alias_of_column(r->aliases, cell[i]);
		if (!strcmp(name, "id"))
			r->id = i;
		else
			r->of_cell[i] = condition_column(name);
	}
	return r->id == n ? "facts need the column id" : NULL;
}

/* Puts the cells of a line of facts over a measured row. */
static const char *lay(struct reading *r, struct measured_row *to, uint32_t n,
		       char *const *cell)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct measured_column *c = r->of_cell[i];
		const char *why =
		    c && *cell[i] ? measured_put(to, c, cell[i]) : NULL;
		if (!why)
			continue;
		snprintf(r->message, sizeof r->message, "%.60s %.80s", why,
			 c->name);
		return why == out_of_memory ? why : r->message;
	}
	r->laid++;
	return launch_find(to, r->aliases, r->p) < 0 ? r->p->text : NULL;
}

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct reading *r = user;
	const char *why = row ? NULL : header(r, n, cell);
	for (size_t i = 0; row && !why && i < r->m->n; i++) {
		struct measured_row *to = &r->m->row[i];
		if (to->id && !strcmp(to->id, cell[r->id]))
			why = lay(r, to, n, cell);
	}
	return why;
}

int facts_read(struct measured *m, const char *path, const struct ini *aliases,
	       size_t *laid, struct problem *p)
{
	struct problem launch;
	struct reading r = {.m = m, .aliases = aliases, .p = &launch};
	FILE *f = infile_open(path, p);
	if (!f)
		return -1;
	int rc = csv_read(f, path, on_row, &r, p);
	fclose(f);
	*laid = r.laid;
	return rc;
}

const char *facts_lack(const struct measured_row *r, const struct ini *aliases,
		       const char **word)
{
	const char *takes = ini_get(aliases, "facts", "certainty");
	*word = r->certainty ? r->certainty : r->mode;
	if (!r->certainty)
		return "prefill and decode apart, without facts: mode";
	return takes && condition_on_text(takes, r->certainty)
		   ? NULL
		   : "prefill and decode apart: certainty";
}

int facts_answer(const struct measured_row *r, const struct ini *aliases,
		 const char *flag)
{
	const char *word;
	const char *list = ini_get(aliases, "facts", "answers");
	return !facts_lack(r, aliases, &word) && list &&
	       condition_on_text(list, flag);
}
