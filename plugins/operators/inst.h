/* inst.h -- An instance of operators: what create() makes and eval() reads.
 *
 * It reads tables of several sets: of each engine that was measured on the
 * GPU.  `source` is the rows of one set that belong together, `kernels` says
 * which source answers for an operator, and the layers of the model are a list
 * of calls to kernels.  Everything lies in the instance's arena, which has room
 * for all rows of all tables: a source that nobody needed at create() is built
 * when kernel() asks for it, without allocation. */
#ifndef OPERATORS_INST_H
#define OPERATORS_INST_H
#include "stepcost/knob.h"
#include "stepcost/operator_rows.h"
#include "stepcost/surface.h"

/* ---- knobs ---- */

#define ENGINES(X)                                                             \
	X(ENGINE_AUTO, "auto"), X(ENGINE_VLLM, "vllm"),                        \
	    X(ENGINE_SGLANG, "sglang"), X(ENGINE_TRTLLM, "trtllm")
SC_WORDS(engine, ENGINES);
#define HOSTS(X)                                                               \
	X(HOST_AUTO, "auto"), X(HOST_SYNC, "sync"),                            \
	    X(HOST_OVERLAP, "overlap"), X(HOST_ASYNC, "async")
SC_WORDS(host, HOSTS);
#define ROUTINGS(X)                                                            \
	X(ROUTING_SKEWED, "power_law_1.2"), X(ROUTING_BALANCED, "balanced")
SC_WORDS(routing, ROUTINGS);
#define ACTIVATIONS(X)                                                         \
	X(ACTIVATIONS_AUTO, "auto"), X(ACTIVATIONS_16, "16"),                  \
	    X(ACTIVATIONS_8, "8")
SC_WORDS(activations, ACTIVATIONS);
#define SCALES(X)                                                              \
	X(SCALES_AUTO, "auto"), X(SCALES_TENSOR, "tensor"),                    \
	    X(SCALES_BLOCK, "block")
SC_WORDS(scales, SCALES);
#define EXCHANGES(X)                                                           \
	X(EXCHANGE_GATHER, "gather"), X(EXCHANGE_ALL_TO_ALL, "all_to_all")
SC_WORDS(exchange, EXCHANGES);
#define PIPELINES(X)                                                           \
	X(PIPELINE_AUTO, "auto"), X(PIPELINE_DIVIDE, "divide"),                \
	    X(PIPELINE_WHOLE, "whole")
SC_WORDS(pipeline, PIPELINES);

struct knobs {
	int64_t engine, host, routing, mxfp4_activations, fp8_scales;
	int64_t moe_exchange, pipeline, node_gpus;
	double small_us, step_us, seq_us, eager_layer_us, dp_gather;
	double mixed_decode;
};

/* ---- parts of a price ---- */

#define PARTS(X)                                                               \
	X(PART_ATTENTION_GEMM, GEMM, attention_gemm,                           \
	  "projections of attention")                                          \
	X(PART_FFN, GEMM, ffn, "dense FFN")                                    \
	X(PART_MOE, GEMM, moe, "routed experts")                               \
	X(PART_ROUTER, GEMM, router, "router of the experts")                  \
	X(PART_SHARED, GEMM, shared_experts, "shared experts")                 \
	X(PART_HEAD, GEMM, head, "LM head")                                    \
	X(PART_ATTENTION, ATTENTION, attention, "softmax attention")           \
	X(PART_MLA, ATTENTION, mla,                                            \
	  "latent attention (MLA) with its projections")                       \
	X(PART_ALL_REDUCE, COMM, all_reduce, "all-reduces of the layers")      \
	X(PART_GATHER, COMM, gather,                                           \
	  "all-gather and reduce-scatter around experts")                      \
	X(PART_ALL_TO_ALL, COMM, all_to_all,                                   \
	  "dispatch to experts, and combine")                                  \
	X(PART_LOGITS, COMM, logits, "gather of the logits")                   \
	X(PART_PIPELINE, COMM, pipeline, "sends between pipeline stages")      \
	X(PART_SMALL, OVERHEAD, small_kernels,                                 \
	  "norms, rope, activations, quantization")                            \
	X(PART_SAMPLING, OVERHEAD, sampling, "passes over the logits")         \
	X(PART_HOST, OVERHEAD, host, "the engine's host code")
