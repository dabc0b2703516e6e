/* The least time of a step: against sums by hand, and never above an honest
 * price. */
#include "cost/floor.h"
#include "cost/cost.h"
#include "tap.h"
#include "model_8b.h"

/* Round numbers: a GB in a ms, a TFLOP in a ms, a GB over the link in 10 ms. */
static sc_hardware gpu = {
    .size = sizeof gpu, .mem_bandwidth = 1e12, .link_bandwidth = 1e11};
static sc_parallel ranks = {.size = sizeof ranks, .tp = 1, .pp = 1, .dp = 1};
static sc_model model;
static sc_layers layers;
static const sc_layers *const groups[] = {&layers, &layers_8b};
static sc_setup setup = {.size = sizeof setup,
			 .model = &model,
			 .hardware = &gpu,
			 .parallel = &ranks};
static struct floor f;

enum { MOST = 4 };
static uint32_t ctx[MOST], cached[MOST], fresh[MOST];

static sc_step step_of(uint32_t n_decode, uint32_t n_prefill)
{
	return (sc_step){.size = sizeof(sc_step),
			 .n_decode = n_decode,
			 .n_prefill = n_prefill,
			 .n_sampled = n_decode + n_prefill,
			 .decode_ctx = ctx,
			 .prefill_ctx = cached,
			 .prefill_new = fresh};
}

static double least(const sc_step *s, enum floor_part part)
{
	enum floor_limit unused;
	return floor_step_us(&f, s, part, &unused);
}

/* ---- memory ---- */

static double attention_8b(double tp)
{
	double kv = 8 / tp < 1 ? 1 : 8 / tp;
	return 4096 * 128 * (2 * 32 / tp + 2 * kv);
}

static const double ffn_8b = 3. * 4096 * 14336, head_8b = 4096. * 128256;

static void begin(uint32_t tp)
{
	model = model_8b;
	layers = layers_8b;
	model.group = groups;
	ranks = (sc_parallel){.size = sizeof ranks, .tp = tp, .pp = 1, .dp = 1};
	gpu.l2_bytes = 1000; /* next to nothing */
	gpu.peak_flops[SC_BF16] = 1e15;
	gpu.peak_flops[SC_FP8] = 2e15;
	floor_of(&f, &setup, 0);
}

static void weights_and_cache(void)
{
	sc_step s = step_of(2, 0);
	ctx[0] = 1000;
	ctx[1] = 3000;
	begin(1);
	double weights = 2 * (32 * (attention_8b(1) + ffn_8b) + head_8b);
	double cache = 4000. * 32 * 2 * 8 * 128 * 2;
	near(least(&s, FLOOR_STEP), (weights + cache) / 1e6, 1e-12,
	     "weights and the KV cache of each request are read once");
	s.n_sampled = 0;
	near(least(&s, FLOOR_STEP), (weights - 2 * head_8b + cache) / 1e6,
	     1e-12, "without a token to sample no LM head is");
	near(least(&s, FLOOR_DECODE_ATTENTION), cache / 1e6, 1e-12,
	     "a part is the KV cache");
	ctx[0] = ctx[1] = 0;
	begin(16);
	near(least(&s, FLOOR_GEMM),
	     2 * 32 * (attention_8b(16) + ffn_8b / 16) / 1e6, 1e-12,
	     "16 ranks have a KV head each");
	model.kv_bits = 8;
	ctx[0] = 4000;
	floor_of(&f, &setup, 0);
	near(least(&s, FLOOR_DECODE_ATTENTION), 4000. * 32 * 2 * 128 / 1e6,
	     1e-12, "of a cache in 8 bits, too");
}

static void windows(void)
{
	sc_step s = step_of(3, 0);
	const double token = 2 * 8 * 128 * 2 / 1e6;
	begin(1);
	model.n_groups = 2;
	layers.n_layers = 1;
	layers.attention = SC_ATTN_WINDOW;
	layers.window = 101;
	ctx[0] = 5000;
	ctx[1] = 50;
	ctx[2] = 450;
	floor_of(&f, &setup, 0);
	near(least(&s, FLOOR_DECODE_ATTENTION),
	     token * (32 * 5500. + 100 + 50 + 100), 1e-12,
	     "a window is read as far as it goes, request by request");
	layers.attention = SC_ATTN_CHUNK;
	layers.window = 100;
	floor_of(&f, &setup, 0);
	near(least(&s, FLOOR_DECODE_ATTENTION),
	     token * (32 * 5500. + 0 + 50 + 50), 1e-12,
	     "of a chunk what has been filled");
	layers.flags = SC_LAYER_SPARSE;
	floor_of(&f, &setup, 0);
	near(least(&s, FLOOR_DECODE_ATTENTION), token * 32 * 5500, 1e-12,
	     "attention to a chosen part is not known");
}

