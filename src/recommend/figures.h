/* recommend/figures.h -- the figures by which configurations are compared.
 * [any thread] */
#pragma once
#include "base/problem.h"
#include "recommend/question.h"

enum recommend_figure {
	RECOMMEND_RATE,
	RECOMMEND_TOKENS,
	RECOMMEND_TOKENS_PER_GPU,
	RECOMMEND_TOKENS_PER_USER,
	RECOMMEND_GPUS,
	RECOMMEND_USD_PER_HOUR,
	RECOMMEND_USD_PER_MTOK,
	RECOMMEND_JOULES, /* of an output token                              */
	RECOMMEND_FIGURES
};
struct recommend_figure_row {
	const char *name;
	int better; /* 1: more is better, -1: less is better                  */
};
extern const struct recommend_figure_row recommend_figure[RECOMMEND_FIGURES];

/* NaN: unknown. */
void recommend_figures_of(const struct work_survey *survey,
			  const struct work_served *served,
			  double v[RECOMMEND_FIGURES]);
/* Reads "X,Y", "" for throughput per GPU against per user.  Returns 0, or -1
 * with *p (EXIT_USAGE). */
int recommend_figures_parse(const char *text, enum recommend_figure out[2],
			    struct problem *p);
