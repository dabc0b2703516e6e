/* sweep/key.h -- what determines a row of the results, as one hash: the
 * configuration as resolved for that arm, its plugin's file, its tables, the
 * requests, the version of this program.  Rows of equal keys are equal, so that
 * none is computed twice. */
#ifndef SC_SWEEP_KEY_H
#define SC_SWEEP_KEY_H
#include <stdint.h>
#include "arm/arm.h"
#include "store/rows.h"
#include "sweep/digest.h"

/* What else it depends on. */
struct key_parts {
	const char *what; /* of every point: mode, bounds, ...             */
	unsigned same; /* as in the last key, for certain; enum config_part  */
	int64_t seed_shift;
	uint64_t trace_hash; /* 0: the requests are generated                */
};
/* SHA-256 of a file as hex digits, remembered by its path. */
struct file_hash {
	char *path;
	char sha256[STORE_KEY];
};
/* What is known from the keys before.  Zeroed: nothing. */
struct key_memory {
	struct file_hash plugin[2]; /* of the arm, and of its decode pool */
	struct digest digest;
	size_t head_bytes; /* of the digest's text: all that comes before the
			      workload; 0: not known                         */
};
void key_memory_free(struct key_memory *m);

/* Of an arm that is prepared (arm_prepare()).  0, or -1 with *p. */
int key_of_arm(char key[STORE_KEY], const struct arm *a,
	       const struct key_parts *k, struct key_memory *memory,
	       struct problem *p);
/* Of a configuration that cannot be resolved, for that reason. */
int key_of_refusal(char key[STORE_KEY], const struct config *c,
		   const struct key_parts *k, const char *why,
		   struct key_memory *memory, struct problem *p);
#endif
