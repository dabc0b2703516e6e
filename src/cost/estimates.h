/* cost/estimates.h -- the shapes of steps with the most guessed time in a run,
 * in memory of fixed size.  Each shape has its own place as long as there are
 * places; then a new shape inherits the place and the time of the lightest one
 * ("space saving", Metwally, Agrawal and El Abbadi 2005: times are then upper
 * bounds, and no heavy shape is lost).  Plain data without pointers; zeroed
 * means empty.  [one thread] */
#pragma once
#include <stdint.h>

/* Steps of one shape that needed a guess of one kind. */
struct guessed_shape {
	uint32_t provenance; /* SC_CLAMPED, SC_SUBSTITUTED or SC_FALLBACK */
	uint32_t n_decode, n_prefill; /* numbers of sequences */
	uint32_t prefill_tokens; /* new tokens, rounded up to a power of two */
	/* longest context before the step, rounded up in the same way */
	uint32_t max_context;
	uint32_t pool;
	uint64_t steps;
	double time_us; /* guessed time in these steps */
};
enum {
	GUESSED_SHAPES = 32,
	GUESSED_GROUP = 4, /* neighbouring places; least[] has the lightest */
	GUESSED_CHAINS = 256,
};

struct estimates {
	uint32_t n;
	struct guessed_shape shape[GUESSED_SHAPES];
	/* For finding the lightest shape: least time per group, as bits. */
	uint64_t least[GUESSED_SHAPES / GUESSED_GROUP];
	/* For finding a shape: chains of shapes with the same hash, as place +
	 * 1; 0: end. */
	uint8_t first[GUESSED_CHAINS], next[GUESSED_SHAPES];
	uint8_t chain[GUESSED_SHAPES]; /* the chain of each shape */
};
/* Returns the place of a shape, for the next estimates_add(); the place stays
 * until a call needs one for another shape.  steps and time_us of *shape are
 * not read. */
uint32_t estimates_place(struct estimates *g,
			 const struct guessed_shape *shape);
/* Adds a step of the shape at `place`; time_us >= 0 of it was guessed. */
void estimates_add(struct estimates *g, uint32_t place, double time_us);
/* Writes out[g->n], the heaviest first. */
void estimates_heaviest(const struct estimates *g,
			struct guessed_shape out[GUESSED_SHAPES]);
