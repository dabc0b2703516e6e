/* sweep/key.h -- what determines a row of the results, as one hash: the
 * configuration as resolved for that arm, its plugin's file, its tables, the
 * requests, the version of this program.  Rows of equal keys are equal, so that
 * none is computed twice. */
#ifndef SC_SWEEP_KEY_H
#define SC_SWEEP_KEY_H
#include <stdint.h>
#include "arm/arm.h"
#include "store/rows.h"

/* What else it depends on. */
struct key_parts {
	const char *what; /* of every point: mode, bounds, ...             */
	int64_t seed_shift;
	uint64_t trace_hash; /* 0: the requests are generated                */
};
/* SHA-256 of a file as hex digits, remembered by its path. */
struct file_hash {
	char *path;
	char sha256[STORE_KEY];
};
void file_hash_free(struct file_hash *h);

/* Of an arm that is prepared (arm_prepare()).  hash[2]: of its plugin, and of
 * the one that prices its decode pool.  0, or -1 with *p. */
int key_of_arm(char key[STORE_KEY], const struct arm *a,
	       const struct key_parts *k, struct file_hash hash[2],
	       struct problem *p);
/* Of a configuration that cannot be resolved, for that reason. */
int key_of_refusal(char key[STORE_KEY], const struct config *c,
		   const struct key_parts *k, const char *why,
		   struct problem *p);
#endif
