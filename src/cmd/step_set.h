/* cmd/step_set.h -- shared by `eval`, `score` and `fit`: opens files of steps
 * and the arms of a configuration on each of their deployments. */
#pragma once
#include "cmd/cmd.h"
#include "steps/arms.h"

#define STEPS_OF_OPTION(block_, member_)                                       \
	OPTION_OF(block_, TEXT, "steps-of", "ARM", member_,                    \
		  "the steps of that arm of FILE, where `run --write-steps` "  \
		  "wrote several; default: of the first")

/* Reads the files, and prints the notes about them.  aliases: those of
 * aliases_read(); empty ones are read here.  Returns 0, or -1 with *p filled
 * in.  The caller calls step_set_free() and ini_free() in either case. */
int open_step_set(struct step_set *set, struct ini *aliases,
		  const struct cmdline *c, const char *const *file, size_t n,
		  const struct step_set_options *o, struct problem *p);
/* Lays the deployments over the configuration c->arg[0]; prints the notes.
 * extra, beside: as in step_arms_options.  Returns 0, or -1 with *p filled in.
 * The caller calls step_arms_free() in either case. */
int open_step_arms(struct step_arms *arms, const struct step_set *set,
		   const struct ini *aliases, const struct cmdline *c,
		   const char *extra, const struct config *beside,
		   struct problem *p);
