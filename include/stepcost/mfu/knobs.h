/* stepcost/mfu/knobs.h -- header-only helper for plugins: the knob block of the
 * roofline by MFU tables.  mfu/knobs.inc has the rows of its table of knobs.
 * The block of a plugin is struct sc_mfu_knobs, or a struct that begins with
 * it.
 *
 *   struct knobs {
 *           struct sc_mfu_knobs roofline;
 *           double own;
 *   };
 *   static const sc_knob *const knobs[] = {
 *   #include "stepcost/mfu/knobs.inc"
 *       SC_DOUBLE(struct knobs, own, "1", 0, 9, "us", "What it changes."),
 *   };
 *
 * decode_attention_flops, decode_attention_mfu and the knobs of its buckets
 * have no rows there, because each plugin accepts other words for them and adds
 * the rows itself.  C only, as knob.h. */
#ifndef SC_MFU_KNOBS_H
#define SC_MFU_KNOBS_H
#include "stepcost/mfu/rules.h"

/* What counts as a row M of a prefill GEMM, or as a row of prefill
 * attention. */
#define SC_MFU_ROWS(X)                                                         \
	X(SC_ROWS_TOKENS, "tokens"), X(SC_ROWS_REQUESTS, "requests")
SC_WORDS(sc_mfu_rows, SC_MFU_ROWS);

/* The length at which prefill attention is priced. */
#define SC_MFU_LENGTHS(X)                                                      \
	X(SC_LENGTH_ACTUAL, "actual"), X(SC_LENGTH_BUCKET, "bucket"),          \
	    X(SC_LENGTH_HYBRID, "hybrid")
SC_WORDS(sc_mfu_length, SC_MFU_LENGTHS);

/* The number of tokens that decides on the bucket of a prefill. */
#define SC_BUCKET_KEYS(X) X(SC_KEY_TOTAL, "total"), X(SC_KEY_NEW, "new")
SC_WORDS(sc_bucket_key, SC_BUCKET_KEYS);

/* The MFU of prefill attention: at the bucket's top, or at the length that the
 * bucket is chosen by. */
#define SC_PREFILL_MFUS(X)                                                     \
	X(SC_PREFILL_BUCKET, "bucket"), X(SC_PREFILL_LENGTH, "length")
SC_WORDS(sc_prefill_mfu, SC_PREFILL_MFUS);

/* FLOPs of decode attention: each request's own, batch times the longest, or
 * each request's at the top of its bucket. */
#define SC_DECODE_FLOPS(X)                                                     \
	X(SC_FLOPS_SUM, "sum"), X(SC_FLOPS_MAX, "max"),                        \
	    X(SC_FLOPS_BUCKET, "bucket")
SC_WORDS(sc_decode_flops, SC_DECODE_FLOPS);

/* MFU of decode attention (mfu/decode.h). */
#define SC_DECODE_MFUS(X)                                                      \
	X(SC_DECODE_MAX, "max"), X(SC_DECODE_WEIGHTED, "weighted"),            \
	    X(SC_DECODE_PER_REQUEST, "per_request"),                           \
	    X(SC_DECODE_KV_BUCKET, "kv_bucket"),                               \
	    X(SC_DECODE_HARMONIC, "harmonic"),                                 \
	    X(SC_DECODE_WEIGHTED_SINGLE, "weighted_single")
SC_WORDS(sc_decode_mfu, SC_DECODE_MFUS);

/* The edge that a context's bucket has: the next one above, or the nearest. */
#define SC_KV_ROUNDS(X) X(SC_KV_UP, "up"), X(SC_KV_NEAREST, "nearest")
SC_WORDS(sc_kv_round, SC_KV_ROUNDS);

/* Attention under tensor parallelism: divided as the GEMMs are, or not. */
#define SC_ATTENTION_TPS(X)                                                    \
	X(SC_ATTENTION_DIVIDE, "divide"), X(SC_ATTENTION_KEEP, "keep")
SC_WORDS(sc_attention_tp, SC_ATTENTION_TPS);

/* The GEMMs of all layers: the sum of one layer times the number of layers, or
 * added layer by layer. */
#define SC_GEMM_SUMS(X) X(SC_GEMM_ONCE, "once"), X(SC_GEMM_BY_LAYER, "by_layer")
SC_WORDS(sc_gemm_sum, SC_GEMM_SUMS);

/* The time of a step with both phases. */
#define SC_MIXEDS(X)                                                           \
	X(SC_MIXED_MAX, "max"), X(SC_MIXED_SUM, "sum"),                        \
	    X(SC_MIXED_ADAPTIVE, "adaptive"), X(SC_MIXED_SMOOTH, "smooth")
SC_WORDS(sc_mixed, SC_MIXEDS);

/* One bandwidth for all bytes, or one for weights and one for the KV cache. */
#define SC_MEMORIES(X)                                                         \
	X(SC_MEMORY_SINGLE, "single"), X(SC_MEMORY_HYBRID, "hybrid")
SC_WORDS(sc_memory, SC_MEMORIES);

/* The host's time of a step. */
#define SC_OVERHEADS(X)                                                        \
	X(SC_OVERHEAD_PER_LAYER, "per_layer"),                                 \
	    X(SC_OVERHEAD_BATCH_SCALED, "batch_scaled"),                       \
	    X(SC_OVERHEAD_NONE, "none")
SC_WORDS(sc_overhead, SC_OVERHEADS);

struct sc_mfu_knobs {
	int64_t lookup, missing_tp, zero_mfu, missing_cell, mfu_digits;
	double v1_vector_peak, v1_mfu_prefill, v1_mfu_decode;
	int64_t prefill_gemm_rows, prefill_attention_rows;
	int64_t prefill_attention_length, prefill_attention_mfu;
	int64_t bucket_key, bucket_min;
	double causal_mask, prefill_attention_divisor;
	int64_t softmax_flops;
	int64_t decode_attention_flops, decode_attention_mfu;
	const sc_numbers *kv_bucket_edges; /* NULL: none */
	int64_t kv_bucket_round;
	double tp_scaling_exponent, decode_tp_scaling_exponent;
	int64_t attention_tp;
	int64_t gemm_memory_floor, gemm_sum, lm_head;
	int64_t mixed;
	double bw_efficiency, decode_bw_efficiency, prefill_bw_efficiency;
	int64_t memory;
	double weight_bw_efficiency, kv_bw_efficiency, kv_bw_gain, kv_bw_batch;
	double kv_read_discount_decode, kv_read_discount_prefill;
	double activation_discount_decode, activation_discount_prefill;
	int64_t overhead;
	double cpu_overhead_per_layer_us, t_overhead_us, allreduce_latency_us;
	double prefill_overhead_us, mixed_prefill_overhead_us;
	double min_step_us;
};

/* Macros for the rows of knobs.inc. */
#define SC_MFU_CHOICE(field, def, words, ...)                                  \
	SC_CHOICE(struct sc_mfu_knobs, field, def, words, __VA_ARGS__)
#define SC_MFU_BOOL(field, def, help)                                          \
	SC_BOOL(struct sc_mfu_knobs, field, def, help)
#define SC_MFU_INT(field, def, min, max, unit, help)                           \
	SC_INT(struct sc_mfu_knobs, field, def, min, max, unit, help)
#define SC_MFU_DOUBLE(field, def, min, max, unit, ...)                         \
	SC_DOUBLE(struct sc_mfu_knobs, field, def, min, max, unit, __VA_ARGS__)
#endif
