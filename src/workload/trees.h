/* workload/trees.h -- which rows of a trace wait for which others: sessions as
 * trees.
 *
 * A root comes at its own time.  Any other row comes its delay behind the last
 * end of the rows that it is after: the next turn of a session, the first turn
 * of a sub-agent, or a turn that waits for several sub-agents.  A tree is all
 * rows that hang together; their order in the file does not matter.
 *
 * Invariant: a row is handed out once, after all rows that it is after have
 * ended.  Integer ns.  [one thread] */
#pragma once
#include "workload/clients.h"
#include "workload/trace/trace.h"

#define TREES_NONE UINT32_MAX
struct tree_row {
	uint64_t offset, line; /* its place in the file */
	int64_t ns;            /* time of a root, else the delay */
	int64_t ready_ns;      /* last end so far of the rows it is after */
	uint32_t n_waits;      /* how many of these have not ended */
	uint32_t is_root;
	uint32_t next_root; /* of its tree; TREES_NONE: the last one */
	uint32_t tree;
	/* index of its first in edge[]; they end where those of the next row
	 * begin */
	uint32_t edges;
};
struct tree {
	int64_t ns;              /* of its first root */
	uint32_t first, roots;   /* its earliest root; a list of all roots */
	uint32_t n_rows, n_left; /* n_left: rows that have not ended */
};
/* Zeroed means none. */
struct trees {
	struct tree_row *row; /* [n + 1] in the order of the file */
	uint32_t n;
	/* [number of waits] rows that wait, grouped by the row that they wait
	 * for */
	uint32_t *edge;
	struct tree *tree;
	uint32_t *order; /* [n_trees] trees in the order of their beginning */
	uint32_t n_trees, begun;
};

/* Reads the first n rows of a trace, which is rewound before and after.
 * by_time: trees begin in the order of their times, else in that of the file.
 * Returns 0, or -1 with *p filled in: an id comes twice, is not there, or a row
 * waits for itself.  The caller calls trees_free() in either case. */
int trees_read(struct trees *s, struct trace *t, uint64_t n, int by_time,
	       struct problem *p);
/* The tree that begins next, which is there while begun < n_trees. */
static inline const struct tree *trees_next(const struct trees *s)
{
	return &s->tree[s->order[s->begun]];
}
/* Begins the next tree.  Its other roots come into the clients' heap: at
 * begins_ns and as much later as they are behind the first one, times
 * `stretch`. */
void trees_begin(struct trees *s, int64_t begins_ns, double stretch,
		 struct clients *l);
/* The row ended; rows that waited for it alone come into the clients' heap.
 * Returns 1 if its tree is over. */
int trees_ended(struct trees *s, uint64_t row, int64_t end_ns,
		struct clients *l);
/* Returns how many rows the first n trees have. */
uint64_t trees_rows(const struct trees *s, uint64_t n);
/* Before the first tree begins: all of them come `times` times over, each time
 * period_ns after the one before.  Row i of the n comes again as i + n, then as
 * i + 2 n.  Returns 0, or -1 with *p filled in. */
int trees_repeat(struct trees *s, uint64_t times, int64_t period_ns,
		 struct problem *p);
void trees_free(struct trees *s);
