/* validate/replay/row_replay.h -- one simulation and the measured rows that it
 * answers: its requests, and what it overrides of [model], [hardware] and
 * [engine]. */
#pragma once
#include <stddef.h>
#include "validate/replay/protocol.h"

enum { ROW_REPLAY_SETTINGS = 96 };

struct row_replay {
	const struct measured *file;
	const char *name; /* of the run */
	size_t *row;      /* [n_rows] of file->row, in order of stage         */
	uint64_t *first; /* [n_rows + 1] where each row's requests begin      */
	size_t n_rows;
	/* [n] of the first simulation; those before first[0] are a warm-up */
	struct planned_request *request;
	uint64_t n, concurrency;
	/* Simulations; their median answers; 0: one.  The requests of later
	 * ones are drawn when they run (row_replay_draw()). */
	uint64_t repeats;
	struct protocol protocol;
	char *setting[ROW_REPLAY_SETTINGS]; /* as --set takes them */
	size_t n_settings;
	char *knob[ROW_REPLAY_SETTINGS]; /* "KNOB=value", of arms that have it;
						"engine.KEY=0", of arms that
						price requests themselves */
	size_t n_knobs;
	int tpot_only;
	double gpus; /* that served the row together; 0: one replica's      */
};

/* One more setting, as printf.  0, or -1: out of memory. */
int row_replay_set(struct row_replay *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* One more knob.  0, or -1. */
int row_replay_set_knob(struct row_replay *t, const char *knob,
			const char *value);
/* Adds `more` requests, all zeros, and returns them; NULL: out of memory. */
struct planned_request *row_replay_add_requests(struct row_replay *t,
						uint64_t more);
void row_replay_free(struct row_replay *t);
