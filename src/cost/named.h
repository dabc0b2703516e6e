/* cost/named.h -- the parts of a price that a plugin names (sc_plugin.part):
 * "moe", "mla", finer than the parts of sc_result.  Each is listed once for
 * every phase in which it can cost time.  Plain data, crosses process borders.
 * [any thread] */
#pragma once
#include <stdint.h>
#include "stepcost/plugin.h"

enum { NAMED_PARTS = 48, NAMED_SIZE = 32 };

struct named_part {
	char name[NAMED_SIZE]; /* longer names are truncated */
	uint32_t kind;         /* SC_PART_* */
	uint32_t phase; /* SC_PREFILL, SC_DECODE; 0 if its kind has no phase */
	uint32_t at;    /* index in sc_result.part_us */
};
struct named_parts {
	uint32_t n;
	/* of the plugin; half the size of sc_result.part_us */
	uint32_t n_parts;
	/* By phase: the first places of that half which contain all listed
	 * parts. */
	uint32_t places[2];
	struct named_part part[NAMED_PARTS];
};

/* Lists the parts of a plugin in its order, prefill before decode.  A plugin
 * older than ABI 1.1 has none.  Parts beyond NAMED_PARTS are left out. */
void named_parts(struct named_parts *n, const sc_plugin *p);
/* Returns 1 if a kind has a time of its own in each phase. */
int named_has_phases(uint32_t kind);
/* Returns the model's time for a part, or 0 if it gave none. */
double named_us(const struct named_part *part, const sc_result *r);
