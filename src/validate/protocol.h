/* validate/protocol.h -- how a measured run is simulated: its requests, and
 * what it overrides of [model], [hardware] and [engine].
 *
 * The protocols and their constants are data, [protocol:NAME] of the alias
 * file (etc/measured.ini):
 *   prompts    arrivals at a constant rate, stage after stage of a run in one
 *              simulation; a pool of prompts in groups with a shared prefix
 *   replay     the arrivals of a trace, one stage of it; without a rate a
 *              closed loop of one
 *   single     one request at a time
 *   closed     a closed loop of prompts that share nothing
 *   benchmark  arrivals as a benchmark client makes them: at a rate, at once,
 *              or in a closed loop */
#ifndef SC_VALIDATE_PROTOCOL_H
#define SC_VALIDATE_PROTOCOL_H
#include "validate/measured.h"

enum { TRIAL_SETTINGS = 24 };

/* One simulation, and the rows that it answers. */
struct trial {
	const struct measured *file;
	const char *name; /* of the run */
	size_t *row;      /* [n_rows] of file->row, in order of stage         */
	uint64_t *first; /* [n_rows + 1] where each row's requests begin      */
	size_t n_rows;
	struct planned_request *request; /* [n]; before first[0]: warm-up     */
	uint64_t n, concurrency;
	char *setting[TRIAL_SETTINGS]; /* as --set takes them                 */
	size_t n_settings;
	int tpot_only;
};
struct trials {
	struct trial *trial;
	size_t n;
	/* Rows that cannot be simulated, and why. */
	struct unsimulated {
		size_t row;
		char why[160];
	} * left_out;
	size_t n_left_out;
};

/* 0, or -1 with *p; trials_free() in either case. */
int trials_plan(struct trials *t, const struct measured *file,
		const struct ini *aliases, struct problem *p);
void trials_free(struct trials *t);
/* The measured mean of a metric in the meaning of the simulation's: a TPOT
 * that includes the first token is told by the row's flags. */
int trial_tpot_has_first_token(const struct measured_row *r);
#endif
