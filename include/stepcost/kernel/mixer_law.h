/* stepcost/kernel/mixer_law.h -- header-only helper for plugins: the laws of
 * linear_law.h and sparse_law.h under one name.  A mixer is what mixes the
 * tokens of a sequence in a layer in place of ordinary attention: a kernel of a
 * linear layer, or a whole block of sparse attention.
 *
 * Each row of sc_mixer_kinds is a table of measured kernels, with the axes
 * along which it was measured; each row of sc_mixer_laws has the constants of a
 * law.  A MANIFEST has them as operators.TABLE.KEY.CONSTANT. */
#ifndef SC_MIXER_LAW_H
#define SC_MIXER_LAW_H
#include "stepcost/kernel/linear_law.h"
#include "stepcost/kernel/sparse_law.h"

#define SC_MIXER_AXES 4
#define SC_MIXER_CONSTANTS 6

enum sc_mixer_table {
	SC_MIXER_GDN,
	SC_MIXER_KDA,
	SC_MIXER_MAMBA2,
	SC_MIXER_DSA_DECODE,
	SC_MIXER_DSA_PREFILL,
	SC_MIXER_MSA_DECODE,
	SC_MIXER_MSA_PREFILL,
	SC_MIXER_CSA_DECODE,
	SC_MIXER_CSA_PREFILL,
	SC_N_MIXERS
};
enum sc_mixer_law_kind {
	SC_MIXER_STATE,
	SC_MIXER_CONV,
	SC_MIXER_SCAN,
	SC_MIXER_MODULE,
	SC_N_MIXER_LAWS
};

struct sc_mixer_kind {
	const char *table;
	int is_sparse;
	uint32_t family; /* SC_FAMILY_* of the one or the other */
	uint32_t n_axes;
	const char *axis[SC_MIXER_AXES]; /* columns */
};
static const struct sc_mixer_kind sc_mixer_kinds[SC_N_MIXERS] = {
    {"gdn", 0, SC_FAMILY_GDN, 4, {"k_heads", "v_heads", "batch", "seq_len"}},
    {"kda", 0, SC_FAMILY_KDA, 3, {"heads", "batch", "seq_len"}},
    {"mamba2", 0, SC_FAMILY_MAMBA2, 4, {"heads", "state", "batch", "seq_len"}},
    {"dsa_module_decode", 1, SC_FAMILY_DSA, 3, {"heads", "batch", "kv_len"}},
    {"dsa_module_prefill",
     1,
     SC_FAMILY_DSA,
     4,
     {"heads", "batch", "seq_len", "prefix"}},
    {"msa_module_decode", 1, SC_FAMILY_MSA, 3, {"heads", "batch", "kv_len"}},
    {"msa_module_prefill",
     1,
     SC_FAMILY_MSA,
     4,
     {"heads", "batch", "seq_len", "prefix"}},
    {"csa_module_decode", 1, SC_FAMILY_CSA, 3, {"heads", "batch", "kv_len"}},
    {"csa_module_prefill",
     1,
     SC_FAMILY_CSA,
     4,
     {"heads", "batch", "seq_len", "prefix"}},
};

/* Returns the number of a table; SC_N_MIXERS: it is none of these. */
static inline uint32_t sc_mixer_table(const char *table)
{
	uint32_t i = 0;
	while (i < SC_N_MIXERS && strcmp(sc_mixer_kinds[i].table, table) != 0)
		i++;
	return i;
}

static inline int sc_mixer_is_decode(uint32_t table)
{
	return sc_mixer_kinds[table].is_sparse &&
	       sc_mixer_kinds[table].n_axes == 3;
}

struct sc_mixer_constants {
	uint32_t n;
	struct sc_oplaw_constant constant[SC_MIXER_CONSTANTS];
};
/* Starts of shares are logistic(.5), logistic(-1), logistic(.8) and
 * logistic(0), those of e_b 1.3 times that; of a chain exp(3), of scores
 * exp(1). */
