/* validate/trial/trial.h -- one simulation and the measured rows that it
 * answers: its requests, and what it overrides of [model], [hardware] and
 * [engine]. */
#ifndef SC_VALIDATE_TRIAL_TRIAL_H
#define SC_VALIDATE_TRIAL_TRIAL_H
#include "validate/measured/measured.h"
#include <stddef.h>
#include "workload/planned.h"

enum { TRIAL_SETTINGS = 96 };

struct trial {
	const struct measured *file;
	const char *name; /* of the run */
	size_t *row;      /* [n_rows] of file->row, in order of stage         */
	uint64_t *first; /* [n_rows + 1] where each row's requests begin      */
	size_t n_rows;
	struct planned_request *request; /* [repeats * n]; of each n, those
					    before first[0] are a warm-up     */
	uint64_t n, concurrency;
	uint64_t repeats; /* simulations, each with requests of its own; the
			     median answers; 0: one */
	char *setting[TRIAL_SETTINGS]; /* as --set takes them                 */
	size_t n_settings;
	char *knob[TRIAL_SETTINGS]; /* "KNOB=value", of arms that have it    */
	size_t n_knobs;
	int tpot_only;
	/* What the first `concurrency` requests count in means; -1: each
	 * request alike. */
	double first_wave_share;
	double gpus; /* that served the row together; 0: one replica's      */
};

/* One more setting, as printf.  0, or -1: out of memory. */
int trial_set(struct trial *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* One more knob.  0, or -1. */
int trial_set_knob(struct trial *t, const char *knob, const char *value);
/* Adds `more` requests, all zeros, and returns them; NULL: out of memory. */
struct planned_request *trial_add_requests(struct trial *t, uint64_t more);
void trial_free(struct trial *t);
#endif
