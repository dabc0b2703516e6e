/* sweep/work.h -- the work on one point, one seed and one arm; the arm is the
 * worker's group.  It sets the axes, checks whether the known row is still
 * valid, and otherwise simulates or searches.  The work() of a pool
 * (jobs/pool.h). */
#pragma once
#include "jobs/pool.h"
#include "record/warm_up.h"
#include "store/rows.h"
#include "capacity/capacity.h"
#include "sweep/plan.h"
#include "workload/trace/traces.h"

/* The same for all questions.  config and traces become the worker's own. */
struct sweep_task {
	const struct plan *plan;
	struct config *config;
	struct traces *traces;
	enum store_mode mode;
	const struct bounds *bounds; /* for a capacity search */
	double rate, precision;
	const struct warm_up_rule *warm_up;
	const char *what;  /* for struct key_parts */
	size_t step_bytes; /* of the worker's shared memory */
};

struct sweep_question {
	uint64_t point;
	int64_t seed_shift;
	char known[STORE_KEY]; /* key of the existing row; "": none */
};
/* Plain data.  If the worker dies, as far as it was filled in. */
struct sweep_answer {
	char key[STORE_KEY];
	int is_known; /* 1: the existing row is valid */
	int has_figures;
	double number[STORE_NUMBERS];
	char text[STORE_TEXTS][32];
	char warning[STORE_WARNING];
	double seconds, cpu_seconds;
};

int sweep_work(struct pool_worker *w, void *user, const void *question,
	       void *answer, struct problem *p);
void sweep_leave(struct pool_worker *w, void *user);
