/* plugins/field/skew.h -- how much longer unequal decodes take than their mean
 * says: a share alpha of the way to all of them being as long as the longest,
 * by buckets of a step. */
#ifndef FIELD_SKEW_H
#define FIELD_SKEW_H
#include "curves.h"

/* Upper bounds of the buckets of unequal batches; the last has all beyond. */
static const double skew_decodes[] = {2, 4, 8, 16, 32, 64, 128, 256, 1e6},
		    skew_rate[] = {0.05, 0.15, 0.4, 0.7, 1.01},
		    skew_longest[] = {1024, 4096, 16384, 1e9},
		    skew_context[] = {0, 512, 1024, 2048, 4096, 8192, 1e9};
enum { N_DECODES = 9, N_RATE = 5, N_LONGEST = 4, N_CONTEXT = 7 };
#define N_BUCKETS (N_DECODES * N_RATE * N_LONGEST * N_CONTEXT)

struct field_skew { /* alpha NULL: none */
	double *alpha, prompt[64], other;
	size_t n;
};

/* The index of the first upper bound that is not below x; the last, beyond. */
static inline size_t field_bucket(const double *upper, size_t n, double x)
{
	size_t i = 0;
	while (i + 1 < n && upper[i] < x)
		i++;
	return i;
}
static inline size_t field_bucket_of(size_t prompt, double decodes, double rate,
				     double longest, double context)
{
	size_t i =
	    prompt * N_DECODES + field_bucket(skew_decodes, N_DECODES, decodes);
	i = i * N_RATE + field_bucket(skew_rate, N_RATE, rate);
	i = i * N_LONGEST + field_bucket(skew_longest, N_LONGEST, longest);
	return i * N_CONTEXT + field_bucket(skew_context, N_CONTEXT, context);
}

/* Reads FOLDER/file of the plugin; its first row has the alpha of all buckets
 * without one.  The caller frees s->alpha. */
static inline int32_t field_load_skew(struct field_skew *s,
				      const sc_setup *setup, const char *file,
				      sc_error *err)
{
	struct field_figures f;
	int32_t rc = field_load(
	    &f, setup, file,
	    "prefill_tokens,decodes,rate,longest,prefill_context,alpha", err);
	for (size_t i = 1; rc == SC_OK && i < f.rows; i++)
		field_add_to_axis(s->prompt, &s->n, field_number(&f, i, 0));
	s->alpha = calloc((s->n + 1) * N_BUCKETS, sizeof *s->alpha);
	if (rc == SC_OK && !s->alpha)
		rc = sc_fail(err, SC_ENOMEM, "out of memory");
	if (rc == SC_OK)
		s->other = field_number(&f, 0, 5);
	for (size_t i = 0; rc == SC_OK && i < s->n * N_BUCKETS; i++)
		s->alpha[i] = s->other;
	for (size_t i = 1; rc == SC_OK && i < f.rows; i++)
		s->alpha[field_bucket_of(
		    field_bucket(s->prompt, s->n, field_number(&f, i, 0)),
		    field_number(&f, i, 1), field_number(&f, i, 2),
		    field_number(&f, i, 3), field_number(&f, i, 4))] =
		    field_number(&f, i, 5);
	field_free(&f);
	return rc;
}

static inline double field_skew_of(const struct field_skew *s, double prompt,
				   double decodes, double rate, double longest,
				   double context)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->prompt[i] == prompt)
			return s->alpha[field_bucket_of(i, decodes, rate,
							longest, context)];
	return s->other;
}
#endif
