/* steps/set.h -- files of steps as one set: the rows that are used, and the
 * deployments that they were measured on.
 *
 * A deployment is what eleven columns say together: model, GPU, formats,
 * engine, and the parallel split (cost/steps.h).  Its name is the cells joined
 * by '/', and deployments are in the order of these names.  Rows that are not
 * used are counted by the reason.  [main] */
#pragma once
#include "base/ini.h"
#include "cost/steps.h"
#include "validate/measured/measured.h"

struct step_file {
	char *path;
	struct steps steps;
};
struct step_row {
	const struct step_file *file;
	const struct given_step *given;
	size_t deployment;
};
struct step_deployment {
	char *name;
	size_t *row; /* [n] indices of its rows, in their order */
	size_t n;
	struct step_row first; /* a row with the cells of the deployment */
	char *unknown; /* why its rows are left out; NULL: they are not */
	/* A row of measurements with the cells of the deployment, for the rules
	 * of the aliases. */
	struct measured as;
};
struct steps_left_out {
	char *why; /* a flag, or a sentence */
	int is_flag;
	size_t n;
};
struct step_set {
	struct step_file *file;
	size_t n_files;
	struct step_row *row; /* in the order of the files */
	size_t n, n_given;    /* used; all */
	struct step_deployment *deployment;
	size_t n_deployments;
	struct steps_left_out *left_out;
	size_t n_left_out;
	struct names notes; /* sentences for the user */
};

struct step_set_options {
	const char *steps_of; /* the arm of the rows; NULL: the first one */
	int all_flags;        /* rows with a flag of [flags] leave_out, too */
	int needs_time;       /* files without time_us are refused */
};

/* Reads the files.  aliases: names of models and GPUs, and the flags that leave
 * rows out.  Returns 0, or -1 with *p filled in.  The caller calls
 * step_set_free() in either case. */
int step_set_read(struct step_set *s, const char *const *path, size_t n,
		  const struct ini *aliases, const struct step_set_options *o,
		  struct problem *p);
void step_set_free(struct step_set *s);
/* Returns the number of rows of the deployment that has most. */
size_t step_set_most(const struct step_set *s);
