/* base/nearest.h -- "did you mean": finds the known name that is most similar
 * to the typed one.  Knows nothing of the rest of the program. */
#pragma once
#include "base/names.h"

struct nearest {
	const char *typed, *name; /* name: NULL until one is near enough */
	unsigned distance;
};

void nearest_start(struct nearest *n, const char *typed);
void nearest_try(struct nearest *n, const char *candidate);
/* Writes the hint for a typed name among all known names.  Returns buf. */
const char *nearest_of(const char *typed, const struct names *known,
		       char buf[100]);
/* Writes " (did you mean 'x'?)", or "" if no name is near.  Returns buf. */
const char *nearest_hint(const struct nearest *n, char buf[100]);
/* The same for names as other programs spell them:
 * "meta-llama/Llama-3.1-8B-Instruct" is near "llama-3.1-8b", "H100" is near
 * "h100-sxm". */
const char *nearest_of_id(const char *typed, const struct names *known,
			  char buf[100]);
