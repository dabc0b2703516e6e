/* Support verdicts: by how many rows that are like the place, and how wrong
 * they were. */
#include "trust/support.h"
#include "tap.h"

static struct scored scored;

static struct trust_place place(void)
{
	return (struct trust_place){.gpu_family = "H100",
				    .model_class = "dense",
				    .weight_format = "bf16",
				    .engine = "vllm",
				    .tp = 2,
				    .ep = 1,
				    .pp = 1,
				    .computed_share = .1,
				    .input_tokens = 500,
				    .output_tokens = 200,
				    .load = 30};
}

static void add(const struct trust_place *at, const char *metric, double ratio,
		int saturated)
{
	static int n;
	char id[20];
	snprintf(id, sizeof id, "row%d", n++);
	struct scored_row x = {.source_row = id,
			       .metric = (char *)metric,
			       .fold = (char *)"",
			       .at = *at,
			       .saturated = saturated,
			       .measured = 100,
			       .predicted = 100 * ratio};
	if (scored_add(&scored, &x) < 0)
		bail_out("out of memory");
}

static void rows(int n, double ratio)
{
	struct trust_place at = place();
	scored_free(&scored);
	for (int i = 0; i < n; i++) {
		at.load = 30 + 5 * i;
		add(&at, "mean_e2el_ms", ratio, 0);
	}
}

static const char *written(const struct support *s)
{
	static char text[700];
	FILE *f = fmemopen(text, sizeof text, "w");
	if (!f)
		bail_out("fmemopen");
	support_write(s, f);
	fclose(f);
	return text;
}

static const char *asked(const struct trust_place *at)
{
	struct support s = support_of(&scored, at, "");
	return written(&s);
}

static void verdicts(void)
{
	struct trust_place at = place();
	is(asked(&at), "not scored", "no rows: nothing is known");
	snprintf(scored.why, sizeof scored.why, "a.csv is of version 0");
	is(asked(&at), "not scored (a.csv is of version 0)", "why, if known");
	rows(5, 1.04);
	is(asked(&at), "measured: 5 rows, mean error 4.0 %", "five are enough");
	rows(4, 1.04);
	is(asked(&at), "extrapolated: few rows; 4 rows, mean error 4.0 %",
	   "four are few");
	rows(3, .8);
	is(asked(&at), "known wrong: 3 rows, mean error 20.0 %",
	   "three are enough to know better");
	rows(2, .8);
	is(asked(&at), "extrapolated: few rows; 2 rows, mean error 20.0 %",
	   "two are not");
}

static void differences(void)
{
	struct trust_place at = place();
	rows(6, 1.04);
	snprintf(at.gpu_family, sizeof at.gpu_family, "B200");
	at.tp = 8;
	is(asked(&at),
	   "extrapolated: B200 (nearest: H100), tp 8 (nearest: tp 2); 6 rows, "
	   "mean error 4.0 %",
	   "each dimension is named, with the nearest");
	at = place();
	at.computed_share = .5;
	is(asked(&at),
	   "extrapolated: computed share of prompts 25 to 75 % (nearest: "
	   "computed share of prompts below 25 %); 6 rows, mean error 4.0 %",
	   "shares are compared by class");
	at = place();
	at.input_tokens = 5000;
	at.load = 200;
	is(asked(&at),
	   "extrapolated: context 5200 (scored: 700), load 200 (scored: "
	   "30 to 55); 6 rows, mean error 4.0 %",
	   "context and load by what was scored");
}

/* Models by their size, and keys that the caller has compared. */
static void models_and_keys(void)
{
	struct trust_place at = place();
	at.n_params = 2000000000;
	rows(6, 1.04);
	is(asked(&at), "measured: 6 rows, mean error 4.0 %",
	   "rows of unknown models");
	for (size_t i = 0; i < scored.n; i++)
		scored.row[i].at.n_params = 7000000000 + i * 1000000000;
	is(asked(&at),
	   "extrapolated: billions of parameters 2 (scored: 7 to 12); 6 rows, "
	   "mean error 4.0 %",
	   "a smaller model");
	at.n_params = 8500000000;
	is(asked(&at), "measured: 6 rows, mean error 4.0 %", "one between");
	struct support s =
	    support_of(&scored, &at, "max_num_seqs 1 (scored: 32 to 1024)");
	is(written(&s),
	   "extrapolated: max_num_seqs 1 (scored: 32 to 1024); 6 rows, mean "
	   "error 4.0 %",
	   "a key that no scored run had");
}