static const struct sc_mixer_constants sc_mixer_laws[SC_N_MIXER_LAWS] = {
    {2, {{"t0_us", 3, 0, 0}, {"e_b", 1.3 * .6224593312018546, 0, 1.3}}},
    {3,
     {{"t0_us", 3, 0, 0},
      {"e_b", 1.3 * .6224593312018546, 0, 1.3},
      {"token_us_per_1000", 1, 0, 0}}},
    {4,
     {{"t0_us", 15, 0, 0},
      {"e_c", .2689414213699951, 0, 1},
      {"e_b", 1.3 * .6224593312018546, 0, 1.3},
      {"chain_us_per_1000", 20.085536923187668, 0, 0}}},
    {6,
     {{"t0_us", 60, 0, 0},
      {"e_c", .6224593312018546, 0, 1},
      {"e_b", 1.3 * .6899744811276125, 0, 1.3},
      {"e_a", .5, 0, 1},
      {"e_i", .5, 0, 1},
      {"score_us_per_1e6", 2.718281828459045, 0, 0}}},
};

/* Returns the SC_MIXER_STATE ... of a table's kernel; op: SC_CONV_DECODE ... of
 * a linear layer. */
static inline uint32_t sc_mixer_law_of(uint32_t table, uint32_t op)
{
	if (sc_mixer_kinds[table].is_sparse)
		return SC_MIXER_MODULE;
	return op == SC_SCAN_PREFILL   ? SC_MIXER_SCAN
	       : op == SC_CONV_PREFILL ? SC_MIXER_CONV
				       : SC_MIXER_STATE;
}

/* What a rank runs: one of the two. */
struct sc_mixer {
	struct sc_linear linear;
	struct sc_sparse sparse;
};
/* For `batch` sequences of `tokens` new tokens behind `prefix` others each;
 * a linear layer is the same behind any number. */
struct sc_mixer_at {
	double batch, tokens, prefix;
};

/* A law with its constants, at the rates of a GPU. */
struct sc_mixer_law {
	uint32_t table, op; /* SC_MIXER_*; SC_CONV_DECODE ... */
	struct sc_sparse_rates rates;
	double c[SC_MIXER_CONSTANTS];
};

static inline double sc_mixer_us(const struct sc_mixer_law *l,
				 const struct sc_mixer *m,
				 const struct sc_mixer_at *at)
{
	if (!sc_mixer_kinds[l->table].is_sparse)
		return sc_linear_us(&m->linear, l->op, at->batch, at->tokens,
				    l->rates.bandwidth, l->rates.peak16, l->c);
	const struct sc_sparse_step step = {at->batch, at->tokens, at->prefix,
					    sc_mixer_is_decode(l->table)};
	return sc_sparse_us(&m->sparse, &step, &l->rates, l->c);
}

/* Fills in where a kernel lies on the axes of its table. */
static inline void sc_mixer_axes(uint32_t table, const struct sc_mixer *m,
				 const struct sc_mixer_at *at,
				 double axis[SC_MIXER_AXES])
{
	const struct sc_mixer_kind *kind = &sc_mixer_kinds[table];
	uint32_t n = 0;
	if (kind->is_sparse) {
		axis[n++] = m->sparse.heads;
	} else {
		if (kind->family == SC_FAMILY_GDN)
			axis[n++] = m->linear.k_heads;
		axis[n++] = m->linear.v_heads;
		if (kind->family == SC_FAMILY_MAMBA2)
			axis[n++] = m->linear.k_dim;
	}
	axis[n++] = at->batch;
	if (sc_mixer_is_decode(table)) {
		axis[n++] = at->prefix + at->tokens;
	} else {
		axis[n++] = at->tokens;
		if (kind->is_sparse)
			axis[n++] = at->prefix;
	}
	while (n < SC_MIXER_AXES)
		axis[n++] = 0;
}

/* Returns the logarithm by which points of an axis lie apart; a prompt may have
 * no prefix. */
static inline double sc_mixer_log(uint32_t table, uint32_t axis, double v)
{
	int is_prefix = sc_mixer_kinds[table].is_sparse && axis == 3;
	return log(is_prefix ? v + 256 : v);
}
#endif
