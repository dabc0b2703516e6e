/* policy/policy.h -- The assumptions of the plugin, where no table of kernels
 * decides: rows of data, each with its source.  rows.c has all of them.
 *
 * create() reads the rows by policy_read().  It refuses a row without a source,
 * a number that no code reads, a number without a row, and rows that contradict
 * each other.  The message names the file and the line.  Rows are constant and
 * live as long as the plugin.  To change rows, make a plugin of your own:
 * `stepcost plugins new NAME --like operators` copies these files. */
#ifndef OPERATORS_POLICY_POLICY_H
#define OPERATORS_POLICY_POLICY_H
#include "stepcost/plugin.h"
#include "knobs.h"

/* The first member of every row: its line in rows.c, and its source: where it
 * was measured, what it was fitted to, where it was read, or why it was
 * chosen. */
struct origin {
	int line;
	const char *row_group;
};
#define FROM(source_)                                                          \
	{                                                                      \
		__LINE__, source_                                              \
	}

/* ---- numbers ---- */

/* Every constant that the plugin reads. */
#define NUMBERS(X)                                                             \
	X(same_rate)                                                           \
	X(other_gpu)                                                           \
	X(other_generation)                                                    \
	X(peak_share)                                                          \
	X(activation_share)                                                    \
	X(untuned_times)                                                       \
	X(cache_bytes)                                                         \
	X(cache_distance)                                                      \
	X(residual_distance)                                                   \
	X(other_kv_distance)                                                   \
	X(least_moe_distance)                                                  \
	X(least_neighbour_distance)                                            \
	X(rank_doubling)                                                       \
	X(logits_gather)                                                       \
	X(gather_ranks)                                                        \
	X(nvlink_bytes_us)                                                     \
	X(stage_latency_us)                                                    \
	X(stage_reached)                                                       \
	X(link_reached)                                                        \
	X(net_reached)                                                         \
	X(net_bytes_us)                                                        \
	X(dispatch_bytes)                                                      \
	X(combine_bytes)                                                       \
	X(normal_start_us)                                                     \
	X(normal_doubling_us)                                                  \
	X(low_latency_start_us)                                                \
	X(low_latency_doubling_us)                                             \
	X(decode_set_ranks)                                                    \
	X(decode_rank_doubling)                                                \
	X(decode_few_ranks)                                                    \
	X(decode_few_factor)                                                   \
	X(decode_net_us)                                                       \
	X(reduce_net_us)                                                       \
	X(ring_bytes_us)                                                       \
	X(verify_heads)                                                        \
	X(ranks_distance)                                                      \
	X(experts_distance)                                                    \
	X(marlin_start_us)                                                     \
	X(marlin_reached)                                                      \
	X(marlin_rows)                                                         \
	X(padded_reached)                                                      \
	X(small_reached)                                                       \
	X(core_small_kernels)                                                  \
	X(logit_passes)                                                        \
	X(sampling_kernels)                                                    \
	X(pad_decodes)                                                         \
	X(pad_prompts)                                                         \
	X(pad_prompts_from)                                                    \
	X(mixed_decode)                                                        \
	X(mamba_step_us)                                                       \
	X(mamba_reached)                                                       \
	X(mhc_streams)
#define NUMBER_MEMBER(name) double name;
struct numbers {
	NUMBERS(NUMBER_MEMBER)
};

struct number_row {
	struct origin at;
	const char *name; /* of NUMBERS */
	double value;
	const char *unit; /* "1": none */
};

/* ---- engines ---- */

/* An engine is the number of its word in the knob `engine`, from 1.
 * ENGINE_OTHER: tables that belong to no engine. */
enum { ENGINE_OTHER = sizeof engine_words / sizeof *engine_words - 1 };
struct engine_row {
	struct origin at;
	const char *name; /* the word of the knob; names of sets and presets
		     begin with it */
	const char *other_name; /* they may begin with this; NULL: no other */
	uint32_t code;          /* SC_ENGINE_* */
	/* How its host code runs: host_before in versions before host_from,
	 * host from then on and where the version is not known. */
	int64_t host_before, host;
	double host_from[2];
	/* MXFP4 experts get 8-bit activations from this version on.
	 * SINCE_EVER: in every version, and where it is not known. */
	double mxfp4_from[2];
	/* Ranks of attention data parallelism pad to the busiest in every step;
	 * from this version on, only in steps of captured sizes. */
	double pads_less_from[2];
	int quantizes_apart;  /* its GEMM tables hold no quantization */
	int captures_prompts; /* its captured graphs may hold prompts */
	int queues_batches; /* its presets make a micro-batch for each stage */
};
#define SINCE_EVER                                                             \
	{                                                                      \
		-1, -1                                                         \
	}

/* The time that host code adds to a step, by how it runs. */
struct host_row {
	struct origin at;
	int64_t host; /* HOST_SYNC … */
	double step_us, seq_us;
	int is_hidden; /* 1: an asynchronous scheduler would hide it */
};

/* The order in which the tables of engines are searched.  The first row that
 * applies counts. */
#define END_OF_ORDER (-1)
struct order_row {
	struct origin at;
	const char *of;    /* an op of a law, ORDER_*; NULL: anything else */
	const char *dtype; /* in this one; NULL: in any */
	int64_t simulated; /* the simulated engine; ENGINE_AUTO: any */
	/* ENGINE_AUTO is the simulated engine; END_OF_ORDER comes last.  An
	 * engine that comes twice is searched once. */
	int64_t asked[ENGINE_OTHER + 2];
};
#define ORDER_MODULES "modules of a step"
#define ORDER_COLLECTIVES "collective"

/* ---- formats ---- */

/* The words of tables for the weights of a layer.  The first row that applies
 * counts. */
