/* live/live.h -- arms on a clock: requests are given to them while they run,
 * and they tell when the clients have which tokens.
 *
 * Each arm runs in a child process.  The first one answers; the others get the
 * same requests, and only their state is kept.  The caller owns the clock: it
 * stamps requests, cancels and resets in one strictly growing sequence of
 * times, and orders all events up to a time.  Nothing that an arm has reported
 * up to then is revised later.  [main] */
#ifndef SC_LIVE_LIVE_H
#define SC_LIVE_LIVE_H
#include "arm/configuration.h"
#include "jobs/child.h"
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
	void (*step)(void *ctx, uint32_t replica, uint32_t tokens,
		     int64_t lasts_ns);
	void *ctx;
};
struct live_arm {
	const char *name;
	struct live_start start;
	struct live_slot *slot;
	size_t slot_bytes;
	int fd; /* -1: closed */
	unsigned char *in, *out;
	size_t n_in, cap_in, n_out, cap_out;
	int has_facts, is_dead;
	int is_reported; /* for the caller */
	struct live_facts facts;
	int64_t reached_ns, next_ns;  /* all events up to reached_ns happened */
	struct simulation_load *load; /* [facts.replicas] */
	uint64_t steps, ended[5];     /* by enum ending */
	char *failure;                /* the one line; NULL: none */
	int code;                     /* exit code of it */
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
/* Starts the arms.  writes_requests: rows of requests are wanted.  Returns 0,
 * or -1 with *p filled in.  The caller calls live_close() in either case; *l
 * must not be moved. */
int live_open(struct live *l, const struct config *c, int writes_requests,
	      double answer_limit_s, double memory_limit_gib,
	      const struct live_listener *to, struct problem *p);
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
/* Looks for children that ended or hang.  Returns 0, or -1 with *p filled in if
 * a signal asks this process to end. */
int live_look(struct live *l, struct problem *p);
/* The arms finish: their files are complete.  Returns 0, or -1 with *p. */
int live_end(struct live *l, struct problem *p);
/* Appends the rows of requests of all arms. */
int live_write_requests(const struct live *l, FILE *to);
void live_close(struct live *l);
#endif
