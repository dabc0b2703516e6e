/* equality.c -- Compares the prices of two cost models. */
#include "decide/equality.h"
#include <math.h>
#include <string.h>

const char *const equality_name[N_EQUALITIES] = {"identical", "equal",
						 "rounding", "differ"};

#define EQUAL_WITHIN 1e-12

static int same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

void equal_steps_add(struct equal_steps *e, double exact_a, double exact_b,
		     double total_a, double total_b)
{
	double most = fmax(fabs(exact_a), fabs(exact_b));
	double r = most > 0 ? fabs(exact_a - exact_b) / most : 0;
	if (r > e->largest) {
		e->largest = r;
		e->worst = e->steps;
	}
	e->steps++;
	e->other_bits += !same_bits(exact_a, exact_b);
	e->differing += !same_bits(total_a, total_b);
}

enum equality equal_steps_verdict(const struct equal_steps *e)
{
	if (!e->steps)
		return EQUAL_DIFFER;
	if (!e->other_bits)
		return EQUAL_IDENTICAL;
	if (e->largest <= EQUAL_WITHIN)
		return EQUAL_EQUAL;
	return e->differing ? EQUAL_DIFFER : EQUAL_ROUNDING;
}

int equal_steps_are_one(const struct equal_steps *e)
{
	return equal_steps_verdict(e) <= EQUAL_EQUAL;
}

void equal_steps_join(struct equal_steps *e, const struct equal_steps *more)
{
	if (more->largest > e->largest) {
		e->largest = more->largest;
		e->worst = e->steps + more->worst;
	}
	e->steps += more->steps;
	e->differing += more->differing;
	e->other_bits += more->other_bits;
}