static void caches(void)
{
	sc_step s = step_of(1, 0);
	ctx[0] = 100;
	begin(1);
	double whole = least(&s, FLOOR_STEP), part = least(&s, FLOOR_GEMM);
	gpu.l2_bytes = 1e9;
	floor_of(&f, &setup, 0);
	ok(least(&s, FLOOR_STEP) == whole,
	   "a step that is far longer than the cache reads all");
	gpu.l2_bytes = 50e6;
	floor_of(&f, &setup, 0);
	ok(least(&s, FLOOR_GEMM) > 0 && least(&s, FLOOR_GEMM) < part,
	   "kernels by themselves find some of it there");
	gpu.l2_bytes = 100e9;
	floor_of(&f, &setup, 0);
	ok(least(&s, FLOOR_STEP) < .01 * whole, "a small model can stay there");
}

static void experts(void)
{
	sc_step s = step_of(1, 0);
	begin(4);
	layers.ffn = SC_FFN_MOE;
	layers.ffn_dim = 1000;
	layers.n_experts = 64;
	layers.experts_per_token = 6;
	layers.expert_bits = 4.25;
	layers.expert_format = SC_FP4;
	ctx[0] = 0;
	floor_of(&f, &setup, 0);
	double dense = 32 * 2 * attention_8b(4) / 1e6;
	double six = 32 * 6 * 3. * 4096 * 1000 * 4.25 / 8 / 4 / 1e6;
	near(least(&s, FLOOR_GEMM), dense + six, 1e-12,
	     "of experts as many are read as one token chooses");
	model.n_params = 30000000000;
	floor_of(&f, &setup, 0);
	near(least(&s, FLOOR_GEMM), dense + six, 1e-12,
	     "with three matrices, if the model has room for them");
}

static void two_matrices(void)
{
	sc_step s = step_of(1, 0);
	begin(1);
	layers.ffn = SC_FFN_MOE;
	layers.ffn_dim = 1000;
	layers.n_experts = 64;
	layers.experts_per_token = 6;
	layers.expert_bits = 16;
	layers.expert_format = SC_BF16;
	floor_of(&f, &setup, 0);
	double three = least(&s, FLOOR_GEMM);
	model.n_params = (uint64_t)(2 * head_8b + 32 * attention_8b(1) +
				    32 * 64 * 2. * 4096 * 1000);
	floor_of(&f, &setup, 0);
	near(three - least(&s, FLOOR_GEMM), 32 * 6 * 4096 * 1000 * 2 / 1e6,
	     1e-12, "a model with fewer parameters has experts without a gate");
}

/* ---- compute and links ---- */

static void prompts(void)
{
	sc_step s = step_of(0, 1);
	cached[0] = 0;
	fresh[0] = 100000;
	s.n_sampled = 0;
	begin(1);
	double matrices = 2 * 32 * (attention_8b(1) + ffn_8b) * 1e5;
	double pairs = 1e5 * (1e5 + 1) / 2;
	double attention = 32 * 4. * 32 * 128 * pairs;
	near(
	    least(&s, FLOOR_STEP), (matrices + attention) / 1e9, 1e-12,
	    "a prompt computes its matrices and the pairs that see each other");
	near(least(&s, FLOOR_PREFILL_ATTENTION), attention / 1e9, 1e-12,
	     "a part is attention");
	layers.attn_format = layers.ffn_format = SC_FP8;
	floor_of(&f, &setup, 0);
	near(least(&s, FLOOR_STEP), (matrices / 2 + attention) / 1e9, 1e-12,
	     "weights in 8 bits are multiplied in 8 bits,");
	layers.activation_bits = 16;
	floor_of(&f, &setup, 0);
	near(least(&s, FLOOR_STEP), (matrices + attention) / 1e9, 1e-12,
	     "if the activations have no more");
}

