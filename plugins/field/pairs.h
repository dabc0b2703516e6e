/* plugins/field/pairs.h -- attention profiled at pairs (prompt tokens,
 * decodes): each has times over the context of the prompt and that of the
 * decodes, and lines between.  Where a pair of the grid was not profiled the
 * nearest one answers. */
#ifndef FIELD_PAIRS_H
#define FIELD_PAIRS_H
#include "curves.h"

/* A pair (prompt tokens, decodes) has rows of one prompt context each, and a
 * row has times over the decode context. */
struct field_row_of_pair {
	double context;
	size_t first, n; /* of length[] and ns[] */
};
struct field_pair {
	double prompt, decodes;
	size_t first, n; /* of row[] */
};
struct field_pairs {
	struct field_pair *pair; /* [n_pairs], ascending */
	struct field_row_of_pair *row;
	double *length, *ns;
	size_t n_pairs, n_prompt, n_decodes;
	double prompt[64], decodes[64]; /* the axes of pairs */
	const struct field_pair **at;   /* [n_prompt * n_decodes] nearest */
};

/* Rows are in order of prompt tokens, decodes, prompt context. */
static inline void field_take_pairs(struct field_pairs *s,
				    const struct field_figures *f)
{
	size_t points = 0;
	for (size_t i = 0; i < f->rows; i++) {
		double prompt = field_number(f, i, 0);
		double decodes = field_number(f, i, 1);
		struct field_pair *p =
		    s->n_pairs ? &s->pair[s->n_pairs - 1] : NULL;
		if (!p || p->prompt != prompt || p->decodes != decodes) {
			p = &s->pair[s->n_pairs++];
			*p = (struct field_pair){prompt, decodes, i, 0};
			field_add_to_axis(s->prompt, &s->n_prompt, prompt);
			field_add_to_axis(s->decodes, &s->n_decodes, decodes);
		}
		p->n++;
		s->row[i] = (struct field_row_of_pair){field_number(f, i, 2),
						       points, 0};
		for (size_t k = 3; k < f->columns; k++) {
			if (!*field_cell(f, i, k))
				continue;
			s->length[points] =
			    strtod(strchr(f->name[k], '=') + 1, NULL);
			s->ns[points++] = field_number(f, i, k);
			s->row[i].n++;
		}
	}
}

/* The profiled pair that is nearest, the first of equals. */
static const struct field_pair *
field_nearest_pair(const struct field_pairs *s, double prompt, double decodes)
{
	const struct field_pair *best = s->pair;
	double least = INFINITY;
	for (size_t i = 0; i < s->n_pairs && least > 0; i++) {
		double dp = s->pair[i].prompt - prompt;
		double dd = s->pair[i].decodes - decodes;
		if (dp * dp + dd * dd < least) {
			least = dp * dp + dd * dd;
			best = &s->pair[i];
		}
	}
	return best;
}

static inline int32_t field_find_nearest_pairs(struct field_pairs *s,
					       sc_error *err)
{
	size_t n = s->n_prompt * s->n_decodes;
	s->at = calloc(n + 1, sizeof *s->at);
	if (!s->at)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		s->at[i] = field_nearest_pair(s, s->prompt[i / s->n_decodes],
					      s->decodes[i % s->n_decodes]);
	return SC_OK;
}

static inline void field_free_pairs(struct field_pairs *s)
{
	free(s->pair), free(s->row), free(s->length), free(s->at);
}

/* Reads FOLDER/file of the plugin.  The caller calls field_free_pairs(). */
static inline int32_t field_load_pairs(struct field_pairs *s,
				       const sc_setup *setup, const char *file,
				       sc_error *err)
{
	struct field_figures f;
	int32_t rc = field_load(
	    &f, setup, file,
	    "prefill_tokens,decodes,prefill_context,decode_context=", err);
	size_t cells = f.rows * f.columns + 1;
	s->pair = calloc(cells, sizeof *s->pair);
	s->row = calloc(f.rows + 1, sizeof *s->row);
	s->length = calloc(2 * cells, sizeof *s->length);
	s->ns = s->length + cells;
	if (rc == SC_OK && (!s->pair || !s->row || !s->length))
		rc = sc_fail(err, SC_ENOMEM, "out of memory");
	if (rc == SC_OK)
		field_take_pairs(s, &f);
	field_free(&f);
	return rc == SC_OK ? field_find_nearest_pairs(s, err) : rc;
}

/* Attention of a pair that was profiled, at kp and kd. */
static inline double field_in_pair(const struct field_pairs *s,
				   const struct field_pair *p, double kp,
				   double kd)
{
	const struct field_row_of_pair *row = &s->row[p->first];
	struct field_bracket b =
	    field_bracket(&row->context, p->n, sizeof *row, kp);
	double ns[2];
	for (int i = 0; i < 2; i++) {
		const struct field_row_of_pair *r = &row[i ? b.high : b.low];
		const double *at = &s->ns[r->first];
		struct field_bracket d =
		    field_bracket(&s->length[r->first], r->n, sizeof *at, kd);
		ns[i] = field_between(at[d.low], at[d.high], d.w);
		if (b.low == b.high)
			return ns[i];
	}
	return field_between(ns[0], ns[1], b.w);
}

/* One layer's attention, ns: prompt tokens behind kp cached ones, decodes at
 * kd. */
static inline double field_pairs_ns(const struct field_pairs *s, double prompt,
				    double kp, double decodes, double kd)
{
	struct field_bracket p =
	    field_bracket(s->prompt, s->n_prompt, sizeof *s->prompt, prompt);
	struct field_bracket d = field_bracket(s->decodes, s->n_decodes,
					       sizeof *s->decodes, decodes);
	double ns[2][2];
	if (!(prompt + decodes > 0))
		return 0;
	for (int i = 0; i <= (p.low != p.high); i++)
		for (int k = 0; k <= (d.low != d.high); k++)
			ns[i][k] = field_in_pair(
			    s,
			    s->at[(i ? p.high : p.low) * s->n_decodes +
				  (k ? d.high : d.low)],
			    kp, kd);
	for (int i = 0; i <= (p.low != p.high); i++)
		if (d.low != d.high)
			ns[i][0] = field_between(ns[i][0], ns[i][1], d.w);
	return field_whole_ns(p.low == p.high
				  ? ns[0][0]
				  : field_between(ns[0][0], ns[1][0], p.w));
}
#endif