struct weights_row {
	struct origin at;
	uint32_t format;           /* SC_*; 0: any */
	double bits_from, bits_to; /* stored bits a weight, both inclusive */
	int64_t scales; /* the value of knob fp8_scales that asks for this row;
			   0: none */
	uint32_t activation_bits; /* only with these; 0: any */
	int is_wide; /* only with activations of more than 8 bits */
	const char *gemm, *experts;     /* words of tables */
	uint32_t gemm_how, experts_how; /* SC_EXACT, SC_SUBSTITUTED */
};

/* A word for formats, and the words of the tables of each kind of kernel. */
struct word_row {
	struct origin at;
	const char *word;
	const char *gemm, *experts, *module;
	uint32_t module_how;
};

/* The word for a kernel that gives only a number format. */
struct plain_row {
	struct origin at;
	uint32_t format; /* SC_* */
	const char *word;
};

/* The GEMM to substitute where a format was not measured.  After these rows the
 * format that moves the most similar bytes is substituted. */
struct stand_in_row {
	struct origin at;
	const char *word; /* NULL: for any */
	const char *by;
};

/* A GEMM in this format multiplies quantized activations. */
struct quantized_row {
	struct origin at;
	const char *word;
};

/* ---- kernels ---- */

/* Where small kernels run in a layer. */
enum small_place {
	SMALL_LAYER,     /* with attention or FFN */
	SMALL_MLA,       /* latent attention */
	SMALL_SOFTMAX,   /* other attention */
	SMALL_QK_NORM,   /* attention that norms queries and keys */
	SMALL_GATE,      /* softmax attention with a gate on its output */
	SMALL_LINEAR,    /* linear attention and state-space layers */
	SMALL_SPARSE,    /* sparse attention */
	SMALL_QUANTIZED, /* attention, if its GEMM tables hold no quantization
			  */
	SMALL_EXPERTS,
	SMALL_SHARED, /* shared experts */
	SMALL_DENSE,  /* dense FFN */
	SMALL_DENSE_QUANTIZED,
	N_SMALL
};
/* Small kernels of a layer; and the bytes that they move for a token, for each
 * element of these widths. */
struct small_row {
	struct origin at;
	enum small_place place;
	double kernels;
	double hidden, heads, kv_heads, ffn;
	double channels; /* queries, keys, values and gate of a linear layer */
};

/* A shape of experts that have no gate, so two matrices instead of three.  0:
 * any size. */
struct ungated_row {
	struct origin at;
	double hidden, experts, topk;
};

/* Layers that an engine launches kernel by kernel in steps with prompts: those
 * with attention of that kind, and routed experts where experts > 0 (0: any
 * layer; hidden 0: any size).  MANY: any number of experts. */
struct eager_row {
	struct origin at;
	uint32_t engine, attention;
	double hidden, experts, layer_us;
};
#define MANY INFINITY

/* The time of a layer in every step beside its priced kernels; gpu: names of
 * GPUs begin with it. */
struct layer_row {
	struct origin at;
	const char *gpu;
	double layer_us;
};

/* ---- all rows ---- */

struct policy_rows {
	const char *file; /* for messages */
	const struct number_row *number;
	const struct engine_row *engine;
	const struct host_row *host;
	const struct order_row *order;
	const struct weights_row *weights;
	const struct word_row *word;
	const struct plain_row *plain;
	const struct stand_in_row *stand_in;
	const struct quantized_row *quantized;
	const struct small_row *small;
	const struct ungated_row *ungated;
	const struct eager_row *eager;
	const struct layer_row *layer;
	size_t n_numbers, n_engines, n_hosts, n_orders, n_weights, n_words,
	    n_plain, n_stand_ins, n_quantized, n_small, n_ungated, n_eager,
	    n_layers;
};
extern const struct policy_rows policy_shipped;

/* Checks all rows and fills in the numbers.  SC_OK, or sc_fail() with the file
 * and the line of the row.  [main] */
int32_t policy_read(struct numbers *n, const struct policy_rows *rows,
		    sc_error *err);

/* Fills in the engines to search, in order, for `of` and `dtype` (NULL: none)
 * while `simulated` is simulated.  Returns how many they are. */
uint32_t policy_order(const struct policy_rows *rows, const char *of,
		      const char *dtype, uint32_t simulated,
		      uint32_t asked[ENGINE_OTHER]);
/* Returns the row of an engine from 1 to ENGINE_OTHER - 1. */
const struct engine_row *policy_engine(const struct policy_rows *rows,
				       uint32_t engine);
/* Returns the engine that a word like "vllm-0.24" begins with; 0: none, or word
 * is NULL. */
uint32_t policy_engine_named(const struct policy_rows *rows, const char *word);
/* Returns the engine of an SC_ENGINE_*; 0: none. */
uint32_t policy_engine_coded(const struct policy_rows *rows, uint32_t code);
/* Returns 1 if a GEMM in this format multiplies quantized activations. */
int policy_is_quantized(const struct policy_rows *rows, const char *word);
/* Returns the row of a word; NULL: all tables have this word. */
const struct word_row *policy_word(const struct policy_rows *rows,
				   const char *word);
/* Returns the least host time of a layer of a step with prompts; 0: none is
 * known.  engine: ENGINE_*, 0 where nothing names one. */
double policy_eager_layer_us(const struct policy_rows *rows, uint32_t engine,
			     const sc_model *m);
/* Returns the time of a layer beside its priced kernels on a GPU of that name.
 */
double policy_layer_us(const struct policy_rows *rows, const char *gpu);
/* Returns the number of matrices of such an expert: 2 or 3. */
double policy_matrices(const struct policy_rows *rows, double hidden,
		       double experts, double topk);
#endif
