/* cmd/recommend/emit.h -- the files of --emit: for each arm ARM.ini, the
 * scripts that start its winner (ARM-serve.sh, or ARM-prefill.sh and
 * ARM-decode.sh), ARM-bench.sh, and the deployment of its servers
 * (ARM-kubernetes.yaml, ARM-llm-d-values.yaml, ARM-node.sh). */
#pragma once
#include "recommend/recommend.h"

/* Makes the folder if it is missing.  Returns 0, or -1 with *p. */
int emit_folder(const char *folder, struct problem *p);
/* Refuses configurations that no INI can hold, before they are simulated.
 * Returns 0, or -1 with *p. */
int emit_check(const struct recommend *r, struct problem *p);
int emit_winners(const struct recommend *r, const char *folder,
		 struct problem *p);
