/* cost/named.h -- the parts of a price that a plugin names (sc_plugin.part):
 * "moe", "mla", finer than those of sc_result.  Each is listed once for every
 * phase in which it can cost time.
 * Plain data, crosses process borders.  [any thread] */
#ifndef SC_COST_NAMED_H
#define SC_COST_NAMED_H
#include <stdint.h>
#include "stepcost/plugin.h"

enum { NAMED_PARTS = 48, NAMED_SIZE = 32 };

struct named_part {
	char name[NAMED_SIZE]; /* longer ones are cut                        */
	uint32_t kind;         /* SC_PART_*                                  */
	uint32_t phase;        /* SC_PREFILL, SC_DECODE; 0 where a kind has
				  none                                       */
	uint32_t at;           /* in sc_result.part_us                       */
};
struct named_parts {
	uint32_t n;
	uint32_t n_parts; /* of the plugin: half of sc_result.part_us      */
	/* by phase: how many places of that half, from the first on, hold all
	 * that are listed */
	uint32_t places[2];
	struct named_part part[NAMED_PARTS];
};

/* Those of a plugin, in its order, prefill before decode; none of a plugin
 * older than ABI 1.1.  Beyond NAMED_PARTS they are left out. */
void named_parts(struct named_parts *n, const sc_plugin *p);
/* 1: a kind costs time in both phases, each of its own. */
int named_has_phases(uint32_t kind);
/* What the model answered for it; 0: it did not. */
double named_us(const struct named_part *part, const sc_result *r);
#endif
