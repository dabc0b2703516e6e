/* roofline_v2: laws of decode attention that hold for any batch, in every mode
 * of FLOPs and of MFU and by every rule for lookups. */
#include "tap.h"
#include "bare.h"
#include "operators_made.h"

enum { MODES = 6, RULES = 4, MOST = 40, BATCHES = 60 };
static const char *const mode[MODES] = {"max",         "weighted",
					"harmonic",    "weighted_single",
					"per_request", "kv_bucket"};
/* lookup, zero_mfu */
static const char *const rule[RULES][2] = {{"linear", "nearest"},
					   {"log_linear", "v1"},
					   {"nearest", "first"},
					   {"linear", "latency"}};
static const char *const flops[3] = {"sum", "max", "bucket"};

/* MFU that rises and falls with both axes, with one zero and two holes. */
static void add_tables(void)
{
	n_views = 0;
	add("gpu.vllm-0.24", "gemm",
	    "dtype,m,n,k,latency_us\nbf16,1,8192,8192,50\n"
	    "bf16,2,8192,8192,9000\n"
	    "bf16,256,8192,8192,90\n");
	add("gpu.vllm-0.24", "attention_prefill",
	    "dtype,heads,kv_heads,head_dim,batch,seq_len,latency_us\n"
	    "bf16,16,4,128,1,512,30\nbf16,16,4,128,1,4096,900\n");
	add("gpu.vllm-0.24", "attention_decode",
	    "dtype,heads,kv_heads,head_dim,batch,kv_len,latency_us\n"
	    "bf16,16,4,128,1,128,25\nbf16,16,4,128,1,1024,20\n"
	    "bf16,16,4,128,1,4096,30\nbf16,16,4,128,1,16384,50\n"
	    "bf16,16,4,128,8,128,26\nbf16,16,4,128,8,1024,21\n"
	    "bf16,16,4,128,8,4096,40\nbf16,16,4,128,8,16384,300\n"
	    "bf16,16,4,128,64,1024,50\nbf16,16,4,128,64,4096,150\n");
}

static void *arm[RULES][MODES][3]; /* [][][i] by flops[i] */

static void open_arms(void)
{
	for (int r = 0; r < RULES; r++)
		for (int m = 0; m < MODES; m++)
			for (int f = 0; f < 3; f++) {
				const char *const knobs[] = {
				    "lookup",
				    rule[r][0],
				    "zero_mfu",
				    rule[r][1],
				    "mfu_digits",
				    "3",
				    "decode_attention_mfu",
				    mode[m],
				    "decode_attention_flops",
				    flops[f],
				    NULL};
				arm[r][m][f] = instance(&dense, knobs);
			}
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % below;
}

/* A batch of any contexts, of two lengths, or of one. */
static uint32_t draw_batch(uint64_t *state, uint32_t kv[MOST])
{
	uint32_t n = 1 + draw(state, MOST);
	uint32_t kinds = draw(state, 3), reach = 1 + draw(state, 40000);
	uint32_t pool[2] = {draw(state, reach), 1 + draw(state, 40000)};
	for (uint32_t i = 0; i < n; i++)
		kv[i] =
		    kinds == 0 ? draw(state, reach) : pool[draw(state, kinds)];
	kv[0] += !kv[0];
	return n;
}

static sc_result price(void *inst, const uint32_t *kv, uint32_t n)
{
	sc_result out = bare_result();
	sc_step step = {.size = sizeof step,
			.n_decode = n,
			.n_sampled = n,
			.decode_ctx = kv};
	if (p->eval(inst, &step, &out, &err) != SC_OK)
		bail_out(err.text);
	return out;
}

static double attention_us(void *inst, const uint32_t *kv, uint32_t n)
{
	return price(inst, kv, n).attention_us[SC_DECODE];
}

static double looked_up(void *inst, double batch, double kv)
{
	return kernel(inst,
		      K(.op = SC_OP_DECODE, .format = SC_BF16, .heads = 16,
			.kv_heads = 4, .head_dim = 128, .ranks = 1,
			.batch = (uint64_t)batch, .context = (uint64_t)kv))
	    .mfu;
}

