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
	double part_us[] = {2, NAN};
	b.named = (struct named_parts){
	    .n = 2,
	    .part = {{.name = "moe", .at = 0}, {.name = "mla", .at = 1}}};
	r.part_us = part_us;
	breakdown_add(&b, 1, &two[1]);
	breakdown_add(&b, 1, &two[1]);
	ok(b.named_us[0] == 4 && b.named_us[1] == 0,
	   "and what the plugin names");
	ok(breakdown_or_zero(NAN) == 0 && breakdown_or_zero(3) == 3,
	   "as a term, NaN is 0");
}

static void strict(void)
{
	ok(breakdown_strict(0) == SC_N_PROVENANCE, "no --strict, no class");
	ok(breakdown_strict(-1) == SC_FALLBACK, "--strict alone: fallback");
	for (int choice = 1; provenance_name[SC_CLAMPED + choice - 1]; choice++)
		ok(breakdown_strict(choice) ==
		       (uint32_t)(SC_CLAMPED + choice - 1),
		   "--strict=%s", provenance_name[SC_CLAMPED + choice - 1]);
}

int main(void)
{
	columns();
	sums();
	strict();
	return done();
}
