/* arm/inert.h -- keys that are set and have no effect, because of another key
 * of their section (sc_knob.when).
 *
 * A knob of a plugin is inert at any value.  A key of the host is not, where
 * its value is the default or turns its feature off (0, false, none, off,
 * empty).  Only a note follows where a command line made the key (--axis,
 * --ablate, --try), or made a key that takes its effect.  So is a key of the
 * host in the file that --set takes the effect from, as a feature is turned
 * off, and one in the file of a command that tries other values. */
#pragma once
#include "arm/arm_list.h"
#include "base/ini.h"
#include "base/names.h"
#include "engine/keys/engine_keys.h"
#include "keys/hardware.h"
#include "keys/when.h"
#include "model/model_kinds.h"
#include "workload/keys.h"

enum inert_rule { INERT_KNOBS, INERT_KEYS };

/* The keys "PREFIXname" of [section], and the block that they filled. */
struct inert_in {
	const struct ini *ini;
	const char *section, *prefix;
	struct when_of of;
	enum inert_rule rule;
	int is_searched; /* 1: inert keys are noted, and none is refused */
};

/* Returns the next inert key, or NULL; *i: 0 at first (keys/when.h). */
const struct ini_item *inert_next(const struct inert_in *in, uint32_t *i);
enum { INERT_TEXT = 600 };
/* Writes "SECTION: KEY has no effect with STATE" for the key before index i. */
void inert_say(char text[INERT_TEXT], const struct inert_in *in, uint32_t i);
/* Refuses the first inert key, or adds a note where a command line made it.
 * Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int inert_check(const struct inert_in *in, struct names *notes,
		struct problem *p);
/* The values of an arm on the GPUs of one pool. */
struct inert_values {
	struct engine_keys engine;
	struct hardware hardware;
};
/* The host's sections of a configuration, with their blocks filled in. */
struct inert_sections {
	const struct ini *ini;
	const struct workload_keys *workload;
	const struct engine_keys *common; /* of [engine] alone */
	const struct model_kinds *kinds; /* kinds of layers that read [model] */
	const struct arm_config *arm;    /* [n] */
	/* [n] of each arm; behind them, if pools have sections of their own,
	 * [n] of the pool that generates. */
	const struct inert_values *value;
	size_t n;
	int is_apart;    /* 1: pools have sections of their own */
	int is_searched; /* 1: inert keys are noted, and none is refused */
};
/* Checks them as inert_check() does.  A key is inert if no block that its
 * section is read into gives it an effect. */
int inert_check_sections(const struct inert_sections *c, struct names *notes,
			 struct problem *p);
