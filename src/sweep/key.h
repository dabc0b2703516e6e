/* sweep/key.h -- a hash of everything that determines a row of the results: the
 * configuration as resolved for that arm, everything that it reads (its plugin
 * with program and folder, its tables with MANIFEST, the requests, each file
 * that a value names), the commit of this program.  Rows with equal keys are
 * equal, so none is computed twice.  t/1750-sweep-inputs.t changes each. */
#pragma once
#include <sha2.h>
#include <stdint.h>
#include "arm/arm.h"
#include "store/rows.h"

/* Further inputs of a row. */
struct key_parts {
	const char *what; /* of every point: mode, bounds, ... */
	/* parts that certainly equal those of the last key; enum config_part */
	unsigned same;
	int64_t seed_shift;
	uint64_t trace_hash; /* 0: the requests are generated */
};
/* SHA-256 in hex, remembered by the path. */
enum hash_of { HASH_FILE, HASH_PROGRAM, HASH_PLUGIN, HASH_PLUGIN_DATA };
struct file_hash {
	char *path;
	enum hash_of of;
	char sha256[STORE_KEY];
};
/* Results from earlier keys.  Zeroed: none. */
struct key_memory {
	struct file_hash *file; /* [n_files] */
	size_t n_files, cap_files;
	/* The hash of the parts before the workload. */
	SHA2_CTX head;
	int has_head;
};
void key_memory_free(struct key_memory *m);

/* Computes the key of an arm that is prepared (arm_prepare()).  Returns 0, or
 * -1 with *p filled in. */
int key_of_arm(char key[STORE_KEY], const struct arm *a,
	       const struct key_parts *k, struct key_memory *memory,
	       struct problem *p);
/* Finds the hash of the trace of a configuration; 0: its requests are
 * generated.  Returns 0, or -1 with *p filled in. */
int key_of_trace(uint64_t *hash, const struct config *c, struct traces *traces,
		 struct problem *p);
/* Computes the key of a configuration that cannot be resolved, with the
 * reason. */
int key_of_refusal(char key[STORE_KEY], const struct config *c,
		   const struct key_parts *k, const char *why,
		   struct key_memory *memory, struct problem *p);
