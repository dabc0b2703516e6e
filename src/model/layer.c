/* layer.c -- Lists the matrices of a layer, and computes what follows from
 * them. */
#include "model/layer.h"
#include <math.h>
#include "model/linear_attention.h"
#include "stepcost/format.h"
#include "stepcost/knob.h"

/* ---- matrices ---- */

/* The list that is being visited, and the sizes in its formulas. */
struct list {
	const struct model_keys *k;
	void (*visit)(void *ctx, const struct matrix *m);
	void *ctx;
	double d, heads, kv_heads, dim, v_dim;
};

static void put(const struct list *to, const char *name, enum layer_part part,
		enum layer_split split, double n)
{
	if (n > 0)
		to->visit(to->ctx, &(struct matrix){name, part, split, n});
}

static void put_vectors(const struct list *to, double n)
{
	put(to, "", LAYER_SMALL, SPLIT_NONE, n);
}

static void put_attention(const struct list *to, const char *name,
			  enum layer_split split, double n)
{
	put(to, name, LAYER_ATTENTION, split, n);
}

/* An indexer scores tokens with heads of its own; its queries are made from a
 * vector of width `from`. */
static void put_indexer(const struct list *to, double from)
{
	double n = (double)to->k->index_n_heads;
	double dim = (double)to->k->index_head_dim;
	put_attention(to, "self_attn.indexer.wq_b", SPLIT_NONE, from * n * dim);
	if (to->k->compress_ratio == 0)
		put_attention(to, "self_attn.indexer.wk", SPLIT_NONE,
			      n > 0 ? to->d * dim : 0);
}

/* Multi-head latent attention (DeepSeek-V2).  Its indexer (V3.2) has a norm
 * with a bias, and one weight per head. */
static void put_latent(const struct list *to)
{
	const struct model_keys *k = to->k;
	double ql = (double)k->q_lora_rank, kl = (double)k->kv_lora_rank;
	double nope = (double)k->qk_nope_head_dim, v = (double)k->v_head_dim;
	double rope = (double)k->qk_rope_head_dim,
	       q = to->heads * (nope + rope);
	put_attention(to, "self_attn.q_a_proj", SPLIT_NONE, to->d * ql);
	put_attention(to, ql > 0 ? "self_attn.q_b_proj" : "self_attn.q_proj",
		      SPLIT_TP, (ql > 0 ? ql : to->d) * q);
	put_attention(to, "self_attn.kv_a_proj_with_mqa", SPLIT_NONE,
		      to->d * (kl + rope));
	put_attention(to, "self_attn.kv_b_proj", SPLIT_TP,
		      kl * to->heads * (nope + v));
	put_attention(to, "self_attn.o_proj", SPLIT_TP, to->heads * v * to->d);
	if (k->attention_gate == GATE_FULL)
		put_attention(to, "self_attn.g_proj", SPLIT_TP,
			      to->d * to->heads * v);
	put_vectors(to, ql + kl);
	if (k->attention_bias != BIAS_NONE)
		put_vectors(to, ql + kl + rope + to->d);
	if (k->index_n_heads == 0)
		return;
	put_indexer(to, ql > 0 ? ql : to->d);
	put_vectors(to, 2 * (double)k->index_head_dim +
			    to->d * (double)k->index_n_heads);
}

/* Compressed attention (DeepSeek-V4): queries and output of low rank, one head
 * that uses its keys as values.  Beside its window it has entries that stand
 * for compress_ratio tokens each; they overlap if an indexer chooses among
 * them. */
