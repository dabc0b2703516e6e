/* cost/strict.h -- what --strict[=CLASS] makes an error: lookups of a class or
 * worse, or times below the floor.  [any thread] */
#pragma once
#include <stdint.h>

/* The choices of the option, up to NULL: "clamped", "substituted", "fallback",
 * "floor". */
extern const char *const strict_choice[];
#define STRICT_HELP                                                            \
	"make a lookup of this class or worse an error (default fallback), "   \
	"or, with floor, a time below what the hardware allows"

struct strict {
	/* SC_CLAMPED …: such a lookup, or a worse one, is refused;
	 * SC_N_PROVENANCE: none is. */
	uint32_t lookups;
	int floor; /* 1: times below the floor are refused */
};
/* choice: as the command line has it: 0 without the option, -1 without CLASS,
 * else an index in strict_choice from 1. */
struct strict strict_of(int choice);
/* Returns 1 if anything is refused. */
int strict_is_on(const struct strict *s);
