/* workload/replay.h -- the rows of a trace as requests in order of time.  It
 * streams if the file is in order; otherwise it sorts an index by time
 * (stably).  Rows that share parts of their prompts (hash ids, prefix groups,
 * sessions) get these parts as segments. */
#pragma once
#include "base/map64.h"
#include "workload/segments.h"
#include "workload/trace/trace.h"
#include "workload/trees.h"

struct replay_place {
	int64_t time_ns;
	uint64_t offset, line;
};
struct replay {
	struct trace *trace; /* owned */
	uint64_t n, taken;   /* rows */
	uint64_t rows, next; /* of one time around; the next of them */
	uint64_t around; /* times that all rows came before the row at hand */
	uint64_t n_failed;
	int is_even; /* 4 or more rows, equally spaced in time */
	/* Rows behind the last one used; more_left_out: there are even more. */
	uint64_t n_left_out;
	int more_left_out;
	/* line of the first row that is earlier than the row before it */
	uint64_t inversion;
	int64_t first_ns; /* of the earliest row */
	/* From a row to the same row of the next time around: rows keep their
	 * rate.  0: their times do not count, or all have the same. */
	int64_t period_ns;
	struct replay_place *sorted; /* NULL: in the order of the file */
	struct trees trees;          /* zeroed: no row is after others */
	struct trace_row row;        /* read but not taken yet */
	int has_row;
	struct segments segments;
	/* Sessions with growing prompts. */
	struct map64 sessions; /* session -> 1 + index of its conversation */
	struct conversation {
		struct segments said;
		uint64_t tokens;
		uint32_t turns, last;
	} * conversation;
	size_t n_conversations, conversations_cap;
	/* Belong to the request that was taken last: */
	char *name;
	size_t name_cap;
	struct mm_item *item;
	size_t item_cap;       /* bytes */
	uint32_t longest_item; /* tokens, of all rows that are used */
	int may_leave; /* 1: a request may leave before its planned tokens */
	int has_after; /* 1: a row waits for the end of other rows */
};

/* Reads through the trace once; at most `limit` rows (0: all) are used.
 * by_time: 1 for the order of time, 0 for the order of the file.  Takes
 * ownership of the trace. */
int replay_open(struct replay *r, struct trace *t, uint64_t limit, int by_time,
		struct problem *p);
/* Before the first row: begins at row `first`, goes on at the first one after
 * the last, and yields n rows in all.  Conversations begin anew each time
 * around. For the order of the file.  Returns 0, or -1 with *p filled in. */
int replay_begin_at(struct replay *r, uint64_t first, uint64_t n,
		    struct problem *p);
/* Before the first row: all rows come `times` times over.  From the second time
 * on their sessions, and the parts that prompts share, are others than before.
 * Returns 0, or -1 with *p filled in. */
int replay_repeat(struct replay *r, uint64_t times, struct problem *p);
/* Returns 1 with the time of the next row, counted from the earliest (or from 0
 * if the format's times are absolute); 0 if there are no more; -1 with *p
 * filled in.  With trees: the same of the next tree. */
int replay_peek(struct replay *r, int64_t *time_ns, struct problem *p);
/* Says that the clock ends before the row that replay_peek() read.  Returns
 * -1. */
int replay_late(const struct replay *r, struct problem *p);
/* Takes the row that replay_peek() found; fills in all of *q except row and
 * arrival.  Its pointers are valid until the next replay_take(). */
int replay_take(struct replay *r, struct request *q, struct problem *p);
/* With trees: takes that row instead. */
int replay_take_row(struct replay *r, uint64_t row, struct request *q,
		    struct problem *p);
void replay_free(struct replay *r);