static void links(void)
{
	enum floor_limit limit;
	sc_step s = step_of(0, 1);
	cached[0] = 0;
	fresh[0] = 1000;
	begin(8);
	double us = 32 * 2 * 1000. * 4096 * 2 * 7 / 8 / 1e5;
	near(least(&s, FLOOR_COMM), us, 1e-12,
	     "two all-reduces of a layer cross the links");
	near(floor_step_us(&f, &s, FLOOR_STEP, &limit), us, 1e-12,
	     "a step waits for what takes longest");
	ok(limit == FLOOR_LINKS, "and says what that is");
}

static void sharing(void)
{
	sc_step s = step_of(2, 0);
	ctx[0] = ctx[1] = 40000;
	s.n_sampled = 0;
	begin(1);
	double one = least(&s, FLOOR_DECODE_ATTENTION);
	ranks.dp = 2;
	floor_of(&f, &setup, 0);
	near(least(&s, FLOOR_DECODE_ATTENTION), one / 2, 1e-12,
	     "ranks of a group share its requests");
	s.dp_tokens = 4;
	near(least(&s, FLOOR_DECODE_ATTENTION), one, 1e-12,
	     "a rank that is told its own has them all");
	s.dp_tokens = 0;
	ranks.dp = 1;
	ranks.pp = 2;
	floor_of(&f, &setup, 0);
	near(least(&s, FLOOR_STEP) - least(&s, FLOOR_GEMM), one / 2, 1e-12,
	     "stages work on different requests; each reads its weights");
}

/* ---- answers ---- */

static sc_result answer(double total_us)
{
	sc_result r = cost_blank;
	r.total_us = total_us;
	return r;
}

static void findings(void)
{
	struct floor_finding found;
	struct floor_count count = {0};
	char text[FLOOR_TEXT];
	sc_step s = step_of(1, 0);
	ctx[0] = 4000;
	begin(1);
	double us = least(&s, FLOOR_STEP);
	sc_result r = answer(us * (1 - 1e-9));
	ok(!floor_find_above(&f, &s, &r, &found), "rounding is no finding");
	r.total_us = round(us * .99);
	r.exact_us = us;
	ok(!floor_find_above(&f, &s, &r, &found), "nor is the model's own");
	r = answer(us / 2);
	ok(floor_find_above(&f, &s, &r, &found) && found.part == FLOOR_STEP &&
	       found.limit == FLOOR_MEMORY && found.least_us == us,
	   "half the time is");
	is(floor_text(text, &found),
	   "step 7.77 ms, but reading the weights and the KV cache takes 15.5 "
	   "ms",
	   "in words");
	r.total_us = 2 * us;
	r.attention_us[SC_DECODE] = 1;
	ok(!floor_find_above(&f, &s, &r, &found),
	   "parts are not times if they do not sum to one");
	floor_of(&f, &setup, SC_CAP_ADDITIVE);
	ok(floor_find_above(&f, &s, &r, &found) &&
	       found.part == FLOOR_DECODE_ATTENTION,
	   "those of a sum are");
	r.attention_us[SC_DECODE] = NAN;
	ok(!floor_find_above(&f, &s, &r, &found),
	   "a part that is not told is not");
	s.step_index = 7;
	for (int i = 1; i <= 3; i++, s.step_index++) {
		r = answer(us / (i == 2 ? 3 : 2));
		floor_count(&count, &f, &s, &r);
	}
	ok(count.steps == 3 && count.step_index == 8 && count.n_decode == 1,
	   "a run counts them, and remembers the worst");
	struct floor_mark mark[3] = {
	    floor_mark(&f, &s, &r), {.least_us = 5}, mark[0]};
	mark[2] = mark[0];
	mark[2].worst.us /= 2;
	size_t worst;
	ok(floor_marks_worst(mark, 3, &worst) == 2 && worst == 2,
	   "as a list does");
}

static void nothing_known(void)
{
	struct floor_finding found;
	sc_step s = step_of(1, 0);
	sc_result r = answer(1e-3);
	floor_of(&f, NULL, 0);
	ok(!floor_find_above(&f, &s, &r, &found),
	   "without a setup there is none");
	sc_hardware none = {.size = sizeof none};
	setup.hardware = &none;
	floor_of(&f, &setup, 0);
	setup.hardware = &gpu;
	ok(!floor_find_above(&f, &s, &r, &found), "nor without rates");
	begin(1);
	s = step_of(0, 0);
	r = answer(0);
	ok(!floor_find_above(&f, &s, &r, &found), "nor of an empty step");
}

int main(void)
{
	weights_and_cache();
	windows();
	caches();
	experts();
	two_matrices();
	prompts();
	links();
	sharing();
	findings();
	nothing_known();
	return done();
}
