/* recommend/kept.h -- the simulations of a recommendation as rows of a store:
 * none is run again that is there and still valid.
 *
 * A row stands for a question of question.h.  Its axes are those of the plan,
 * and the question: recommend.question, .scale and .requests.  Its key says
 * everything that the answer depends on (sweep/key.h); workers compare it.  So
 * a recommendation that was killed, or one with shards that were merged, ends
 * with the answer of one that ran undisturbed.  Surveys and failures are not
 * kept; nor are searches at the far end of intervals, because these come from
 * scored errors that may change. [main]; no printing. */
#ifndef SC_RECOMMEND_KEPT_H
#define SC_RECOMMEND_KEPT_H
#include <sys/utsname.h>
#include "recommend/question.h"
#include "store/damage.h"
#include "sweep/sweep.h"

/* Points of a shard's study until its races are over; afterwards how many
 * answers they needed. */
enum { KEPT_RACING = -1 };

/* Zeroed: there is no store, and nothing is kept. */
struct kept {
	struct store *store;
	const struct sweep *sweep;
	struct damage dropped; /* rows of the store, before it began          */
	uint64_t n_found, n_added;
	/* Private: */
	const char **axis_value; /* [axes of the store]                       */
	struct utsname host;
	int64_t committed_ns, shard, shards;
};

/* Returns 1 if answers to such a question are kept. */
int kept_asks(const struct work_question *q);
/* shards 0: not a shard.  Returns 0, or -1 with *p; kept_close() in either
 * case.  s must outlive k. */
int kept_open(struct kept *k, const char *path, const struct sweep *s,
	      int64_t shard, int64_t shards, struct problem *p);
/* Fills in the study and the axes of such a store, without a shard.  Returns 0,
 * or -1 with *p; names_free() in either case. */
int kept_study(const struct sweep *s, struct store_study *study,
	       struct names *axis, struct problem *p);
/* Says in a shard's store that its races are over.  Returns 0, or -1 with
 * *p. */
int kept_finish(struct kept *k, struct problem *p);
/* Adds to the question the answer that the store has.  Returns 0, or -1 with
 * *p. */
int kept_look_up(struct kept *k, unsigned arm, struct work_question *q,
		 struct problem *p);
/* Adds an answer that was computed.  Returns 0, or -1 with *p. */
int kept_add(struct kept *k, unsigned arm, const struct work_question *q,
	     const struct work_answer *a, struct problem *p);
/* Commits from time to time.  Returns 0, or -1 with *p. */
int kept_moment(struct kept *k, struct problem *p);
/* Commits and closes; p may be NULL.  Returns 0, or -1 with *p. */
int kept_close(struct kept *k, struct problem *p);

/* An answer as numbers of STORE_RACE, without its support and its warning. */
void kept_write(const struct work_answer *a, double number[STORE_NUMBERS]);
void kept_read(struct work_answer *a, const double number[STORE_NUMBERS]);
#endif