static void put_compressed(const struct list *to)
{
	const struct model_keys *k = to->k;
	double ql = (double)k->q_lora_rank, ratio = (double)k->compress_ratio;
	double out = (double)k->o_groups * (double)k->o_lora_rank;
	double overlap = k->index_n_heads ? 2 : 1;
	double index = (double)k->index_head_dim;
	put_attention(to, "self_attn.q_a_proj", SPLIT_NONE, to->d * ql);
	put_attention(to, "self_attn.q_b_proj", SPLIT_TP,
		      ql * to->heads * to->dim);
	put_attention(to, "self_attn.kv_proj", SPLIT_NONE, to->d * to->dim);
	put_attention(to, "self_attn.o_a_proj", SPLIT_TP,
		      to->heads * to->dim * (double)k->o_lora_rank);
	put_attention(to, "self_attn.o_b_proj", SPLIT_TP, out * to->d);
	put_vectors(to, ql + to->dim);
	if (ratio > 0) {
		put_attention(to, "self_attn.compressor.kv_proj", SPLIT_NONE,
			      2 * to->d * overlap * to->dim);
		put_vectors(to, ratio * overlap * to->dim + to->dim);
	}
	if (k->index_n_heads == 0)
		return;
	put_indexer(to, ql);
	put_attention(to, "self_attn.indexer.kv_proj", SPLIT_NONE,
		      2 * to->d * overlap * index);
	put_vectors(to, ratio * overlap * index + index +
			    to->d * (double)k->index_n_heads);
}

/* An indexer without compression beside plain heads (MiniMax-M3): its queries
 * come from the residual stream, with norms over queries and keys. */
static void put_plain_indexer(const struct list *to)
{
	if (to->k->index_n_heads == 0)
		return;
	put_indexer(to, to->d);
	put_vectors(to, 2 * (double)to->k->index_head_dim);
}

static void put_plain_small(const struct list *to)
{
	const struct model_keys *k = to->k;
	double q = to->heads * to->dim, kv = k->kv_proj ? to->kv_heads : 0;
	double biases = q + kv * to->dim + (k->v_proj ? kv * to->v_dim : 0);
	double kv_norms = k->kv_proj ? to->kv_heads : 0;
	if (k->attention_bias != BIAS_NONE)
		put_vectors(to, biases);
	if (k->attention_bias == BIAS_ALL)
		put_vectors(to, to->d);
	if (k->qk_norm && k->qk_norm_all_heads)
		put_vectors(to, q + kv_norms * to->dim);
	else if (k->qk_norm)
		put_vectors(to, to->dim + (kv_norms > 0 ? to->dim : 0));
}

static void put_plain(const struct list *to)
{
	const struct model_keys *k = to->k;
	double out = to->heads * to->v_dim, ql = (double)k->q_lora_rank;
	put_attention(to, "self_attn.q_a_proj", SPLIT_NONE, to->d * ql);
	put_attention(to, "self_attn.q_proj", SPLIT_TP,
		      (ql > 0 ? ql : to->d) * to->heads * to->dim);
	put_vectors(to, ql);
	if (k->kv_proj)
		put_attention(to, "self_attn.k_proj", SPLIT_KV,
			      to->d * to->kv_heads * to->dim);
	if (k->kv_proj && k->v_proj)
		put_attention(to, "self_attn.v_proj", SPLIT_KV,
			      to->d * to->kv_heads * to->v_dim);
	put_attention(to, "self_attn.o_proj", SPLIT_TP, out * to->d);
	if (k->attention_gate != GATE_NONE)
		put_attention(
		    to, "self_attn.g_proj", SPLIT_TP,
		    to->d * (k->attention_gate == GATE_HEAD ? to->heads : out));
	put_plain_indexer(to);
	put_plain_small(to);
}

static void put_softmax(const struct list *to)
{
	if (to->k->kv_lora_rank)
		put_latent(to);
	else if (to->k->o_lora_rank)
		put_compressed(to);
	else
		put_plain(to);
	if (to->k->attention_sinks)
		put_vectors(to, to->heads);
}

static void put_linear(const struct list *to)
{
	struct linear_params n = linear_attention_params(to->k);
	put_attention(to, "linear_attn.in_proj", SPLIT_TP, n.in);
	put_attention(to, "linear_attn.out_proj", SPLIT_TP, n.out);
	put(to, "", LAYER_SMALL, SPLIT_TP, n.small);
}

static void put_dense(const struct list *to)
{
	double f = (double)to->k->intermediate_size, side = to->d * f;
	double sides = to->k->gated_mlp ? 2 : 1;
	put(to, "mlp.gate_proj", LAYER_FFN, SPLIT_TP,
	    to->k->gated_mlp ? side : 0);
	put(to, "mlp.up_proj", LAYER_FFN, SPLIT_TP, side);
	put(to, "mlp.down_proj", LAYER_FFN, SPLIT_TP, side);
	if (to->k->mlp_bias)
		put_vectors(to, sides * f + to->d);
}