/* The least and the greatest MFU that a mode may look up: at each context, or
 * for max at the longest and for buckets at their tops. */
static void bounds(void *inst, int m, const uint32_t *kv, uint32_t n,
		   double bound[2])
{
	uint32_t longest = 0;
	bound[0] = INFINITY;
	bound[1] = 0;
	for (uint32_t i = 0; i < n; i++)
		longest = kv[i] > longest ? kv[i] : longest;
	for (uint32_t i = 0; i < n; i++) {
		double batch = m == 3 || m == 4 ? 1 : n, at = kv[i];
		if (m == 0)
			at = longest;
		if (m == 5) {
			double top = 1024;
			while (top < kv[i])
				top *= 2;
			at = top;
			batch = 0;
			for (uint32_t j = 0; j < n; j++)
				batch += kv[j] <= top &&
					 (top == 1024 || kv[j] > top / 2);
		}
		double mfu = looked_up(inst, batch, at);
		bound[0] = fmin(bound[0], mfu);
		bound[1] = fmax(bound[1], mfu);
	}
}

/* What a batch broke, by law; 0: nothing. */
enum { WITHIN = 1, RATIO = 2, TOPS = 4, EQUAL = 8, TOLD = 16 };

static int broken(int r, int m, const uint32_t *kv, uint32_t n)
{
	/* The made model: 1 layer, 16 heads of 128, at 1000 TFLOP/s. */
	const double us_per_token = 4 * 16 * 128. / 1000e12 * 1e6;
	double sum = 0, longest = 0, tops = 0, bound[2];
	for (uint32_t i = 0; i < n; i++) {
		double top = 1024;
		sum += kv[i];
		longest = fmax(longest, kv[i]);
		while (top < kv[i])
			top *= 2;
		tops += top;
	}
	sc_result told = price(arm[r][m][0], kv, n);
	double by_sum = told.attention_us[SC_DECODE];
	double by_max = attention_us(arm[r][m][1], kv, n);
	double mfu = sum * us_per_token / by_sum;
	bounds(arm[r][m][0], m, kv, n, bound);
	int what = 0;
	if (!(mfu >= bound[0] * (1 - 1e-12) && mfu <= bound[1] * (1 + 1e-12)))
		what |= WITHIN;
	if (!(fabs(by_max / by_sum * sum / (n * longest) - 1) < 1e-12))
		what |= RATIO;
	if (!(fabs(told.attention_mfu_low[SC_DECODE] / bound[0] - 1) < 1e-12) ||
	    !(fabs(told.attention_mfu_high[SC_DECODE] / bound[1] - 1) < 1e-12))
		what |= TOLD;
	if (m == 5 &&
	    !(fabs(attention_us(arm[r][m][2], kv, n) / by_sum * sum / tops -
		   1) < 1e-12))
		what |= TOPS;
	return what;
}

static void check_laws(int r, int m)
{
	uint64_t state = 1;
	int what = 0;
	for (int i = 0; i < BATCHES; i++) {
		uint32_t kv[MOST], n = draw_batch(&state, kv);
		int now = broken(r, m, kv, n);
		if (now && !what)
			printf("# batch %d of %u: laws %d\n", i, n, now);
		what |= now;
	}
	ok(!(what & WITHIN),
	   "%s, %s: the MFU in effect is among those looked up", rule[r][0],
	   mode[m]);
	ok(!(what & RATIO), "%s, %s: max / sum is n longest / sum of kv",
	   rule[r][0], mode[m]);
	ok(!(what & TOLD), "%s, %s: the least and the greatest MFU are told",
	   rule[r][0], mode[m]);
	ok(!(what & TOPS), "%s, %s: bucket / sum is tops / sum of kv",
	   rule[r][0], mode[m]);
}

/* Modes that look up at the same batch agree where all contexts are equal; so
 * do all for one request, and with buckets where its context is a top. */
