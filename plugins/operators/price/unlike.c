/* unlike.c -- Compares a question with the rows that answer it. */
#include "price/unlike.h"
#include <stdio.h>
#include <string.h>
#include "stepcost/interp.h"
#include "inst.h"

void unlike_word(sc_kernel_result *out, const char *column, const char *asked,
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

void unlike_rows(sc_kernel_result *out, const struct kernels *by,
		 const struct sc_op_pick *asked, const char *formats)
{
	if (!by->from)
		return;
	const struct sc_op_pick *is = &by->from->pick.law;
	unlike_word(out, "routing", asked->routing, is->routing);
	unlike_word(out, "kv_dtype", asked->kv, is->kv);
	unlike_word(out, formats, asked->dtype, is->dtype);
}

void unlike_module(sc_kernel_result *out, const struct mixer_by *by,
		   const struct sc_mixer_pick *asked)
{
	if (!by->from)
		return;
	const struct sc_mixer_pick *is = &by->from->pick;
	unlike_word(out, "kv_dtype", asked->kv, is->kv);
	unlike_word(out, "gemm_dtype", asked->gemm, is->gemm);
	unlike_word(out, "model", asked->model, is->model);
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

static int n_unlike(const double asked[SIZES], const double is[SIZES])
{
	int n = 0;
	for (int i = 0; i < SIZES; i++)
		n += asked[i] > 0 && asked[i] != is[i];
	return n;
}

/* Writes the sizes of the row of a pick that is nearest to these. */
static void nearest_sizes(const struct inst *s, const struct mixer_source *f,
			  const double asked[SIZES], double nearest[SIZES])
{
	struct sc_mixer_columns c;
	struct sc_mixer_pick pick;
	struct sc_mixer_point point;
	int least = SIZES + 1;
	const sc_table *t = mixer_table_of(s, f->set, f->pick.table, &c);
	for (uint64_t row = 0; t && row < t->n_rows && least; row++) {
		double is[SIZES];
		if (!sc_mixer_pick_of(&c, row, &pick) ||
		    !sc_mixer_same_pick(&pick, &f->pick) ||
		    !sc_mixer_point_of(&c, row, &point))
			continue;
		fixed_sizes(&point.linear, is);
		if (n_unlike(asked, is) < least) {
			least = n_unlike(asked, is);
			memcpy(nearest, is, sizeof is);
		}
	}
}

void unlike_sizes(const struct inst *s, sc_kernel_result *out,
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
			unlike_word(out, size_name[i], "", word);
	}
}
