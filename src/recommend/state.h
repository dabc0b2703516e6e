/* recommend/state.h -- a recommendation as data: the request, what each arm
 * found, and the searches of the shortlist.  recommend.h says how it comes
 * about. */
#pragma once
#include "recommend/candidates.h"
#include "recommend/figures.h"
#include "recommend/question.h"
#include "decide/regret.h"
#include "sweep/sweep.h"

enum recommend_objective {
	OBJECTIVE_AUTO, /* gpus if there is a rate to serve, else rate        */
	OBJECTIVE_RATE,
	OBJECTIVE_USD,
	OBJECTIVE_GPUS,
	OBJECTIVE_ENERGY,
};

struct recommend;
/* The request of the user; the caller owns it. */
struct recommend_request {
	const char *config, *arms;
	struct names set, search, fix;
	const char *slo, *points, *models, *hardware, *gpus;
	int serve, objective; /* enum candidates_serve, recommend_objective   */
	double rate; /* requests/s to serve; 0: the most                      */
	double precision;
	int64_t budget; /* simulations of an arm's race; 0: no limit          */
	const char *front; /* "X,Y"; "": the usual ones; NULL: no ladder      */
	int lists_front;   /* 1: the text lists it, too                       */
	int one_draw;
	unsigned at_once; /* as of struct pool_options, also the next */
	int in_process;
	double answer_limit_s, memory_limit_gib;
	/* Called every few milliseconds; may be NULL. */
	void (*progress)(void *user, const struct recommend *r);
	void *user;
};

/* Why configurations cannot be, or what a cost model warns of: the first of
 * them, and how many have the same text (numbers differ in reasons, not in
 * warnings). */
struct recommend_reason {
	uint64_t words;
	size_t point;
	char *example;
	size_t n;
	int is_failure; /* 1: the plugin failed                               */
};
/* In the order of the first configurations, whatever the order of answers. */
struct recommend_reasons {
	struct recommend_reason *item; /* [n] */
	size_t n;
};
/* A full search. */
struct recommend_found {
	int is_wanted; /* by the arm: each winner, and what may be better     */
	int is_done;
	struct work_survey survey;
	struct capacity capacity;
	double needs_gpus; /* the least fleet of that shape for the rate      */
	struct answer_outside outside;
	struct capacity pessimistic;
	int has_pessimistic;
	struct trusted trusted;
	double joules_per_token; /* in the race; NaN: unknown                 */
};
/* A run that met the bounds. */
struct recommend_met {
	size_t point;
	struct work_served served;
	int is_on_front;
};
/* The winner, or the best of another shape, with bounds divided by the
 * pessimistic ends of the arm's intervals. */
struct recommend_pessimistic {
	size_t entry;
	int is_done, has_interval;
	double scale; /* the highest that was met; in a closed loop output
			 tokens/s; 0: none                              */
};
enum { PESSIMISTIC_SHAPES = 3 };
struct recommend_arm {
	struct work_survey *survey; /* [n_points] gpus 0: it cannot be        */
	struct race_entry *entry;   /* [n] those that can                     */
	size_t n;
	struct work_served *served; /* [n_points] where the bounds were met */
	struct recommend_met *met; /* [n_met] by point, in the end            */
	size_t n_met, met_cap;
	size_t *rate_steps; /* [n_rate_steps] entries, one of each shape */
	size_t n_rate_steps;
	uint64_t rungs; /* simulations of the ladder                          */
	struct race race;
	size_t winner, runner_up; /* points; SIZE_MAX: none                   */
	struct recommend_reasons reasons; /* why configurations cannot be     */
	struct recommend_pessimistic
	    pessimistic[PESSIMISTIC_SHAPES]; /* [n_pessimistic] the winner first
					      */
	size_t n_pessimistic;
	uint64_t pessimistic_runs; /* simulations of these */
	uint64_t failures;
	struct recommend_reasons warnings;
	/* Without a winner: the point that misses the bounds by least, and by
	 * how much; SIZE_MAX: none. */
	size_t nearest;
	double miss;
	struct capacity nearest_run;
};
/* Zeroed at first; not to be moved. */
struct recommend {
	const struct recommend_request *from;
	struct sweep sweep; /* configuration, plan, bounds, arms              */
	struct candidates candidates;
	uint32_t gpus[64]; /* of each kind */
	size_t n_gpus;
	uint32_t most_gpus;
	uint64_t max_model_len; /* set here; 0: configured                    */
	enum recommend_objective objective;
	enum recommend_figure front[2]; /* x and y of the Pareto front        */
	double base_rate; /* requests/s at scale 1                            */
	int is_closed;
	int runs_are_fixed;
	uint64_t trace_requests; /* of a trace once through; 0: none          */
	int is_timed;            /* the trace comes at its own times */
	size_t most_points;      /* that may be tried                       */
	int64_t default_limit[2]; /* of the engine, DOMAIN_TOKENS and _SEQS   */
	struct recommend_arm *arm; /* [sweep.arms.n]                          */
	size_t *shortlist;         /* [n_shortlist] points                    */
	size_t n_shortlist;
	struct recommend_found *found; /* [arms][n_shortlist]                 */
	int64_t
	    prefill_replicas; /* of [engine], which the search leaves out; 0 */
	size_t n_unsearched;  /* rows that may be better, beyond the looks */
	size_t *best; /* [arms] index in the shortlist; SIZE_MAX: none        */
	int *votes;   /* [arms]                                               */
	double *score; /* [arms][n_shortlist]                                 */
	struct regret regret;
	struct traces traces;
	uint64_t simulations; /* so far, of all phases                        */
	int interrupted;
};