static void put_shared(const struct list *to)
{
	const struct model_keys *k = to->k;
	double side = to->d * (double)k->n_shared_experts *
		      (double)k->shared_expert_intermediate_size;
	put(to, "mlp.shared_experts.gate_proj", LAYER_FFN, SPLIT_SHARED,
	    k->gated_mlp ? side : 0);
	put(to, "mlp.shared_experts.up_proj", LAYER_FFN, SPLIT_SHARED, side);
	put(to, "mlp.shared_experts.down_proj", LAYER_FFN, SPLIT_SHARED, side);
	if (k->shared_expert_gate)
		put_vectors(to, to->d);
}

static void put_sparse(const struct list *to)
{
	const struct model_keys *k = to->k;
	double e = (double)k->num_experts, f = (double)k->moe_intermediate_size;
	double rows = e + (double)k->zero_experts;
	double latent = (double)k->moe_latent_size;
	double width = latent > 0 ? latent : to->d, side = e * width * f;
	double sides = k->gated_mlp ? 2 : 1;
	put(to, "", LAYER_SMALL, SPLIT_NONE,
	    to->d * rows + (k->router_bias ? rows : 0));
	put(to, "mlp.experts.0.gate_proj", LAYER_EXPERT, SPLIT_EXPERT,
	    k->gated_mlp ? side : 0);
	put(to, "mlp.experts.0.up_proj", LAYER_EXPERT, SPLIT_EXPERT, side);
	put(to, "mlp.experts.0.down_proj", LAYER_EXPERT, SPLIT_EXPERT, side);
	if (k->expert_bias)
		put(to, "", LAYER_SMALL, SPLIT_EXPERT, e * (sides * f + width));
	put(to, "mlp.fc1_latent_proj", LAYER_FFN, SPLIT_NONE, to->d * latent);
	put(to, "mlp.fc2_latent_proj", LAYER_FFN, SPLIT_NONE, latent * to->d);
	put_shared(to);
	if (k->dense_beside_experts)
		put_dense(to);
}

void layer_matrices(const struct layer *l,
		    void (*visit)(void *ctx, const struct matrix *m), void *ctx)
{
	const struct model_keys *k = l->k;
	int64_t v_dim = k->v_head_dim ? k->v_head_dim : k->head_dim;
	const struct list to = {k,
				visit,
				ctx,
				(double)k->hidden_size,
				(double)k->num_attention_heads,
				(double)k->num_key_value_heads,
				(double)k->head_dim,
				(double)v_dim};
	int linear = l->mixer == MIX_LINEAR;
	if (!linear && l->mixer != MIX_NONE)
		put_softmax(&to);
	if (linear || k->linear_beside_attention)
		put_linear(&to);
	if (l->ffn == FFN_DENSE)
		put_dense(&to);
	else if (l->ffn == FFN_SPARSE)
		put_sparse(&to);
	put_vectors(&to,
		    (double)k->norms_per_layer * to.d * (k->norm_bias ? 2 : 1));
	put_vectors(&to, (double)k->other_params);
	put(&to, "other", LAYER_FFN, SPLIT_NONE, (double)k->other_matrices);
}

/* ---- number formats ---- */

/* In the order of the words of `quantization`. */
static const uint32_t quantized_format[] = {0, SC_FP8, SC_INT8, SC_FP4,
					    SC_INT4};

struct layer_format layer_quantized(const struct model_keys *k,
				    int64_t quantization, double bits)
{
	static const uint32_t dtype[] = {SC_BF16, SC_FP16, SC_FP32};
	double b = k->bytes_per_param;
	uint32_t base = dtype[k->torch_dtype];
	if (b > 0) {
		base = b > 2             ? SC_FP32
		       : b < 1           ? SC_FP4
		       : b <= 1          ? SC_FP8
		       : base == SC_FP16 ? SC_FP16
					 : SC_BF16;
		return (struct layer_format){base, 8 * b};
	}
	uint32_t format = quantized_format[quantization];
	if (!format)
		return (struct layer_format){
		    base, bits > 0 ? bits : sc_format_row(base)->stored};
	if (!(bits > 0))
		bits = sc_format_row(format)->stored;
	return (struct layer_format){format, bits};
}

