#include "cost/breakdown.h"
#include "tap.h"

/* As the host presets it. */
static sc_result blank(void)
{
	sc_result r = {.size = sizeof r, .exact_us = NAN};
	for (int i = 0; i < 2; i++)
		r.gemm_us[i] = r.attention_us[i] = r.compute_us[i] =
		    r.memory_us[i] = NAN;
	r.comm_us = r.overhead_us = NAN;
	return r;
}

static double column(const sc_result *r, const char *name)
{
	double v = -1;
	return breakdown_column(r, name, &v) == 0 ? v : -2;
}

static void parts(void)
{
	sc_result r = blank();
	char name[40];
	int same = 1, found = 1;
	r.gemm_us[SC_PREFILL] = 1;
	r.attention_us[SC_PREFILL] = 2;
	r.compute_us[SC_PREFILL] = 3;
	r.memory_us[SC_PREFILL] = 4;
	r.gemm_us[SC_DECODE] = 5;
	r.attention_us[SC_DECODE] = 6;
	r.compute_us[SC_DECODE] = 7;
	r.memory_us[SC_DECODE] = 8;
	r.comm_us = 9;
	r.overhead_us = 10;
	for (int i = 0; i < N_PARTS; i++) {
		snprintf(name, sizeof name, "%s_us", part_name[i]);
		same &= part_of(&r, (enum part)i) == i + 1;
		found &= column(&r, name) == i + 1;
	}
	ok(same, "each part is its own field");
	ok(found, "and its own column");
	is(part_name[PART_DECODE_ATTENTION], "decode_attention", "by name");
}

static void columns(void)
{
	sc_result r = blank();
	r.total_us = 12;
	r.lookups[SC_CLAMPED] = 3;
	ok(column(&r, "total_us") == 12 && column(&r, "exact_us") == 12,
	   "exact is the total where nothing is rounded");
	r.exact_us = 11.5;
	ok(column(&r, "exact_us") == 11.5 && column(&r, "total_us") == 12,
	   "else it is not");
	ok(column(&r, "lookups_clamped") == 3 &&
	       column(&r, "lookups_exact") == 0,
	   "lookups by provenance");
	ok(isnan(column(&r, "comm_us")), "a part that it lacks is NaN");
	ok(column(&r, "comm") == -2 && column(&r, "comm_us2") == -2 &&
	       column(&r, "") == -2 && column(&r, "lookups_") == -2 &&
	       column(&r, "_us") == -2,
	   "no other columns");
	r.bound = SC_BOUND_MEMORY;
	is(breakdown_bound(&r), "memory", "what bounds it");
	r.bound = 99;
	is(breakdown_bound(&r), "", "or nothing that is known");
}

static void csv(void)
{
	sc_result r = blank();
	char *text = NULL, *line;
	size_t size = 0, commas[2] = {0, 0}, n = 0;
	FILE *f = open_memstream(&text, &size);
	r.total_us = 2.5;
	r.overhead_us = 0.1;
	r.lookups[SC_FALLBACK] = 7;
	breakdown_csv_head(f);
	fputc('\n', f);
	breakdown_csv_cells(f, &r);
	fclose(f);
	line = strchr(text, '\n') + 1;
	is(line, "2.5,2.5,none,,,,,,,,,,0.1,0,0,0,0,7", "NaN is an empty cell");
	for (const char *s = text; *s; s++) {
		n += *s == '\n';
		commas[n] += *s == ',';
	}
	ok(commas[0] == commas[1], "as many cells as names");
	ok(!strncmp(text, "total_us,exact_us,bound,prefill_gemm_us,", 40) &&
	       strstr(text, ",overhead_us,lookups_exact,"),
	   "names in the order of the cells");
	free(text);
}

static void sums(void)
{
	struct breakdown b = {0};
	sc_result r = blank();
	r.total_us = 10;
	r.comm_us = 4;
	breakdown_add(&b, &r);
	r.comm_us = NAN;
	r.overhead_us = 1;
	breakdown_add(&b, &r);
	ok(b.steps == 2 && b.total_us == 20, "steps and their time");
	ok(b.part_us[PART_COMM] == 4 && b.has[PART_COMM] == 1 &&
	       b.part_us[PART_OVERHEAD] == 1 && b.has[PART_OVERHEAD] == 1 &&
	       b.has[PART_DECODE_GEMM] == 0,
	   "a part counts in the steps that have it");
}

int main(void)
{
	parts();
	columns();
	csv();
	sums();
	return done();
}
