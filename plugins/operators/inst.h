/* inst.h -- An instance of operators: what create() makes and eval() reads.
 * Surfaces lie in its arena, which has room for all rows of all tables: a
 * source that create() did not need is built when kernel() asks for it, without
 * allocation. */
#ifndef OPERATORS_INST_H
#define OPERATORS_INST_H
#include "stepcost/kernel/step_tables.h"
#include "choose/sets.h"
#include "knobs.h"
#include "price/mla.h"
#include "price/linear.h"
#include "price/sparse.h"
#include "read/arena.h"
#include "read/mixers.h"
#include "read/row_groups.h"
#include "step/calls.h"

struct memo;
struct assignment;
struct decodes;
enum { MAX_PASSES = 64 }; /* micro-batches of a pipeline */
enum { LOGS = 1024 };

struct inst {
	struct knobs k;
	const struct policy_rows *policy;
	struct numbers number;
	struct sc_step_tables tables;
	const sc_setup *setup; /* with tables of steps as kernels */
	uint32_t engine;
	double
	    version[SC_VERSION_NUMBERS]; /* of the engine; [0] < 0: unknown */
	struct sc_rates rates;           /* of the hardware */
	uint32_t n_sets, n_row_groups;
	struct set set[MAX_SETS];
	struct row_group *row_group; /* [MAX_ROW_GROUPS] */
	struct sc_op_point *points;  /* room for the rows of any one set */
	uint32_t n_mixer_groups;
	struct mixer_group *mixer_group;     /* [MAX_MIXER_SOURCES] */
	struct sc_mixer_point *mixer_points; /* room for any one table */
	struct arena arena;

	/* the model on one rank */
	double tp, ep, dp, pp, moe_tp, hidden, vocab, graph_max;
	uint32_t n_gemms, n_moes, n_attentions, n_mlas, n_linears, n_sparses;
	struct gemm_call *gemms; /* by tokens */
	struct moe_call *moes;
	struct attention_call *attentions;
	struct mla_call *mlas;
	struct linear_call *linears;
	struct sparse_call *sparses;
	struct gemm head;
	struct curve all_reduce, logits;
	struct curve exchange[2]
			     [2];      /* gather and scatter, or dispatch and
					  combine; of decodes alone, with prompts */
	double n_reduces, n_exchanges; /* in a step */
	double n_norm_reduces; /* of norms over the heads of all ranks */
	/* What a network between machines adds to each; 0: there is none. */
	double decode_net_us, decode_net_us_per_token;
	double reduce_net_us, reduce_net_us_per_token;
	struct curve_call mhc[2]; /* before blocks and behind them */
	int has_mixers;           /* linear or sparse attention */
	double n_layers, small_kernels, small_us_per_token;
	double logit_us; /* of one sequence's logits once through memory */
	double host_step_us, host_seq_us, host_layer_us, eager_layer_us;
	double mixed_decode; /* on decode attention beside prompts */
	int host_is_hidden, divides, captures_prompts;
	int pads_all; /* ranks pad to the busiest in every step */
	double stage_us, stage_us_per_token; /* a send between stages */

	double log_of[LOGS]; /* logarithms of whole numbers, for batches */
	struct memo *memo, *batches; /* the latter of sums of the former */
	struct assignment *assignment;
	struct decodes *decodes;
};
#endif
