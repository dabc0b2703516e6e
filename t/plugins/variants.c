/* plugins/variants: roofline_v2 with one hook gives the times of the knob that
 * does the same, to 1e-12, on steps of all kinds. */
#include "tap.h"
#include "bare.h"
#include "operators_made.h"

enum { MOST = 24, STEPS = 80 };

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % below;
}

/* Columns of one step. */
struct drawn {
	uint32_t kv[MOST], fresh[MOST], cached[MOST];
};

static sc_step draw_step(uint64_t *state, struct drawn *d)
{
	sc_step step = {.size = sizeof step,
			.n_decode = draw(state, MOST),
			.n_prefill = draw(state, 5),
			.decode_ctx = d->kv,
			.prefill_new = d->fresh,
			.prefill_ctx = d->cached};
	for (uint32_t i = 0; i < MOST; i++) {
		d->kv[i] = draw(state, 20000);
		d->fresh[i] = 1 + draw(state, 3000);
		d->cached[i] = draw(state, 2) ? draw(state, 4000) : 0;
	}
	step.n_decode += !step.n_prefill && !step.n_decode;
	return step;
}

static const sc_plugin *variant(const char *name)
{
	char path[4096];
	const char *top = getenv("top_builddir");
	snprintf(path, sizeof path, "%s/plugins/variants/.libs/%s.so",
		 top ? top : ".", name);
	void *dso = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!dso)
		bail_out(dlerror());
	sc_entry_fn entry;
	*(void **)&entry = dlsym(dso, SC_ENTRY);
	return entry(SC_ABI_MAJOR, SC_ABI_MINOR);
}

/* How far two of a step's figures are apart, relative; NaN equals NaN. */
static double apart(double a, double b)
{
	if (isnan(a) && isnan(b))
		return 0;
	double most = fmax(fabs(a), fabs(b));
	return most > 0 ? fabs(a - b) / most : 0;
}

static double differ(const sc_result *a, const sc_result *b)
{
	double most = apart(a->exact_us, b->exact_us);
	for (int i = 0; i < 2; i++) {
		most =
		    fmax(most, apart(a->attention_us[i], b->attention_us[i]));
		most = fmax(
		    most, apart(a->attention_flops[i], b->attention_flops[i]));
		most =
		    fmax(most, apart(a->attention_mfu[i], b->attention_mfu[i]));
		most = fmax(most, apart(a->attention_mfu_low[i],
					b->attention_mfu_low[i]));
	}
	return fmax(most, apart(a->flops, b->flops));
}

/* Opens both, and compares them on random steps; changes: the knob must change
 * something, or the comparison says nothing. */
static void check(const char *name, const char *const *own,
		  const char *const *knobs)
{
	const sc_plugin *shipped = p, *hooked = variant(name);
	void *a = instance(&dense, knobs), *plain = instance(&dense, NULL);
	p = hooked;
	void *b = instance(&dense, own);
	p = shipped;
	if (!a || !b || !plain)
		bail_out(err.text);
	uint64_t state = 3;
	double most = 0, changes = 0;
	for (int i = 0; i < STEPS; i++) {
		struct drawn d;
		sc_step step = draw_step(&state, &d);
		sc_result of_a = bare_result(), of_b = bare_result();
		sc_result was = bare_result();
		if (shipped->eval(a, &step, &of_a, &err) != SC_OK ||
		    hooked->eval(b, &step, &of_b, &err) != SC_OK ||
		    shipped->eval(plain, &step, &was, &err) != SC_OK)
			bail_out(err.text);
		most = fmax(most, differ(&of_a, &of_b));
		changes = fmax(changes, differ(&of_a, &was));
	}
	ok(most <= 1e-12, "%s %s is the knob %s = %s (%.1g)", name,
	   own ? own[1] : "", knobs[0], knobs[1], most);
	ok(changes > 1e-3 || !strcmp(knobs[1], "weighted"),
	   "and the knob changes something");
	shipped->destroy(a);
	shipped->destroy(plain);
	hooked->destroy(b);
}

int main(void)
{
	static const char *const rules[] = {"max",         "weighted",
					    "harmonic",    "weighted_single",
					    "per_request", "kv_bucket"};
	p = bare_load("roofline_v2");
	n_views = 0;
	add("gpu.vllm-0.24", "gemm",
	    "dtype,m,n,k,latency_us\nbf16,1,8192,8192,50\n"
	    "bf16,256,8192,8192,90\n");
	add("gpu.vllm-0.24", "attention_prefill",
	    "dtype,heads,kv_heads,head_dim,batch,seq_len,latency_us\n"
	    "bf16,16,4,128,1,512,30\nbf16,16,4,128,1,1024,60\n"
	    "bf16,16,4,128,1,4096,900\nbf16,16,4,128,1,8192,2000\n");
	add("gpu.vllm-0.24", "attention_decode",
	    "dtype,heads,kv_heads,head_dim,batch,kv_len,latency_us\n"
	    "bf16,16,4,128,1,128,5\nbf16,16,4,128,1,1024,20\n"
	    "bf16,16,4,128,1,4096,30\nbf16,16,4,128,1,16384,50\n"
	    "bf16,16,4,128,8,128,6\nbf16,16,4,128,8,1024,21\n"
	    "bf16,16,4,128,8,4096,40\nbf16,16,4,128,8,16384,300\n"
	    "bf16,16,4,128,64,1024,50\nbf16,16,4,128,64,4096,150\n");
	check("h28fix", (const char *const[]){"longest", "true", NULL},
	      (const char *const[]){"decode_attention_flops", "max", NULL});
	check("h29b", NULL,
	      (const char *const[]){"prefill_attention_mfu", "length", NULL});
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		check("h33rules", (const char *const[]){"rule", rules[i], NULL},
		      (const char *const[]){"decode_attention_mfu", rules[i],
					    NULL});
	return done();
}
