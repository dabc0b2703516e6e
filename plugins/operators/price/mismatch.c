/* mismatch.c -- Compares a question with the rows that answer it. */
#include "price/mismatch.h"
#include <stdio.h>
#include <string.h>
#include "stepcost/interp.h"
#include "inst.h"

void mismatch_word(sc_kernel_result *out, const char *column, const char *asked,
		   const char *is)
{
	char used[sizeof out->used];
	if (!asked || !is || !strcmp(asked, is))
		return;
	memcpy(used, out->used, sizeof used);
	int n = snprintf(out->used, sizeof out->used, "%s=%s, ", column, is);
	if (n > 0 && (size_t)n < sizeof used)
		memcpy(out->used + n, used, sizeof used - (size_t)n);
	out->used[sizeof out->used - 1] = '\0';
	out->provenance = sc_worse(out->provenance, SC_SUBSTITUTED);
}

void mismatch_rows(sc_kernel_result *out, const struct kernels *by,
		   const struct sc_op_key *asked, const char *formats)
{
	if (!by->from)
		return;
	const struct sc_op_key *is = &by->from->row_key.law;
	mismatch_word(out, "routing", asked->routing, is->routing);
	mismatch_word(out, "kv_dtype", asked->kv, is->kv);
	mismatch_word(out, formats, asked->dtype, is->dtype);
}

void mismatch_module(sc_kernel_result *out, const struct mixer_by *by,
		     const struct sc_mixer_key *asked)
{
	if (!by->from)
		return;
	const struct sc_mixer_key *is = &by->from->row_key;
	mismatch_word(out, "kv_dtype", asked->kv, is->kv);
	mismatch_word(out, "gemm_dtype", asked->gemm, is->gemm);
	mismatch_word(out, "model", asked->model, is->model);
}

/* ---- sizes of linear layers ---- */

enum { SIZES = 5 };
static const char *const size_name[SIZES] = {"conv", "v_dim", "k_dim",
					     "k_heads", "chunk"};

/* The sizes that are no axis; 0: an axis, or not told. */
static void fixed_sizes(const struct sc_linear *l, double is[SIZES])
{
	int mamba = l->family == SC_FAMILY_MAMBA2;
	is[0] = l->conv;
	is[1] = l->v_dim;
	is[2] = l->family == SC_FAMILY_GDN ? l->k_dim : 0;
	is[3] = mamba ? l->k_heads : 0;
	is[4] = mamba ? l->chunk : 0;
}

static int n_mismatches(const double asked[SIZES], const double is[SIZES])
{
	int n = 0;
	for (int i = 0; i < SIZES; i++)
		n += asked[i] > 0 && asked[i] != is[i];
	return n;
}

/* Writes the sizes of the row of a row key that is nearest to these. */
static void nearest_sizes(const struct inst *s, const struct mixer_group *f,
			  const double asked[SIZES], double nearest[SIZES])
{
	struct sc_mixer_columns c;
	struct sc_mixer_key row_key;
	struct sc_mixer_point point;
	int least = SIZES + 1;
	const sc_table *t = mixer_table_of(s, f->set, f->row_key.table, &c);
	for (uint64_t row = 0; t && row < t->n_rows && least; row++) {
		double is[SIZES];
		if (!sc_mixer_key_of(&c, row, &row_key) ||
		    !sc_mixer_same_key(&row_key, &f->row_key) ||
		    !sc_mixer_point_of(&c, row, &point))
			continue;
		fixed_sizes(&point.linear, is);
		if (n_mismatches(asked, is) < least) {
			least = n_mismatches(asked, is);
			memcpy(nearest, is, sizeof is);
		}
	}
}

void mismatch_sizes(const struct inst *s, sc_kernel_result *out,
		    const struct mixer_by *by, const struct sc_linear *what)
{
	double asked[SIZES], is[SIZES] = {0};
	char word[24];
	if (!by->from)
		return;
	fixed_sizes(what, asked);
	nearest_sizes(s, by->from, asked, is);
	for (int i = 0; i < SIZES; i++) {
		snprintf(word, sizeof word, "%.0f", is[i]);
		if (asked[i] > 0 && asked[i] != is[i])
			mismatch_word(out, size_name[i], "", word);
	}
}
