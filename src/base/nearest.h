/* base/nearest.h -- "did you mean": of the known names, the one most like what
 * was typed.  Knows nothing of the rest of the program. */
#ifndef SC_BASE_NEAREST_H
#define SC_BASE_NEAREST_H
#include "base/names.h"

struct nearest {
	const char *typed, *name; /* name: NULL until one is near enough */
	unsigned distance;
};

void nearest_start(struct nearest *n, const char *typed);
void nearest_try(struct nearest *n, const char *candidate);
/* The hint for what was typed, of all known names; returns buf. */
const char *nearest_of(const char *typed, const struct names *known,
		       char buf[100]);
/* " (did you mean 'x'?)", or "" if none is near; returns buf. */
const char *nearest_hint(const struct nearest *n, char buf[100]);
/* The same for names as others spell them: "meta-llama/Llama-3.1-8B-Instruct"
 * is near "llama-3.1-8b", "H100" near "h100-sxm". */
const char *nearest_of_id(const char *typed, const struct names *known,
			  char buf[100]);
#endif
