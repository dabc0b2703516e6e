/* sim/notices.h -- when requests will be withdrawn and prefix caches emptied,
 * as far as the simulation knows: a heap of notices; and requests that were
 * withdrawn and have not left.  Integers only.  [one thread] */
#pragma once
#include <stdint.h>

enum notice_kind { NOTICE_CANCEL, NOTICE_STOP, NOTICE_RESET };
struct notice {
	int64_t ns;
	enum notice_kind kind;
	uint32_t replica;  /* of a reset; UINT32_MAX: all */
	uint32_t sequence; /* NO_SEQUENCE: not known yet */
	uint64_t row;
};
struct notices {
	struct notice *heap; /* [cap] the earliest first */
	uint32_t n, cap;
	/* Requests that were withdrawn and have not left. */
	struct leaver {
		uint32_t sequence;
		uint64_t row;
	} * leaver;
	uint32_t n_leavers, cap_leavers;
};
/* Returns 0, or -1 if memory is out. */
int notices_add(struct notices *w, const struct notice *x);
/* Returns when the next notice is due; INT64_MAX: there is none. */
static inline int64_t notices_next_ns(const struct notices *w)
{
	return w->n ? w->heap[0].ns : INT64_MAX;
}
void notices_free(struct notices *w);
/* Adds a request to those that have not left.  Returns 0, or -1 if memory is
 * out. */
int notices_add_leaver(struct notices *w, uint32_t sequence, uint64_t row);
/* Takes the next notice; there is one. */
struct notice notices_take(struct notices *w);
