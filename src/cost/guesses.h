/* cost/guesses.h -- the shapes of step whose guesses took most of a run's time,
 * however many shapes there are: each has a place of its own as long as there
 * are places; then a new one inherits the place and the time of the lightest
 * ("space saving", Metwally, Agrawal and El Abbadi 2005: times are upper bounds
 * then, and none that is heavy is lost).
 * Plain data, no pointers; zeroed is empty.  [one thread] */
#ifndef SC_COST_GUESSES_H
#define SC_COST_GUESSES_H
#include <stdint.h>

/* Steps of one shape that needed a guess. */
struct guessed_shape {
	uint32_t provenance; /* SC_CLAMPED, SC_SUBSTITUTED or SC_FALLBACK  */
	uint32_t n_decode, n_prefill; /* sequences                         */
	uint32_t prefill_tokens; /* new ones, rounded up to a power of two */
	uint32_t max_context;    /* longest KV before, rounded up likewise */
	uint32_t pool;
	uint64_t steps;
	double time_us; /* of those steps, that came so                    */
};
enum {
	GUESSED_SHAPES = 32,
	GUESSED_GROUP = 4, /* places side by side, of which one is lightest */
	GUESSED_CHAINS = 256,
};

struct guesses {
	uint32_t n;
	struct guessed_shape shape[GUESSED_SHAPES];
	/* to find the lightest: the time of each group's, by its bits */
	uint64_t least[GUESSED_SHAPES / GUESSED_GROUP];
	/* to find a shape: chains of those of the same hash, as place + 1; 0:
	 * the end */
	uint8_t first[GUESSED_CHAINS], next[GUESSED_SHAPES];
	uint8_t chain[GUESSED_SHAPES]; /* that a shape is in */
};
/* The place of a shape, for guesses_add() next; its own until a call finds none
 * for another.  steps and time_us of *shape are not read. */
uint32_t guesses_place(struct guesses *g, const struct guessed_shape *shape);
/* A step of the shape at that place, of which so much time came so, 0 at least.
 */
void guesses_add(struct guesses *g, uint32_t place, double time_us);
/* out[g->n]: the heaviest first. */
void guesses_heaviest(const struct guesses *g,
		      struct guessed_shape out[GUESSED_SHAPES]);
#endif
