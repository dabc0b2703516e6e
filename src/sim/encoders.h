/* sim/encoders.h -- what the encoders of one replica do: the items (pictures,
 * sound) of requests that a step encodes, and the cache of encoded items.
 *
 * An item is encoded as a whole, in the first step that computes one of its
 * tokens.  The cache has each encoded item once, by name, with the requests
 * that use it.  An item without users stays until room is needed; those that
 * were left first are dropped first.  A step encodes at most as many tokens as
 * the cache has room for.  Sources: vLLM, v1/core/encoder_cache_manager.py,
 * v1/core/sched/scheduler.py (_try_schedule_encoder_inputs).  Integers only in
 * decisions.  [one thread] */
#pragma once
#include <stdint.h>
#include "base/map64.h"
#include "base/problem.h"
#include "engine/engine.h"
#include "sim/observer.h"
#include "workload/request.h"

/* The items of one request. */
struct mm_uses {
	uint32_t n, n_used;
	struct mm_use {
		struct mm_item is;
		uint32_t first; /* index of its name's first item */
		/* 1: the request uses the name; only at the name's first item
		 */
		uint8_t is_used;
		uint8_t has_left; /* 1: its tokens were computed */
		uint8_t is_met;   /* 1: it was encoded, or found in the cache */
	} item[];
};
/* Copies the items of a request that has some; free() it.  Returns NULL if
 * memory is out. */
struct mm_uses *mm_uses_make(const struct request *r);

/* An encoded item in the cache, in the list of the unused ones if it has no
 * users. */
struct mm_cached {
	uint64_t name;
	uint32_t tokens, users;
	/* Neighbours in that list, as indices in cached[], or NO_CACHED. */
	uint32_t before, after;
};
#define NO_CACHED UINT32_MAX

struct encoders {
	const struct encoder_rules *rules;
	uint32_t step_tokens; /* max_num_batched_tokens */
	uint32_t ahead;       /* tokens that drafting reads ahead: 0 or 1 */
	/* Tokens of the cache: */
	uint64_t capacity;
	uint64_t free;        /* that no cached item takes */
	uint64_t freeable;    /* free, or of items that no request uses */
	struct map64 by_name; /* 1 + index in cached[]; 0: not there */
	struct mm_cached *cached;
	uint32_t n_cached, cap_cached, spare;
	uint32_t oldest, newest; /* ends of the list of unused items */
	/* About the step being formed: */
	uint64_t budget; /* tokens that it can still encode */
	/* [n_encoded] items that it encodes; behind them n_open items of the
	 * request that encoders_pick() looked at last, which is not in the step
	 * yet.  open_budget: the budget that these would leave. */
	struct encoded *encoded;
	uint32_t n_encoded, n_open, cap_encoded;
	uint64_t open_budget;
	/* The first request that could compute no token, because an item of it
	 * did not fit. */
	int is_blocked;
	uint64_t blocked_row;
	/* Over all steps: items encoded and found, time of encoding. */
	uint64_t sum_encoded, sum_found;
	double sum_us;
	int out_of_memory; /* sticky */
};
/* longest: tokens of the workload's longest item.  *x becomes NULL if there is
 * none, or if items are not simulated with that engine.  Returns 0, or -1 if
 * memory is out. */
int encoders_make(struct encoders **x, const struct engine *e,
		  uint32_t longest);
/* x may be NULL.  Returns 0, or -1 with *p filled in for a request with items
 * that cannot be encoded. */
int encoders_check(const struct encoders *x, const struct request *r,
		   struct problem *p);
void encoders_free(struct encoders *x);
static inline uint64_t encoders_filled(const struct encoders *x)
{
	return x->capacity - x->free;
}
/* Begins a step that encodes nothing. */
void encoders_begin(struct encoders *x);
/* A request is to compute n tokens from `computed` on: picks the items that
 * must be encoded for that.  Returns how many of the tokens it can compute. */
uint32_t encoders_pick(struct encoders *x, struct mm_uses *u, uint64_t row,
		       uint32_t computed, uint32_t n);
/* Puts the items that were picked for a request into the cache, because the
 * step has the request. */
void encoders_enter(struct encoders *x, struct mm_uses *u);
/* Undoes encoders_pick() for a request that left the step again. */
void encoders_unpick(struct encoders *x, uint64_t row);
/* The request's first `computed` tokens were processed: it leaves the items
 * before them. */
void encoders_leave(struct encoders *x, struct mm_uses *u, uint32_t computed);
/* The request leaves all its items; it may begin anew. */
void encoders_leave_all(struct encoders *x, struct mm_uses *u);
/* Returns how much longer the formed step lasts, and sums it up. */
double encoders_step_us(struct encoders *x);