static void check_equal(int r)
{
	uint64_t state = 2;
	double worst = 0;
	for (int i = 0; i < BATCHES; i++) {
		uint32_t kv[MOST], n = i % 4 ? 1 + draw(&state, MOST) : 1;
		uint32_t one =
		    i % 3 ? 1 + draw(&state, 30000) : 1024u << draw(&state, 5);
		for (uint32_t j = 0; j < n; j++)
			kv[j] = one;
		double want = attention_us(arm[r][0][0], kv, n);
		double single = attention_us(arm[r][3][0], kv, n);
		for (int m = 0; m < MODES; m++)
			for (int f = 0; f < 2; f++) {
				double us = attention_us(arm[r][m][f], kv, n);
				double like = m == 3 || m == 4 ? single : want;
				if (m == 5 && i % 3)
					continue;
				worst = fmax(worst, fabs(us / like - 1));
			}
		if (n == 1)
			worst = fmax(worst, fabs(single / want - 1));
	}
	ok(worst < 1e-12, "%s: equal contexts, equal times (%.1g)", rule[r][0],
	   worst);
}

static void check_refusals(void)
{
	const char *const bucket[] = {"decode_attention_flops", "bucket", NULL};
	ok(!instance(&dense, bucket) && strstr(err.text, "kv_bucket"),
	   "FLOPs at the tops of buckets need buckets");
	const char *const error[] = {"zero_mfu", "error", "mfu_digits", "3",
				     NULL};
	void *inst = instance(&dense, error);
	const uint32_t kv[] = {100, 5000};
	sc_result out = bare_result();
	sc_step step = {.size = sizeof step,
			.n_decode = 1,
			.n_sampled = 1,
			.decode_ctx = kv};
	ok(p->eval(inst, &step, &out, &err) == SC_ENODATA &&
	       strstr(err.text, "attention_decode") &&
	       strstr(err.text, "row 1 "),
	   "zero_mfu = error names table and row: %s", err.text);
	step.decode_ctx = kv + 1;
	ok(p->eval(inst, &step, &out, &err) == SC_OK,
	   "and prices a step that meets no zero");
	p->destroy(inst);
}

/* Half of v1's MFU, twice the time of the GEMMs of its phase. */
static void check_v1_gemms(int phase, const char *knob, const char *half)
{
	const uint32_t one[] = {1, 1}, ctx[] = {0, 0};
	double us[2];
	for (int i = 0; i < 2; i++) {
		const char *const knobs[] = {"zero_mfu",
					     "v1",
					     "gemm_memory_floor",
					     "false",
					     i ? knob : NULL,
					     half,
					     NULL};
		void *inst = instance(&dense, knobs);
		sc_result out = bare_result();
		sc_step step = {.size = sizeof step,
				.n_prefill = phase == SC_PREFILL ? 2 : 0,
				.n_decode = phase == SC_DECODE ? 2 : 0,
				.n_sampled = 2,
				.prefill_new = one,
				.prefill_ctx = ctx,
				.decode_ctx = one};
		if (p->eval(inst, &step, &out, &err) != SC_OK)
			bail_out(err.text);
		us[i] = out.gemm_us[phase];
		p->destroy(inst);
	}
	near(us[1], 2 * us[0], 1e-12, "%s: a zero becomes it", knob);
}

int main(void)
{
	p = bare_load("roofline_v2");
	add_tables();
	open_arms();
	for (int r = 0; r < RULES; r++) {
		for (int m = 0; m < MODES; m++)
			check_laws(r, m);
		check_equal(r);
	}
	check_refusals();
	check_v1_gemms(SC_PREFILL, "v1_mfu_prefill", "0.455");
	check_v1_gemms(SC_DECODE, "v1_mfu_decode", "0.108");
	for (int r = 0; r < RULES; r++)
		for (int m = 0; m < MODES; m++)
			for (int f = 0; f < 3; f++)
				p->destroy(arm[r][m][f]);
	return done();
}
