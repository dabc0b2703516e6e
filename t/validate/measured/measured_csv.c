/* Reads measured runs from CSV, through the columns that a file has. */
#include "validate/measured/measured_csv.h"
#include "tap.h"

static struct measured m;
static struct problem p;
static const struct ini none;

static int read_text(const char *text, const struct ini *aliases)
{
	measured_free(&m);
	p = (struct problem){0};
	FILE *f = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
	if (!f || measured_add_file(&m, "runs.csv", &p) < 0)
		bail_out("fmemopen");
	int rc = measured_read_csv(&m, f, aliases, &p);
	fclose(f);
	return rc;
}

static void refused(const char *text, const char *want)
{
	if (!ok(read_text(text, &none) < 0 && p.code == EXIT_INPUT &&
		    !strcmp(p.text, want),
		"%s", want))
		printf("# got %s\n", p.text);
}

/* Each column fills a field of its own. */
static void all_columns(void)
{
	char text[2000] = "";
	size_t at = 0, wrong = 0;
	for (size_t c = 0; c < measured_n_columns; c++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%s",
				       c ? "," : "", measured_column[c].name);
	for (size_t c = 0; c < measured_n_columns; c++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%zu",
				       c ? "," : "\n", c + 1);
	ok(read_text(text, &none) == 0 && m.n == 1, "all columns: %s", p.text);
	for (size_t c = 0; m.n && c < measured_n_columns; c++) {
		const char *field = (const char *)&m.row[0];
		double number = 0;
		char *word = NULL;
		field += measured_column[c].offset;
		if (measured_column[c].type == MEASURED_NUMBER)
			memcpy(&number, field, sizeof number);
		else
			memcpy(&word, field, sizeof word);
		wrong += (word ? atof(word) : number) != (double)(c + 1);
	}
	ok(wrong == 0, "each field has the number of its column");
}

static void aliased(void)
{
	static const char names[] = "[column]\nlatency = mean_e2el_ms\n"
				    "card = gpu\n";
	struct ini a;
	if (ini_read(&a, names, strlen(names), &p) < 0)
		bail_out(p.text);
	ok(read_text("model,card,latency,remark\nllama,H100,70 ms,x\n", &a) ==
		   0 &&
	       m.row[0].time[RUN_E2EL].of[STATISTIC_MEAN] == 70 &&
	       !strcmp(m.row[0].gpu, "H100"),
	   "columns have other names, and some are of no interest: %s", p.text);
	ini_free(&a);
}

static void of_requests(void)
{
	ok(read_text("ttft_ms,e2el_ms,arrival_s,input_tokens,output_tokens\n"
		     "10,50,0,7,5\n30,30,2,9,1\n",
		     &none) == 0 &&
	       m.n == 1 && m.row[0].n_requests == 2,
	   "requests are one run");
	is(m.row[0].id, "runs.csv", "which has the name of its file");
	ok(m.row[0].line == 2 &&
	       m.row[0].time[RUN_TTFT].of[STATISTIC_MEAN] == 20 &&
	       m.row[0].time[RUN_TPOT].of[STATISTIC_MEAN] == 10,
	   "with means over its requests");
}

#define HEAD "model,gpu,mean_e2el_ms,mean_tpot_ms,stage\n"

static void wrong(void)
{
	refused(HEAD "l,H,1,1\n", "runs.csv:2: fewer cells than the header");
	refused(HEAD "l,H,1,1,x\n", "runs.csv:2: not a number: stage");
	refused(HEAD ",H,1,1,1\n",
		"runs.csv:2: a measured run needs model and gpu");
	refused(HEAD "l,H,5,1,1\nl,H,5,0,1\n",
		"runs.csv:3: not positive: the mean of tpot");
	refused("model,model,mean_e2el_ms\n", "runs.csv:1: two columns model");
	refused("model,gpu\nl,H\n",
		"runs.csv:1: is neither a file of runs (mean_e2el_ms …) nor "
		"of requests (arrival_s, ttft_ms, e2el_ms …)");
	refused("model,gpu,mean_e2el_ms,ttft_ms\n",
		"runs.csv:1: is neither a file of runs (mean_e2el_ms …) nor "
		"of requests (arrival_s, ttft_ms, e2el_ms …)");
	refused(HEAD, "runs.csv:1: no runs");
	refused("arrival_s,input_tokens,output_tokens,ttft_ms\n",
		"runs.csv:1: measured requests need ttft_ms and e2el_ms");
	char wide[1000] = "a0";
	for (int i = 1; i <= 200; i++)
		snprintf(wide + strlen(wide), sizeof wide - strlen(wide),
			 ",a%d", i);
	strcat(wide, "\n");
	refused(wide, "runs.csv:1: more than 200 columns");
}

int main(void)
{
	all_columns();
	aliased();
	of_requests();
	wrong();
	measured_free(&m);
	return done();
}
