/* arm/variants.h -- arms that differ from one arm of an INI in a single knob,
 * or in every combination of two values of a few.
 *
 * They are expressed as --set assignments and a list for --arms, so the
 * resulting configuration is checked like any other.  A pair of presets comes
 * from the plugin's declarations; a child process loads the plugin.  [main] */
#pragma once
#include <stddef.h>
#include "arm/configuration.h"
#include "base/ini.h"
#include "base/problem.h"

struct variant {
	char *arm;          /* its name */
	char *knob, *value; /* the knob that is set; NULL: none */
	int inert;          /* 1: it has no effect in the arm's state */
};
/* A switch of --factorial. */
struct factor {
	char *knob, *value[2];
};
enum { VARIANT_FACTORS = 8 };
struct variants {
	struct factor factor[VARIANT_FACTORS];
	unsigned n_factors;
	struct variant *item; /* item[0]: the others are compared with it */
	size_t n;
	char **set; /* "--OPTION section.key=value", for config_read() */
	size_t n_set;
	char *arms; /* "a,b,c", in order */
};

/* All take the INI c and the text of an option.  They return 0, or -1 with *p
 * filled in.  The caller calls variants_free() in either case. */
/* "ARM.KNOB=a,b,c": that arm, and one more per value.  ARM is the name of an
 * arm or of its plugin. */
int variants_ablate(struct variants *v, const struct ini *c, const char *text,
		    struct problem *p);
/* "ARM=FROM,TO": the arm with preset TO, with preset FROM, and with TO and one
 * knob at a time set back to its value in FROM. */
int variants_leave_one_out(struct variants *v, const struct ini *c,
			   const char *text, struct problem *p);
/* text[n]: "ARM.KNOB=a,b", of 2 to 8 knobs of one arm: an arm for each of the
 * 2^n combinations.  The knob text[j] has its second value where the index of
 * the arm has bit j; its name tells the bits, "ARM-01": the first knob at its
 * first value. */
int variants_factorial(struct variants *v, const struct ini *c,
		       const char *const *text, size_t n, struct problem *p);
/* Marks the variants of a configuration that is loaded with them.  Returns 0,
 * or -1 with *p filled in: the knob of --ablate, or a switch of
 * --factorial, has no effect in any arm. */
int variants_mark_inert(struct variants *v, const struct config *c,
			struct problem *p);
void variants_free(struct variants *v);