/* Kernels of other versions than the engine's, as far as that was scored. */
static void versions(void)
{
	struct trust_place at = place();
	rows(6, 1.04);
	for (size_t i = 0; i < scored.n; i++)
		scored.row[i].at.versions_apart = i < 3 ? -1 : (double)i - 3;
	place_set_versions(&at, "h100-sxm.vllm-0.19", "vllm-0.21");
	is(asked(&at), "measured: 6 rows, mean error 4.0 %",
	   "as far apart as a scored run");
	place_set_versions(&at, "h100-sxm.vllm-0.19", "0.24.1");
	is(asked(&at),
	   "extrapolated: kernels of vllm 0.19 for 0.24.1: 5 versions apart "
	   "(scored: at most 2); 6 rows, mean error 4.0 %",
	   "farther than any scored run: said, and no longer measured");
	for (size_t i = 0; i < scored.n; i++)
		scored.row[i].predicted = 80;
	is(asked(&at),
	   "extrapolated: kernels of vllm 0.19 for 0.24.1: 5 versions apart "
	   "(scored: at most 2); 6 rows, mean error 20.0 %",
	   "nor known wrong");
	place_set_versions(&at, "h100-sxm.vllm-0.24", "vllm-0.24");
	is(asked(&at), "known wrong: 6 rows, mean error 20.0 %",
	   "nearer than scored runs: as they were");
	place_set_versions(&at, "h100-sxm.vllm-0.24", "vllm-2026-07");
	ok(at.versions_apart < 0, "a date is no version");
	place_set_versions(&at, NULL, "vllm-0.24");
	ok(at.versions_apart < 0, "no kernels of that engine");
	place_set_versions(&at, "h100-sxm.trtllm-1.0.0", "1.3.0rc1");
	for (size_t i = 0; i < scored.n; i++)
		scored.row[i].at.versions_apart = -1;
	is(asked(&at),
	   "extrapolated: kernels of vllm 1.0.0 for 1.3.0rc1: 3 versions apart "
	   "(scored: not known); 6 rows, mean error 20.0 %",
	   "versions of scored runs that are not known");
}

static void what_counts(void)
{
	struct trust_place at = place();
	rows(4, 1.04);
	add(&at, "mean_e2el_ms", 3, 1);
	is(asked(&at), "extrapolated: few rows; 4 rows, mean error 4.0 %",
	   "saturated rows do not count");
	add(&at, "mean_ttft_ms", 3, 0);
	is(asked(&at), "extrapolated: few rows; 4 rows, mean error 4.0 %",
	   "nor other figures");
	add(&at, "mean_tpot_ms", 1.04, 0);
	is(asked(&at), "measured: 5 rows, mean error 4.0 %",
	   "but TPOT where there is no E2E latency");
	struct trust_place near = place();
	snprintf(near.engine, sizeof near.engine, "sglang");
	rows(5, 1.04);
	add(&near, "mean_e2el_ms", 2, 0);
	is(asked(&at), "measured: 5 rows, mean error 4.0 %",
	   "and those that differ do not");
}

/* What layers do with the context comes before their experts. */
static void check_classes(void)
{
	sc_layers l = {.size = sizeof l,
		       .n_layers = 1,
		       .attention = SC_ATTN_MLA,
		       .n_experts = 8};
	const sc_layers *group[] = {&l};
	const sc_model m = {.size = sizeof m, .n_groups = 1, .group = group};
	struct trust_place to;
	place_set(&to, "h200-sxm", &m, 1, 1, 1);
	is(to.model_class, "mla", "latent attention");
	l.flags = SC_LAYER_SPARSE;
	place_set(&to, "h200-sxm", &m, 1, 1, 1);
	is(to.model_class, "sparse", "a choice of the context");
	l.flags = 0;
	l.attention = SC_ATTN_LINEAR;
	place_set(&to, "h200-sxm", &m, 1, 1, 1);
	is(to.model_class, "linear", "a recurrent state");
	l.attention = SC_ATTN_FULL;
	place_set(&to, "h200-sxm", &m, 1, 1, 1);
	is(to.model_class, "moe", "experts");
}

/* Errors of another metric say nothing of a latency, nor the reverse. */
static void of_one_metric(void)
{
	struct trust_place at = place();
	rows(6, 1.01);
	for (int i = 0; i < 5; i++)
		add(&at, "gpu_power_w", 1.3, 0);
	struct support s = support_of_metric(&scored, "gpu_power_w", &at, "");
	ok(s.n == 5 && s.verdict == SUPPORT_KNOWN_WRONG, "of power alone");
	at.load = 40;
	s = support_of(&scored, &at, "");
	ok(s.n == 6 && s.verdict == SUPPORT_MEASURED, "of latencies alone");
}

int main(void)
{
	check_classes();
	verdicts();
	differences();
	models_and_keys();
	versions();
	what_counts();
	of_one_metric();
	scored_free(&scored);
	return done();
}
