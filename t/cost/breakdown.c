/* What an answer is made of: every column by its name, sums, classes. */
#include "cost/breakdown.h"
#include "cost/cost.h"
#include "tap.h"

static char *head(void)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		bail_out("open_memstream");
	breakdown_csv_head(f);
	fclose(f);
	return text;
}

/* Each part has a value of its own, so that no two can be exchanged. */
static void columns(void)
{
	sc_result r = cost_blank;
	double v = 0;
	r.total_us = 100;
	r.bound = SC_BOUND_MEMORY;
	for (int i = 0; i < 2; i++) {
		r.gemm_us[i] = 1 + i;
		r.attention_us[i] = 3 + i;
		r.compute_us[i] = 5 + i;
		r.memory_us[i] = 7 + i;
	}
	r.comm_us = 9;
	r.lookups[SC_SUBSTITUTED] = 12;
	char *all = head(), *rest = all, *name;
	int n = 0, known = 0;
	while ((name = strsep(&rest, ","))) {
		n++;
		known += !strcmp(name, "bound") ||
			 breakdown_column(&r, name, &v) == 0;
	}
	ok(n == 3 + N_PARTS + SC_N_PROVENANCE && known == n,
	   "each column of the CSV is known by its name: %d of %d", known, n);
	free(all);
	breakdown_column(&r, "exact_us", &v);
	ok(v == 100, "exact_us is total_us where the model does not round");
	breakdown_column(&r, "prefill_memory_us", &v);
	ok(v == r.memory_us[SC_PREFILL], "prefill_memory_us");
	breakdown_column(&r, "decode_attention_us", &v);
	ok(v == r.attention_us[SC_DECODE], "decode_attention_us");
	breakdown_column(&r, "overhead_us", &v);
	ok(isnan(v), "NaN for what the model does not have");
	breakdown_column(&r, "lookups_substituted", &v);
	ok(v == 12, "lookups_substituted");
	ok(breakdown_column(&r, "memory_us", &v) < 0 &&
	       breakdown_column(&r, "lookups_", &v) < 0,
	   "other names are none");
	is(breakdown_bound(&r), "memory", "the bound by its name");
}

static void sums(void)
{
	struct breakdown b = {0};
	sc_result r = cost_blank, q = cost_blank;
	const sc_result *const two[] = {&q, &r};
	r.total_us = q.total_us = 10;
	r.comm_us = 3;
	breakdown_add(&b, 2, two);
	ok(b.steps == 2 && b.total_us == 20, "two steps");
	ok(breakdown_sum_us(&b, PART_COMM) == 3 &&
	       isnan(breakdown_sum_us(&b, PART_OVERHEAD)),
	   "of which one had communication, and none overhead");
	for (int i = 0; i < N_PARTS; i++) {
		sc_result only = cost_blank;
		const sc_result *const one = &only;
		struct breakdown of = {0};
		only.gemm_us[SC_PREFILL] = only.gemm_us[SC_DECODE] = 1;
		only.attention_us[SC_PREFILL] = only.attention_us[SC_DECODE] =
		    2;
		only.compute_us[SC_PREFILL] = 3, only.compute_us[SC_DECODE] = 4;
		only.memory_us[SC_PREFILL] = 5, only.memory_us[SC_DECODE] = 6;
		only.comm_us = 7, only.overhead_us = 8;
		only.gemm_us[SC_DECODE] = 9, only.attention_us[SC_DECODE] = 10;
		breakdown_add(&of, 1, &one);
		if (breakdown_sum_us(&of, (enum part)i) !=
		    part_of(&only, (enum part)i))
			ok(0, "the sum of %s is another's", part_name[i]);
	}
	ok(breakdown_or_zero(NAN) == 0 && breakdown_or_zero(3) == 3,
	   "as a term, NaN is 0");
}

/* Parts of every kind, as many as a plugin likes. */
static void named(uint32_t n_parts, uint32_t n_steps)
{
	enum { MOST = 60, STEPS = 5 };
	static const uint32_t kind[] = {SC_PART_ATTENTION, SC_PART_COMM,
					SC_PART_GEMM};
	static sc_part part[MOST];
	static const sc_part *parts[MOST];
	sc_plugin p = {.size = sizeof p, .n_parts = n_parts, .part = parts};
	struct breakdown b = {0};
	double us[STEPS][2 * MOST], expected[NAMED_PARTS] = {0};
	sc_result r[STEPS];
	const sc_result *all[STEPS];
	int is_same = 1;
	for (uint32_t i = 0; i < n_parts; i++) {
		part[i] = (sc_part){sizeof *part, kind[i % 3], "a", "b"};
		parts[i] = &part[i];
	}
	named_parts(&b.named, &p);
	for (uint32_t s = 0; s < n_steps; s++) {
		r[s] = cost_blank;
		r[s].part_us = us[s];
		all[s] = &r[s];
		for (uint32_t i = 0; i < 2 * n_parts; i++)
			us[s][i] = (i + s) % 4 ? 1. + i + 100 * s : (double)NAN;
		for (uint32_t i = 0; i < b.named.n; i++)
			expected[i] += named_us(&b.named.part[i], &r[s]);
	}
	breakdown_add(&b, 1, all);
	breakdown_add(&b, n_steps - 1, all + 1);
	for (uint32_t i = 0; i < b.named.n; i++)
		is_same = is_same && breakdown_named_us(&b, i) == expected[i];
	ok(is_same && b.steps == n_steps,
	   "what the plugin names: %u parts of %u steps", n_parts, n_steps);
}

int main(void)
{
	columns();
	sums();
	named(1, 2);
	named(5, 3);
	named(16, 5);
	named(60, 2);
	return done();
}
