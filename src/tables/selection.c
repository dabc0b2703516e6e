/* selection.c -- Collects the tables of several sets for a cost model. */
#include "tables/selection.h"
#include <stdlib.h>
#include <string.h>

static int get_sets(struct selection *s, struct library *l,
		    const struct set_choice *c, struct problem *p)
{
	s->set = calloc(c->n + 1, sizeof *s->set);
	if (!s->set)
		return problem_no_memory(p);
	for (; s->n_sets < c->n; s->n_sets++) {
		const struct set_place *at = &c->item[s->n_sets];
		s->set[s->n_sets] =
		    library_set(l, at->path, at->name, c->layers, p);
		if (!s->set[s->n_sets])
			return -1;
	}
	return 0;
}

/* Writes the notes of a set to `to`.  Returns the place behind them. */
static const char **put_notes(const char **to, const struct table_set *set,
			      const struct hardware *h)
{
	for (size_t i = 0; i < set->manifest.n; i++) {
		*to++ = set->manifest.item[i].key;
		*to++ = set->manifest.item[i].value;
	}
	const char *gpu = ini_get(&set->manifest, "", "gpu");
	if (!set_is_of_gpu(gpu ? gpu : set->name, h->gpu)) {
		*to++ = "stands_in_for";
		*to++ = h->name;
	}
	return to;
}

static void add_tables(struct selection *s, const struct table_set *set,
		       const char *const *note, uint32_t n_notes)
{
	for (uint32_t i = 0; i < set->n; i++) {
		sc_table *t = &s->table[s->n];
		*t = *set->view[i];
		t->note = note;
		t->n_notes = n_notes;
		s->view[s->n++] = t;
	}
}

int selection_make(struct selection *s, struct library *l,
		   const struct set_choice *c, const struct hardware *h,
		   struct problem *p)
{
	size_t tables = 0, notes = 0;
	*s = (struct selection){0};
	if (get_sets(s, l, c, p) < 0)
		return -1;
	for (size_t i = 0; i < s->n_sets; i++) {
		tables += s->set[i]->n;
		notes += s->set[i]->manifest.n + 1;
	}
	s->table = calloc(tables + 1, sizeof *s->table);
	s->view = calloc(tables + 1, sizeof *s->view);
	s->note = calloc(2 * notes + 1, sizeof *s->note);
	if (!s->table || !s->view || !s->note)
		return problem_no_memory(p);
	const char **note = s->note;
	for (size_t i = 0; i < s->n_sets; i++) {
		const char **end = put_notes(note, s->set[i], h);
		add_tables(s, s->set[i], note, (uint32_t)(end - note) / 2);
		note = end;
	}
	return 0;
}

void selection_free(struct selection *s)
{
	free(s->set), free(s->view), free(s->table), free(s->note);
	*s = (struct selection){0};
}