struct layer_format layer_format(const struct model_keys *k,
				 enum layer_part part)
{
	const int64_t own[] = {k->attention_quantization, k->ffn_quantization,
			       k->expert_quantization, 1};
	const double bits[] = {k->attention_bits, k->ffn_bits, k->expert_bits,
			       0};
	if (own[part])
		return layer_quantized(k, own[part] - 1, bits[part]);
	if (part != LAYER_EXPERT && k->quantized_layers == QUANTIZED_EXPERTS)
		return layer_quantized(k, 0, 0);
	return layer_quantized(k, k->quantization,
			       bits[part] > 0    ? bits[part]
			       : k->quantization ? k->quantized_bits
						 : 0);
}

uint32_t layer_compute_format(const struct model_keys *k)
{
	uint32_t format = layer_format(k, LAYER_ATTENTION).format;
	const struct sc_format *row = sc_format_row(format);
	if (k->bytes_per_param > 0 ||
	    (!row->weights_only && k->activation_bits != 16))
		return format;
	return layer_quantized(k, 0, 0).format;
}

/* ---- sums ---- */

static void add(void *ctx, const struct matrix *m)
{
	struct layer_sum *s = ctx;
	s->n[m->part][m->split] += m->n;
}

struct layer_sum layer_sum(const struct layer *l)
{
	struct layer_sum s = {0};
	layer_matrices(l, add, &s);
	return s;
}

double layer_params(const struct layer *l)
{
	struct layer_sum s = layer_sum(l);
	double n = 0;
	for (int part = 0; part < N_LAYER_PARTS; part++)
		for (int split = 0; split < N_LAYER_SPLITS; split++)
			n += s.n[part][split];
	return n;
}

double layer_active_params(const struct layer *l)
{
	struct layer_sum s = layer_sum(l);
	double experts = 0, n = layer_params(l);
	for (int part = 0; part < N_LAYER_PARTS; part++)
		experts += s.n[part][SPLIT_EXPERT];
	if (experts > 0)
		n += experts * (double)l->k->num_experts_per_tok /
			 (double)l->k->num_experts -
		     experts;
	return n;
}

double layer_rank_bytes(const struct layer *l, uint32_t tp, uint32_t dp)
{
	struct layer_sum s = layer_sum(l);
	double kv = (double)l->k->num_key_value_heads, heads = floor(kv / tp);
	const double share[N_LAYER_SPLITS] = {
	    [SPLIT_NONE] = 1,
	    [SPLIT_TP] = 1.0 / tp,
	    [SPLIT_KV] = (heads < 1 ? 1 : heads) / kv,
	    [SPLIT_SHARED] = dp > 1 ? 1 : 1.0 / tp,
	    [SPLIT_EXPERT] = 1.0 / ((double)tp * dp),
	};
	double bits = 0;
	for (int part = 0; part < N_LAYER_PARTS; part++) {
		double n = 0;
		for (int split = 0; split < N_LAYER_SPLITS; split++)
			n += s.n[part][split] * share[split];
		bits += n * layer_format(l->k, (enum layer_part)part).bits;
	}
	return bits / 8;
}

/* ---- KV cache ---- */

static double index_bytes(const struct model_keys *k)
{
	double n = k->index_n_heads ? (double)k->index_head_dim : 0;
	int is_plain = !k->kv_lora_rank && !k->o_lora_rank;
	if (is_plain)
		return n * (k->index_kv_dtype == INDEX_KV_FP8 ? 1 : 2);
	return n + 4 * n / 128;
}

double layer_kv_bytes(const struct layer *l, uint32_t tp, double kv_bits)
{
	const struct model_keys *k = l->k;
	double dim = (double)k->head_dim, number = kv_bits / 8;
	double v_dim = k->v_head_dim ? (double)k->v_head_dim : dim;
	double heads = floor((double)k->num_key_value_heads / tp);
	if (l->mixer == MIX_LINEAR || l->mixer == MIX_NONE || !k->kv_cache)
		return 0;
	if (k->o_lora_rank && k->compress_ratio)
		return (dim * number + index_bytes(k)) /
		       (double)k->compress_ratio;
	if (k->o_lora_rank)
		return dim * number;
	if (k->kv_lora_rank == 0)
		return (heads < 1 ? 1 : heads) * (dim + v_dim) * number +
		       index_bytes(k);
	double rank = (double)k->kv_lora_rank;
	double rope = (double)k->qk_rope_head_dim;
	if (k->index_topk && kv_bits == 8)
		return rank + 4 * rank / 128 + 2 * rope + index_bytes(k);
	return (rank + rope) * number + index_bytes(k);
}

