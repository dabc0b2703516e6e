/* validate/fit/refit.h -- knobs of an arm as parameters of a least-squares fit
 * to measured runs.  A knob is fitted by its logarithm, of 1 + v where it
 * starts from 0.  Points are simulated once and remembered: fits that leave a
 * run out start from the same ones.  [main] */
#pragma once
#include "validate/validation.h"
#include "stepcost/plugin.h"

#define REFIT_TTFT_WEIGHT 0.7 /* that of TPOT is 1 */

struct calibrated_knob {
	const sc_knob *knob;
	double before, after; /* before: where the fit starts */
	double configured;    /* as the arm has it */
	double low, high;     /* bounds */
};

struct refit {
	struct validation *v;
	const struct validate_options *validate;
	size_t arm;                   /* of v                                */
	struct calibrated_knob *knob; /* [n]                                 */
	const char *const *name;      /* [n] of the knobs                    */
	size_t n;
	const size_t *run_of; /* [rows] index of the run, SIZE_MAX: not used */
	size_t left_out;      /* a run, SIZE_MAX: none                       */
	void (*progress)(void *user, const char *what, uint32_t iteration,
			 double cost); /* may be NULL                        */
	void *user;
	char what[100]; /* is fitted, for progress                           */
	struct {
		double *x;                     /* [n][knobs] */
		struct prediction *prediction; /* [n][rows] */
		size_t n, cap;
	} memory;
};

/* Where the knobs started, as parameters x[n]. */
void refit_start(const struct refit *f, double *x);
/* The same as the arm has them. */
void refit_configured(const struct refit *f, double *x);
/* The greatest parameter that a knob has, and the value that one stands for. */
double refit_max(const struct calibrated_knob *k);
double refit_value(const struct calibrated_knob *k, double x);
/* to[n]: x with one knob a step away, downwards only at its upper bound. */
void refit_step(const struct refit *f, const double *x, size_t knob,
		double *to);
/* Simulates those of the points x[n_points][n] that have not been.  0, or -1
 * with *p. */
int refit_learn(struct refit *f, uint32_t n_points, const double *x,
		struct problem *p);
/* The predictions at x, one a row; valid until the next refit_learn(). */
const struct prediction *refit_recall(const struct refit *f, const double *x);
/* Moves x[n] to where the used runs are met best.  0, or -1 with *p. */
int refit_solve(struct refit *f, double *x, uint32_t iterations,
		struct problem *p);
/* Frees all predictions. */
void refit_free(struct refit *f);
