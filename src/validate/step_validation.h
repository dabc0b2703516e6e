/* validate/step_validation.h -- measured engine steps priced by every arm, no
 * scheduler: which part of an error is the cost model's, and which the
 * simulation's. */
#ifndef SC_VALIDATE_STEP_VALIDATION_H
#define SC_VALIDATE_STEP_VALIDATION_H
#include "validate/measured/measured_steps.h"
#include "validate/validation.h"

struct step_validation {
	const struct measured_steps *file;
	struct config *config; /* [file->n_runs] */
	size_t n_arms;
	const char **arm;  /* [n_arms] */
	double *us;        /* [n_arms * file->n], NaN: not priced            */
	char **why;        /* [n_arms * file->n_runs], NULL: it was          */
	int plugin_failed; /* somewhere: EXIT_PLUGIN, not only a refusal    */
	int interrupted;
};

/* 0, or -1 with *p; step_validation_free() in either case. */
int validate_steps(struct step_validation *v, const char *path,
		   const struct measured_steps *file,
		   const struct validate_options *o, struct problem *p);
void step_validation_free(struct step_validation *v);
#endif
