/* live/live.h -- arms on a clock: requests are given to them while they run,
 * and they tell when the clients have which tokens.
 *
 * Each arm runs in a child process.  The first one answers; the others get the
 * same requests, and only their state is kept.  The caller owns the clock: it
 * stamps requests, cancels and resets in one strictly growing sequence of
 * times, and orders all events up to a time.  Nothing that an arm has reported
 * up to then is revised later.  [main] */
#pragma once
#include "api/buffer.h"
#include "live/child.h"
#include "live/message.h"

enum { LIVE_ARMS = 16 };

/* What the first arm tells; any of them may be NULL. */
struct live_listener {
	void (*routed)(void *ctx, uint64_t row, uint32_t replica);
	void (*lost)(void *ctx, uint64_t row);
	void (*tokens)(void *ctx, uint64_t row, uint32_t n, int64_t client_ns);
	void (*ended)(void *ctx, const struct request_event *e);
	void (*reset)(void *ctx, int all);
	void (*step)(void *ctx, uint32_t replica, const struct live_step *x);
	void (*blocks)(void *ctx, uint32_t replica,
		       const struct block_change *x);
	void *ctx;
};
/* Counts of the last minute of simulated time, and of all of it: of times, by
 * the least power of two of ms that they do not exceed, from 2^0. */
enum { LIVE_BUCKETS = 18, LIVE_SLOTS = 6, LIVE_SLOT_S = 10 };
struct live_counts {
	uint64_t tokens, time[2][LIVE_BUCKETS]; /* TTFT, TPOT */
};
struct live_arm {
	struct arm_process is;
	struct live_start start;
	struct buffer in, out;
	int has_facts;
	int is_reported; /* for the caller */
	struct live_facts facts;
	int64_t reached_ns, next_ns;  /* all events up to reached_ns happened */
	struct simulation_load *load; /* [facts.replicas] */
	struct live_step *last;       /* the last step; [facts.replicas] */
	uint64_t steps, ended[5];     /* by enum ending */
	struct live_counts all, slot[LIVE_SLOTS]; /* slot: a ring of 10 s */
	int64_t slot_at;                          /* the present one */
	double sum_s[2];                          /* of TTFT and TPOT of all */
};
struct live {
	struct children children;
	struct child child[LIVE_ARMS];
	struct live_arm arm[LIVE_ARMS];
	size_t n;
	struct live_listener to;
	int64_t ordered_ns; /* the horizon: the last time ordered */
	int64_t stamp_ns;   /* the last stamp */
};
/* Limits of the arms, and rows that they write. */
struct live_options {
	double answer_limit_s, memory_limit_gib;
	int writes_requests, writes_steps; /* rows, for live_write() */
	uint32_t longest_item;             /* tokens; 0: no items */
};
/* Starts the arms.  Returns 0, or -1 with *p filled in.  The caller calls
 * live_close() in either case; *l must not be moved. */
int live_open(struct live *l, const struct config *c,
	      const struct live_options *o, const struct live_listener *to,
	      struct problem *p);
/* Waits for the facts of all arms.  Returns 0, or -1 with *p filled in. */
int live_await_facts(struct live *l, struct problem *p);
/* Returns the stamp for something that is noticed at now_ns. */
int64_t live_stamp(struct live *l, int64_t now_ns);
/* r->arrival_ns and ns are stamps. */
void live_give(struct live *l, const struct live_request *r);
void live_cancel(struct live *l, uint64_t row, int64_t ns);
void live_reset(struct live *l, uint32_t replica, int64_t ns);
/* Orders all events up to now_ns, if that is later than before. */
void live_advance(struct live *l, int64_t now_ns);
/* Writes and reads what the sockets take and have.  Call it when one of them is
 * ready, and after the calls above.  Returns 1 if something came. */
int live_exchange(struct live *l);
/* Returns the counts of the last minute. */
struct live_counts live_recent(const struct live_arm *a);
/* Looks for children that ended or hang.  Returns 0, or -1 with *p filled in if
 * a signal asks this process to end. */
int live_look(struct live *l, struct problem *p);
/* The arms finish: their files are complete.  Returns 0, or -1 with *p. */
int live_end(struct live *l, struct problem *p);
/* Appends the rows of requests, or of steps, of all arms.  Returns 0, or -1
 * with errno. */
int live_write(const struct live *l, int steps, FILE *to);
void live_close(struct live *l);
