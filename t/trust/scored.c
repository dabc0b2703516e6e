/* Which rows of a file of errors are those of an arm. */
#include "trust/scored.h"
#include "scratch.h"

static const char head[] =
    "plugin,version,preset,tables,source_row,gpu_family,model_class,"
    "weight_format,kv_format,tp,ep,pp,engine,computed_share,input_tokens,"
    "output_tokens,load,saturated,metric,measured_ms,predicted_ms,fold\n";

static struct scored s;

/* The source rows that are kept, in a row; else why there are none. */
static const char *rows(const char *preset, const char *tables,
			const struct names *same)
{
	static char list[200];
	char text[2000];
	static const char *const row[][3] = {
	    {"", "x", "1"}, {"", "auto", "2"}, {"", "y", "3"}, {"", "x", "4"}};
	snprintf(text, sizeof text, "%s", head);
	for (int i = 0; i < 4; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			 "p,1,%s,%s,r%s,H100,dense,bf16,bf16,1,1,1,vllm,1,9,9,"
			 "1,0,mean_e2el_ms,2,1,f\n",
			 row[i][0], row[i][1], row[i][2]);
	const struct scored_of of = {.plugin = "p",
				     .version = "1",
				     .preset = preset,
				     .tables = tables,
				     .same_tables = same,
				     .changed = ""};
	scored_free(&s);
	scored_read(&s, scratch_file("p.csv", text), &of);
	snprintf(list, sizeof list, "%s", s.why);
	for (size_t i = 0; i < s.n; i++)
		snprintf(list + 3 * i, sizeof list - 3 * i, "%s ",
			 s.row[i].source_row);
	return list;
}

/* A column that older files lack. */
static void check_versions(void)
{
	static char text[800], *written;
	size_t size;
	const struct scored_of of = {.plugin = "p",
				     .version = "1",
				     .preset = "",
				     .tables = "",
				     .changed = ""};
	const char row[] = "p,1,,,r,H100,dense,bf16,bf16,1,1,1,vllm,1,9,9,1,0,"
			   "mean_e2el_ms,2,1,f";
	snprintf(text, sizeof text, "%s%s\n", head, row);
	scored_free(&s);
	scored_read(&s, scratch_file("p.csv", text), &of);
	ok(s.n == 1 && s.row[0].at.versions_apart < 0, "not known");
	scored_free(&s);
	snprintf(text, sizeof text, "%.*s,versions_apart\n%s,9\n%s,\n",
		 (int)sizeof head - 2, head, row, row);
	scored_read(&s, scratch_file("p.csv", text), &of);
	ok(s.n == 2 && s.row[0].at.versions_apart == 9 &&
	       s.row[1].at.versions_apart < 0,
	   "read, and empty");
	FILE *f = open_memstream(&written, &size);
	if (!f)
		bail_out("open_memstream");
	scored_write_row(f, &of, &s.row[0]);
	scored_write_row(f, &of, &s.row[1]);
	fclose(f);
	ok(strstr(written, ",9,\n") && strstr(written, ",,\n"), "written: %s",
	   written);
	free(written);
}

/* A run with TTFT and TPOT, one with all three, one with TPOT alone. */
static void check_derived(void)
{
	static const struct {
		const char *run, *metric;
		double measured, predicted;
	} of[] = {
	    {"a", "mean_ttft_ms", 100, 80},  {"a", "mean_tpot_ms", 10, 12},
	    {"b", "mean_ttft_ms", 100, 80},  {"b", "mean_tpot_ms", 10, 12},
	    {"b", "mean_e2el_ms", 999, 999}, {"c", "mean_tpot_ms", 10, 12}};
	scored_free(&s);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct scored_row x = {
		    .source_row = (char *)(uintptr_t)of[i].run,
		    .metric = (char *)(uintptr_t)of[i].metric,
		    .fold = (char *)(uintptr_t) "f",
		    .publisher = "p",
		    .at.output_tokens = 51,
		    .measured = of[i].measured,
		    .predicted = of[i].predicted};
		if (scored_add(&s, &x) < 0)
			bail_out("out of memory");
	}
	ok(scored_derive(&s) == 0 && s.n == 7 && s.row[6].is_derived &&
	       !strcmp(s.row[6].source_row, "a") &&
	       !strcmp(s.row[6].metric, "mean_e2el_ms") &&
	       !strcmp(s.row[6].publisher, "p"),
	   "E2E latency of the run that lacks it");
	ok(fabs(s.row[6].measured - 600) < 1e-9 &&
	       fabs(s.row[6].predicted - 680) < 1e-9,
	   "TTFT and 50 times TPOT");
}

int main(void)
{
	struct names same = {0};
	scratch_open();
	is(rows("", "auto", NULL), "r2 ", "the tables as they are named");
	is(rows("", "z", NULL), "p.csv was scored with tables.set = x",
	   "others: which was scored");
	is(rows("", "", NULL), "p.csv was scored with tables.set = x",
	   "also if there are none");
	is(rows("o", "x", NULL), "p.csv was scored with preset = none",
	   "another preset");
	names_add(&same, "y");
	names_add(&same, "x");
	is(rows("", "auto", &same), "r2 ",
	   "the very name goes before others that mean the same");
	is(rows("", "x, w", &same), "r3 ", "then the first of the others");
	names_free(&same);
	names_add(&same, "x");
	is(rows("", "x, w", &same), "r1 r4 ", "all its rows");
	names_free(&same);
	check_versions();
	check_derived();
	scored_free(&s);
	return done();
}