/* ---- for cost models ---- */

static int is_sparse(const struct layer *l)
{
	return l->mixer != MIX_LINEAR && l->mixer != MIX_NONE &&
	       (l->k->index_topk || l->k->compress_ratio);
}

const char *layer_mixer_name(const struct layer *l)
{
	static const char *const name[] = {"full", "window", "chunked",
					   "linear", "none"};
	const struct model_keys *k = l->k;
	if (l->mixer == MIX_NONE)
		return "none";
	if (l->mixer == MIX_LINEAR)
		return linear_attention_name(k);
	if (k->kv_lora_rank)
		return is_sparse(l) ? "sparse MLA" : "MLA";
	if (k->o_lora_rank && k->compress_ratio)
		return k->index_topk ? "sparse, compressed" : "compressed";
	if (is_sparse(l))
		return "sparse";
	return k->linear_beside_attention ? "full and linear" : name[l->mixer];
}

static uint32_t attention_code(const struct layer *l)
{
	static const uint32_t code[] = {SC_ATTN_FULL, SC_ATTN_WINDOW,
					SC_ATTN_CHUNK, SC_ATTN_LINEAR,
					SC_ATTN_NONE};
	int softmax = l->mixer != MIX_LINEAR && l->mixer != MIX_NONE;
	return softmax && l->k->kv_lora_rank ? SC_ATTN_MLA : code[l->mixer];
}

const char *layer_other_work(const struct layer *l)
{
	const struct model_keys *k = l->k;
	int softmax = l->mixer != MIX_LINEAR && l->mixer != MIX_NONE;
	int sparse = l->ffn == FFN_SPARSE;
	int plain = softmax && !k->kv_lora_rank;
	const struct {
		int has;
		const char *what;
	} work[] = {
	    {softmax && k->o_lora_rank, "a compressed output projection"},
	    {softmax && k->linear_beside_attention,
	     "linear attention beside softmax attention"},
	    {softmax && !k->kv_cache, "KV that another layer keeps"},
	    {softmax && !k->kv_proj, "attention without projections of KV"},
	    {softmax && !k->v_proj, "values that are the keys"},
	    {plain && k->q_lora_rank, "compressed queries"},
	    {plain && k->v_head_dim && k->v_head_dim != k->head_dim,
	     "values of another size than keys"},
	    {sparse && k->moe_latent_size,
	     "experts that see another width than hidden_size"},
	    {sparse && k->dense_beside_experts, "a dense FFN beside experts"},
	    {k->other_matrices != 0, "further matrices (other_matrices)"},
	};
	for (size_t i = 0; i < sizeof work / sizeof *work; i++)
		if (work[i].has)
			return work[i].what;
	return NULL;
}

static int has_output_gate(const struct layer *l)
{
	if (l->mixer == MIX_LINEAR)
		return l->k->linear_attention == LINEAR_KDA_FULL;
	return l->mixer != MIX_NONE && l->k->attention_gate == GATE_FULL;
}

static uint32_t flags_of(const struct layer *l)
{
	int sparse = is_sparse(l);
	const struct model_keys *k = l->k;
	return (k->qk_norm ? SC_LAYER_QK_NORM : 0) |
	       (k->qk_norm && k->qk_norm_joint ? SC_LAYER_QK_NORM_ALL_HEADS
					       : 0) |
	       (sparse ? SC_LAYER_SPARSE : 0) |
	       (sparse && l->k->index_n_heads ? SC_LAYER_INDEXER : 0) |
	       (has_output_gate(l) ? SC_LAYER_OUTPUT_GATE : 0) |
	       (layer_other_work(l) ? SC_LAYER_OTHER : 0);
}

