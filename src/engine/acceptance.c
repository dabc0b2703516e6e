/* acceptance.c -- Finds a measured acceptance length. */
#include "engine/acceptance.h"
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "base/number.h"
#include "keys/datafile.h"

enum { SET, DRAFTER, THINKING, DRAFTS, LENGTH, SOURCE, N_COLUMNS };

struct search {
	const char *set;
	uint32_t drafts;
	double length;             /* 0: not found */
	struct names sets, counts; /* of all, of the set */
};

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct search *s = user;
	double v;
	if (n != N_COLUMNS)
		return "not set,drafter,thinking,drafts,acceptance_length,"
		       "source";
	if (row == 0)
		return NULL;
	if (names_add_new(&s->sets, cell[SET]) < 0)
		return out_of_memory;
	if (strcmp(cell[SET], s->set) != 0)
		return NULL;
	if (*number_parse(cell[LENGTH], &v) || !(v >= 1))
		return "acceptance_length must be a number, at least 1";
	if (strtoul(cell[DRAFTS], NULL, 10) == s->drafts)
		s->length = v;
	return names_add(&s->counts, cell[DRAFTS]) < 0 ? out_of_memory : NULL;
}

static int not_found(const struct search *s, struct problem *p)
{
	char list[700];
	return s->counts.n
		   ? problem_set(p, EXIT_USAGE,
				 "%s has no length for %u drafts, only for %s",
				 s->set, s->drafts,
				 names_join(&s->counts, list, sizeof list))
		   : problem_set(p, EXIT_USAGE,
				 "no set is called %s; there are: %s", s->set,
				 names_join(&s->sets, list, sizeof list));
}

int acceptance_length(double *length, const char *set, uint32_t drafts,
		      struct problem *p)
{
	struct search s = {.set = set, .drafts = drafts};
	int rc = datafile_csv("acceptance", on_row, &s, p);
	if (rc == 0 && !(s.length > 0))
		rc = not_found(&s, p);
	*length = s.length;
	names_free(&s.sets);
	names_free(&s.counts);
	return rc;
}
