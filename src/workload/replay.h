/* workload/replay.h -- a trace's rows as requests, in order of time: streaming
 * where the file is in order, else by an index sorted by time (stably).  Rows
 * that say what their prompts share (hash ids, prefix groups, sessions) get it
 * as segments. */
#ifndef SC_WORKLOAD_REPLAY_H
#define SC_WORKLOAD_REPLAY_H
#include "base/map64.h"
#include "workload/segments.h"
#include "workload/trace.h"

struct replay_place {
	int64_t time_ns;
	uint64_t offset, line;
};
struct replay {
	struct trace *trace; /* owned                                         */
	uint64_t n, taken;   /* rows                                          */
	uint64_t n_failed;
	int is_even; /* 4 rows or more, all the same time apart             */
	uint64_t n_left_out; /* behind them; more_left_out: at least so many  */
	int more_left_out;
	uint64_t inversion; /* line of the first row before its predecessor   */
	int64_t first_ns;   /* of the earliest row                            */
	struct replay_place *sorted; /* NULL: as the file has them            */
	struct trace_row row;        /* read, not yet taken                   */
	int has_row;
	struct segments segments;
	/* sessions whose prompts grow */
	struct map64 sessions; /* session -> 1 + its conversation             */
	struct conversation {
		struct segments said;
		uint64_t tokens;
		uint32_t turns, last;
	} * conversation;
	size_t n_conversations, conversations_cap;
	char *name;
	size_t name_cap;
};

/* Reads the trace through once: at most `limit` rows (0: all) are used.
 * by_time: in order of time, else of the file.  Takes the trace over. */
int replay_open(struct replay *r, struct trace *t, uint64_t limit, int by_time,
		struct problem *p);
/* 1 with the next row's time, from the earliest (or, if the format's times
 * are absolute, from 0); 0: no more; -1: *p. */
int replay_peek(struct replay *r, int64_t *time_ns, struct problem *p);
/* The row that replay_peek() announced; all but row and arrival.  What it
 * points to lives until the next replay_take(). */
int replay_take(struct replay *r, struct request *q, struct problem *p);
void replay_free(struct replay *r);
#endif