static void view_ffn(sc_layers *v, const struct layer *l)
{
	const struct model_keys *k = l->k;
	struct layer_format ffn = layer_format(k, LAYER_FFN);
	struct layer_format expert = layer_format(k, LAYER_EXPERT);
	v->ffn_format = ffn.format;
	v->ffn_bits = ffn.bits;
	v->ffn = l->ffn == FFN_NONE    ? SC_FFN_NONE
		 : l->ffn != FFN_DENSE ? SC_FFN_MOE
		 : k->gated_mlp        ? SC_FFN_GATED
				       : SC_FFN_PLAIN;
	if (l->ffn == FFN_DENSE)
		v->ffn_dim = (uint32_t)k->intermediate_size;
	if (l->ffn != FFN_SPARSE)
		return;
	v->ffn_dim = (uint32_t)k->moe_intermediate_size;
	v->n_experts = (uint32_t)k->num_experts;
	v->experts_per_token = (uint32_t)k->num_experts_per_tok;
	v->n_shared_experts = (uint32_t)k->n_shared_experts;
	v->shared_ffn_dim = (uint32_t)k->shared_expert_intermediate_size;
	v->expert_format = expert.format;
	v->expert_bits = expert.bits;
}

static void view_attention(sc_layers *v, const struct layer *l)
{
	const struct model_keys *k = l->k;
	int linear = l->mixer == MIX_LINEAR;
	v->n_heads = (uint32_t)(linear ? k->linear_num_value_heads
				       : k->num_attention_heads);
	v->n_kv_heads = (uint32_t)(linear ? k->linear_num_key_heads
					  : k->num_key_value_heads);
	v->head_dim =
	    (uint32_t)(linear ? k->linear_value_head_dim : k->head_dim);
	v->window = l->mixer == MIX_SLIDING ? (uint32_t)k->sliding_window
		    : l->mixer == MIX_CHUNKED
			? (uint32_t)k->attention_chunk_size
			: 0;
	if (linear)
		return;
	v->q_lora_rank = (uint32_t)k->q_lora_rank;
	v->kv_lora_rank = (uint32_t)k->kv_lora_rank;
	v->qk_nope_dim = (uint32_t)k->qk_nope_head_dim;
	v->qk_rope_dim = (uint32_t)k->qk_rope_head_dim;
	v->v_dim = (uint32_t)k->v_head_dim;
}

static void view_linear(sc_layers *v, const struct model_keys *k)
{
	v->linear_kind = linear_attention_code(k);
	v->linear_k_heads = (uint32_t)k->linear_num_key_heads;
	v->linear_k_dim = (uint32_t)k->linear_key_head_dim;
	v->linear_v_heads = (uint32_t)k->linear_num_value_heads;
	v->linear_v_dim = (uint32_t)k->linear_value_head_dim;
	v->linear_conv = (uint32_t)k->linear_conv_kernel_dim;
	v->linear_chunk = (uint32_t)k->linear_chunk_size;
	v->state_bits = linear_state_bits(k);
}

/* A selection or compression of the context. */
static void view_choice(sc_layers *v, const struct model_keys *k)
{
	v->index_heads = (uint32_t)k->index_n_heads;
	v->index_dim = (uint32_t)k->index_head_dim;
	v->index_topk = (uint32_t)k->index_topk;
	v->compress_ratio = (uint32_t)k->compress_ratio;
	v->o_groups = (uint32_t)k->o_groups;
	v->o_lora_rank = (uint32_t)k->o_lora_rank;
}

sc_layers layer_view(const struct layer *l)
{
	struct layer_format attn = layer_format(l->k, LAYER_ATTENTION);
	sc_layers v = {.size = sizeof v,
		       .n_layers = 1,
		       .attention = attention_code(l),
		       .attn_format = attn.format,
		       .attn_bits = attn.bits,
		       .flags = flags_of(l),
		       .activation_bits = (uint32_t)l->k->activation_bits};
	if (l->mixer != MIX_NONE)
		view_attention(&v, l);
	if (l->mixer == MIX_LINEAR || l->k->linear_beside_attention)
		view_linear(&v, l->k);
	if (l->mixer != MIX_LINEAR && l->mixer != MIX_NONE)
		view_choice(&v, l->k);
	view_ffn(&v, l);
	return v;
}