#define PART_CONSTANT(constant, kind, name, help) constant,
enum part { PARTS(PART_CONSTANT) N_PARTS };
#define PART_IS_GEMM(constant, kind, name, help)                               \
	+(SC_PART_##kind == SC_PART_GEMM)
enum { N_GEMMS = PARTS(PART_IS_GEMM) };
_Static_assert((int)N_GEMMS == (int)PART_ATTENTION &&
		   PART_MLA + 1 == PART_ALL_REDUCE,
	       "GEMMs, attention, then what has no phase");

/* Time by part; attention by phase, SC_PREFILL and SC_DECODE, softmax before
 * MLA. */
struct parts {
	double part[N_PARTS];
	double attention_us[2][2];
};
/* The same time by kind, and the lookups that it rests on. */
struct price {
	double share; /* of what is added that counts */
	double gemm_us, comm_us, attention_us[2], overhead_us;
	double *lookup_us; /* by provenance; of the slot or the answer, which */
	uint32_t *lookups; /* are not copied while they are written */
	struct parts *parts; /* NULL: nobody asks for them */
};
/* An answer for one kernel. */
struct answer {
	double us;
	uint32_t provenance;
};

/* ---- tables ---- */

enum { MAX_SETS = 64, VERSION_NUMBERS = 4, N_ENGINES = 5 };
#define ENGINE_OTHER 4 /* of engine words: no engine's own kernels */
struct set {
	const char *name;
	const sc_table *any; /* for its notes */
	uint32_t engine;     /* ENGINE_VLLM … ENGINE_OTHER */
	double version[VERSION_NUMBERS];
	struct sc_rates rates; /* of the GPU that it was measured on */
	int own;               /* that GPU is the one that is simulated */
	double distance;       /* of that GPU from it */
};

/* What belongs together: rows with a law (curve 0), or bytes or tokens against
 * time (a table's name). */
struct pick {
	struct sc_op_pick law;
	const char *curve;       /* "all_reduce", "collective", "mla_bmm" … */
	const char *kind, *mode; /* of it: columns op and mode; NULL: none */
};
struct source {
	const struct set *set;
	struct pick pick;
	struct sc_oplaw law;        /* at the rates of the set's GPU */
	uint32_t n_surfaces;        /* 0: the set has no such rows */
	int is_thin;                /* fewer rows than a fit of the law wants */
	struct sc_surface *surface; /* ascending by key */
	uint32_t n_m;               /* GEMM: every m that was measured;
					experts, MLA: tokens or lengths that
					most shapes have */
	double *m, *log_m;
	struct sc_surface *dense;  /* attention, with rows between rows; NULL
					 until one is needed */
	struct sc_surface *filled; /* experts, MLA, without holes; NULL until
					one is needed */
};
enum { MAX_SOURCES = 4096 };

/* Which source answers, and the law here: of this GPU and format. */
struct kernels {
	const struct source *from; /* NULL: no table; the law alone */
	struct sc_oplaw law;
	uint32_t provenance; /* of the choice */
};

struct arena {
	char *base;
	size_t size, used;
};

/* ---- calls ---- */

/* A GEMM of n x k weights: the measured shapes around it. */
struct gemm {
	struct kernels by;
	double n, k;
	uint32_t n_near, provenance;
	const struct sc_surface *near[SC_BLEND_PARTS];
	double weight[SC_BLEND_PARTS];
	int is_grid; /* the shapes are corners of a grid */
};
struct moe {
	struct kernels by;
	struct sc_moe shape;
	struct sc_blend blend;
};
/* Attention or an MLA kernel of one shape: a law along (batch, length).  It
 * remembers where batches stand, each at its number modulo BATCHES: one step's
 * is mostly that of the step before, or has one sequence more or less. */
enum { BATCHES = 8 };
struct stand {
	double batch; /* 0: none yet */
	struct sc_blend_rows rows;
	double residual, factor; /* the last one, of any batch; its exp() */
};
struct lengths {
	struct kernels by;
	double key[SC_OPLAW_KEYS];
	struct sc_blend blend;
	struct stand at[BATCHES];
};
/* Time by bytes or tokens. */
struct curve {
	const struct source *from;              /* NULL: by formula */
	const struct sc_surface *below, *above; /* above NULL: below alone */
	double weight;                          /* of above */
	double factor;                          /* on the time */
	double scale;                           /* on what it is asked at */
	uint32_t provenance;
	double t0_us, unit_us; /* of the formula: t0 + x unit */
};

struct gemm_call {
	struct gemm gemm;
	double count; /* in a step */
	uint32_t part;
	const char *dtype;
};
struct moe_call {
	struct moe moe;
	double count;
};
struct attention_call {
	double count;
	uint32_t kind; /* SC_ATTN_* */
	double window;
	struct lengths decode, prefill;
};
/* Latent attention: the module of every engine that measured it, or its core
 * with what stands around it. */
enum { MAX_MODULES = 2, MAX_AROUND = 5 };
struct mla_call {
	double count;
	const sc_layers *like; /* the group that it was made for */
	uint32_t n_modules[2]; /* by SC_PREFILL, SC_DECODE; 0: the core */
	struct lengths module[2][MAX_MODULES];
	struct lengths core[2];
	uint32_t n_around[2];
	struct gemm around[2][MAX_AROUND];
	struct curve bmm[2];       /* decode: to the latent and back */
	struct gemm bmm_by_law[2]; /* without a table of them */
	double small_us;           /* of the core's small kernels */
	uint32_t number;           /* among the instance's */
};

struct memo;
struct deal;
struct decodes;
enum { MAX_PASSES = 64 }; /* micro-batches of a pipeline */
enum { LOGS = 1024 };

struct inst {
	struct knobs k;
	const sc_setup *setup;
	uint32_t engine;
	double version[VERSION_NUMBERS]; /* of the engine; [0] < 0: unknown */
	struct sc_rates rates;           /* of the hardware */
	uint32_t n_sets, n_sources;
	struct set set[MAX_SETS];
	struct source *source;      /* [MAX_SOURCES] */
	struct sc_op_point *points; /* room for the rows of any one set */
	struct arena arena;

	/* the model on one rank */
	double tp, ep, dp, pp, moe_tp, hidden, vocab, graph_max;
	uint32_t n_gemms, n_moes, n_attentions, n_mlas;
	struct gemm_call *gemms; /* by tokens */
	struct moe_call *moes;
	struct attention_call *attentions;
	struct mla_call *mlas;
	struct gemm head;
	struct curve all_reduce, logits;
	struct curve exchange[2]
			     [2];      /* gather and scatter, or dispatch and
					  combine; of decodes alone, with prompts */
	double n_reduces, n_exchanges; /* in a step */
	double n_layers, small_kernels, small_us_per_token;
	double logit_us; /* of one sequence's logits once through memory */
	double host_step_us, host_seq_us;
	double mixed_decode; /* on decode attention beside prompts */
	int host_is_sync, divides;
	double stage_us, stage_us_per_token; /* a send between stages */

	double log_of[LOGS]; /* logarithms of whole numbers, for batches */
	struct memo *memo, *batches; /* the latter of sums of the former */
	struct deal *deal;
	struct decodes *decodes;
};

/* ---- arena.c ---- */

/* Zeroed room for n elements; NULL: there is none left. */
void *arena_take(struct arena *a, size_t n, size_t size);

/* ---- sets.c ---- */

/* The sets among the tables, nearest GPU first, newest of an engine first. */
int32_t sets_read(struct inst *s, sc_error *err);
/* What version numbers a name ends with, "vllm-0.24"; [0] -1: none. */
void version_of(const char *name, double version[VERSION_NUMBERS]);
/* At least major.minor. */
int version_from(const double version[VERSION_NUMBERS], double major,
		 double minor);

/* ---- rates.c ---- */

/* The same GPU, as far as both know. */
int rates_alike(const struct sc_rates *a, const struct sc_rates *b);
/* How far another GPU is: another generation is farthest. */
double rates_distance(const struct sc_rates *a, const struct sc_rates *b);
/* The law of an op and a dtype at these rates; `like` fills what they lack. */
struct sc_oplaw law_at(const struct sc_rates *r, const struct sc_rates *like,
		       const struct sc_op_pick *pick);

/* ---- source.c ---- */

/* The rows of a set; NULL: it has none.  Built at the first time. */
const struct source *source_of(struct inst *s, const struct set *set,
			       const struct pick *pick);
/* Its surface of a shape, the first n numbers of the key; NULL: none. */
const struct sc_surface *source_find(const struct source *f, const double *key,
				     int n);

/* ---- choose.c ---- */

/* The engines in the order in which they are asked. */
void engines_from(uint32_t first, uint32_t order[N_ENGINES - 1]);
/* The first set in that order that has rows; NULL: none.  *provenance: of the
 * choice. */
const struct source *choose(struct inst *s, const uint32_t *order,
			    const struct pick *pick, uint32_t *provenance);
/* Who answers for a law's op in a dtype, for a shape with these first n numbers
 * of its key; without any table the law alone. */
struct kernels kernels_for(struct inst *s, const struct sc_op_pick *pick,
			   const double *key, int n);
/* Of each engine that has it, on the nearest GPU that any has it for and in
 * the nearest dtype; how many. */
uint32_t kernels_of_each(struct inst *s, const struct sc_op_pick *pick,
			 const uint32_t *engine, uint32_t n,
			 struct kernels *of);
/* The same in one set, or from = NULL. */
struct kernels kernels_in(struct inst *s, const struct source *from,
			  const struct sc_op_pick *pick, uint32_t provenance);

/* ---- formats.c ---- */

/* A kernel's word for formats; SC_SUBSTITUTED where tables have no row for
 * what the layer stores. */
struct dtype {
	const char *name;
	uint32_t provenance;
};
/* 0: the checkpoint does not say. */
static inline uint32_t activation_bits_of(const sc_layers *g)
{
	return SC_HAS(g, activation_bits) ? g->activation_bits : 0;
}
/* activation_bits: 0: the checkpoint does not say. */
struct dtype dtype_of_gemm(const struct inst *s, uint32_t format, double bits,
			   uint32_t activation_bits);
struct dtype dtype_of_moe(const struct inst *s, uint32_t format, double bits,
			  uint32_t activation_bits);
/* Of an MLA module whose projections are in a GEMM's dtype. */
struct dtype dtype_of_module(struct dtype gemm);
const char *dtype_of_cache(uint32_t kv_format);

/* ---- layers.c, host.c ---- */

/* The calls of the model's layers. */
int32_t layers_read(struct inst *s, sc_error *err);
void host_read(struct inst *s);

/* ---- gemm.c, moe.c, attention.c, mla.c, comm.c, all_to_all.c ---- */

struct gemm gemm_for(struct inst *s, struct dtype dtype, double n, double k);
struct answer gemm_us(const struct gemm *g, double m);

/* The shape that a surface of experts is of. */
static inline struct sc_moe moe_shape_of(const double *key)
{
	return (struct sc_moe){key[0], key[1], key[2], key[3],
			       key[4], key[5], key[6]};
}
/* What a shape at a distance counts. */
static inline double moe_closeness(double distance)
{
	return 1 / ((distance + .05) * (distance + .05));
}
struct moe moe_for(struct inst *s, struct dtype dtype, const char *routing,
		   const struct sc_moe *shape);
struct answer moe_us(const struct moe *m, double tokens);

/* op: SC_OPLAW_DECODE or SC_OPLAW_PREFILL; key: heads, kv heads, head size,
 * window. */
struct lengths attention_for(struct inst *s, uint32_t op, const char *kv,
			     const double key[4]);
struct answer lengths_us(struct lengths *l, struct sc_logged batch,
			 struct sc_logged len);
/* The same where the law's time there is known. */
struct answer lengths_beside(struct lengths *l, double law_us,
			     struct sc_logged batch, struct sc_logged len);

/* A module or a core of so many heads, by the kernels that answer for it. */
struct lengths mla_shape(struct inst *s, const struct kernels *by,
			 double heads);
int32_t mla_for(struct inst *s, const sc_layers *g, double heads,
		struct mla_call *call, sc_error *err);
/* One layer: so many sequences at a mean context, or a prompt of which `tokens`
 * are new on `cached`. */
struct answer mla_decode_us(const struct inst *s, struct mla_call *m,
			    struct sc_logged batch, struct sc_logged len);
struct answer mla_prefill_us(const struct inst *s, struct mla_call *m,
			     double tokens, double cached);

/* No table, no time yet. */
struct curve curve_none(void);
/* kind: NULL: all-reduce; "all_gather" … */
struct curve collective_for(struct inst *s, const char *kind, double ranks);
struct curve bmm_for(struct inst *s, const char *kind, double heads);
/* kind: "dispatch", "combine"; mode: "normal", "low_latency"; key: ranks,
 * hidden, experts, topk. */
struct curve all_to_all_for(struct inst *s, const char *kind, const char *mode,
			    const double key[4]);
struct answer curve_us(const struct curve *c, double x);
#endif
