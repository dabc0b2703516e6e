/* engine/keys/source.h -- the places of the keys of [engine] in an INI, and the
 * refusal of a key with its place.  [any thread] */
#pragma once
#include "base/ini.h"
#include "base/problem.h"

/* The sections of disaggregated prefill and decode, by pool: they have keys of
 * [engine], and `hardware.…`. */
extern const char *const engine_pool_section[2];

/* The keys of a later section override those of earlier sections. */
struct engine_source {
	const struct ini *ini; /* [engine] of it                             */
	const char *pool;      /* of engine_pool_section; NULL: none          */
	const char *arm; /* its section, with keys `engine.…`; NULL: none    */
	int is_part; /* pools lay theirs over it: a preset may be theirs     */
};
/* Returns the place of a given key; NULL: the key is not given. */
const struct ini_item *engine_key_item(const struct engine_source *s,
				       const char *key);
/* Returns 1 if the item is in the arm's own section; t may be NULL. */
int engine_is_of_arm(const struct engine_source *s, const struct ini_item *t);
/* Refuses the value of a key with EXIT_USAGE, its place (from may be NULL) and
 * why; returns -1. */
int engine_refuse(struct problem *p, const struct engine_source *from,
		  const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
