/* read/mixers.h -- Rows of one set for kernels of linear layers and for modules
 * of sparse attention, as grids of residuals.  All of it lies in the arena of
 * the instance. */
#ifndef OPERATORS_READ_MIXERS_H
#define OPERATORS_READ_MIXERS_H
#include "stepcost/kernel/mixer_grid.h"
#include "choose/sets.h"

/* Rows of a set that share a law. */
struct mixer_group {
	const struct set *set;
	struct sc_mixer_key row_key;
	struct sc_mixer_law law;   /* at the rates of the set's GPU */
	struct sc_mixer_grid grid; /* n_points 0: the set has no such rows */
};
enum { MAX_MIXER_SOURCES = 1024 };

/* The rows of a set for a row key that its table has; NULL: it has none, or the
 * arena is full.  Built at the first time. */
const struct mixer_group *mixer_group_of(struct inst *s, const struct set *set,
					 const struct sc_mixer_key *row_key);
/* A set's table of a kind (SC_MIXER_*), with its columns; NULL: it has none. */
const sc_table *mixer_table_of(const struct inst *s, const struct set *set,
			       uint32_t table, struct sc_mixer_columns *c);
/* Pick number i of a set's table, in the order of its rows, if it has the
 * table, op, indexer and ratio of `like`; 0: there are no more. */
int mixer_key_like(const struct inst *s, const struct set *set,
		   const struct sc_mixer_key *like, uint32_t i,
		   struct sc_mixer_key *row_key);
#endif
