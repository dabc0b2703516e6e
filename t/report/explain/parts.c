/* The parts of two arms' latencies in a sentence, a table and JSON. */
#include "report/explain/parts.h"
#include "tap.h"

static struct latency_parts a = {.n_requests = 2, .n_multi = 1};
static struct latency_parts b = {.n_requests = 2, .n_multi = 1};
static struct arm_result arm[] = {{.name = "mono"}, {.name = "pools"}};
static const struct study study = {.n = 2, .arm = arm};
static const struct explain e = {.study = &study};
static struct explanation x = {
    .of = 0, .by = 1, .split_of = {.parts = &a}, .split_by = {.parts = &b}};

static char *text;
static FILE *open_text(void)
{
	static size_t size;
	free(text);
	text = NULL;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		bail_out("out of memory");
	return f;
}

static void set(int metric, int part, int64_t of_ns, int64_t by_ns)
{
	a.ns[metric][part] = of_ns;
	b.ns[metric][part] = by_ns;
}

static void changes(void)
{
	struct part_change c[N_LATENCY_PARTS];
	ok(parts_changes(&x, ATTRIBUTION_TTFT, c) == 0, "nothing");
	set(ATTRIBUTION_TTFT, LATENCY_ADMISSION, 80000000, 20000000);
	set(ATTRIBUTION_TTFT, LATENCY_PROMPT, 40000000, 44000000);
	set(ATTRIBUTION_TTFT, LATENCY_TRANSFER, 0, 16000000);
	x.shares[ATTRIBUTION_TTFT].real_ns = -20e6;
	ok(parts_changes(&x, ATTRIBUTION_TTFT, c) == 3 &&
	       c[0].part == LATENCY_ADMISSION &&
	       c[1].part == LATENCY_TRANSFER && c[2].part == LATENCY_PROMPT,
	   "the largest first");
	ok(c[0].of_ns == 40e6 && c[0].by_ns == 10e6 && c[0].ns == -30e6,
	   "means over two requests");
	near(parts_share(&x, ATTRIBUTION_TTFT, c[0].ns), 1.5, 1e-12,
	     "a share above 1, because others have the opposite sign");
	x.shares[ATTRIBUTION_TTFT].real_ns = -2e6;
	ok(isnan(parts_share(&x, ATTRIBUTION_TTFT, c[0].ns)),
	   "no share where parts cancel");
	x.shares[ATTRIBUTION_TTFT].real_ns = -20e6;
}

static void sentence(void)
{
	FILE *f = open_text();
	parts_say(f, &x, ATTRIBUTION_TTFT, 1);
	fclose(f);
	is(text,
	   "30.0 ms less queueing for admission, 8.0 ms more KV transfer, "
	   "2.0 ms more own prompt",
	   "no share above 100 %%");
	set(ATTRIBUTION_TPOT, LATENCY_STALL, 9000000, 1000000);
	set(ATTRIBUTION_TPOT, LATENCY_DECODE, 9000000, 7000000);
	x.shares[ATTRIBUTION_TPOT].real_ns = -10e6;
	f = open_text();
	parts_say(f, &x, ATTRIBUTION_TPOT, 0);
	fclose(f);
	is(text,
	   "8 ms less stalls by others' prompts (80 %), 2 ms less decode "
	   "(20 %)",
	   "TPOT is a mean over requests of several tokens");
}

static void table(void)
{
	struct columns c;
	parts_table(&c, &e, &x, ATTRIBUTION_TTFT);
	FILE *f = open_text();
	columns_write(&c, f, 100, 0);
	fclose(f);
	columns_free(&c);
	is(text,
	   "mean_ttft_ms                mono   pools  difference  share\n"
	   "  queueing for admission  40.000  10.000     -30.000  150 %\n"
	   "  own prompt              20.000  22.000      +2.000  -10 %\n"
	   "  KV transfer              0.000   8.000      +8.000  -40 %\n"
	   "  sum                     60.000  40.000     -20.000\n",
	   "a table without parts that neither has");
}

static void json(void)
{
	struct jw j;
	FILE *f = open_text();
	jw_start(&j, f);
	jw_object(&j, NULL);
	parts_json(&j, &x);
	jw_end(&j);
	jw_finish(&j);
	fclose(f);
	ok(strstr(text, "\"queueing_admission\": {\"of\": 40, \"by\": 10, "
			"\"difference\": -30, \"share\": 1.5}"),
	   "means in ms");
	ok(strstr(text, "\"total\": 120000000, \"queueing_admission\": "
			"80000000,"),
	   "sums in ns");
}

int main(void)
{
	changes();
	sentence();
	table();
	json();
	free(text);
	return done();
}
