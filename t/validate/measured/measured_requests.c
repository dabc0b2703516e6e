/* Reads measured requests, one a row of a CSV, and traces of them. */
#include "validate/measured/measured_requests.h"
#include "scratch.h"

static struct measured_requests r;
static struct problem p;
static const struct ini none;

static const char *header(const char *const *cell, uint32_t n)
{
	measured_requests_free(&r);
	r = (struct measured_requests){.only_stage = NAN};
	return measured_requests_header(&r, &none, n,
					(char *const *)(uintptr_t)cell);
}

static const char *row(const char *const *cell)
{
	return measured_requests_row(&r, (char *const *)(uintptr_t)cell);
}

static const char *const all[] = {"stage",         "e2el_ms", "ttft_ms",
				  "output_tokens", "remark",  "input_tokens",
				  "arrival_s"};

static void rows(void)
{
	ok(!header(all, 7) && r.at[REQUEST_STAGE] == 0 &&
	       r.at[REQUEST_ARRIVAL] == 6 && r.at[REQUEST_INPUT] == 5,
	   "columns are found by name");
	ok(!row((const char *const[]){"0", "300", "100", "5", "x", "10",
				      "0.25"}) &&
	       !row((const char *const[]){"1", "60", "50", "1", "", "7",
					  "0.25"}),
	   "rows in order of arrival");
	ok(r.n == 2 && r.request[0].arrival_ns == 250000000 &&
	       r.request[0].input_tokens == 10 &&
	       r.request[0].output_tokens == 5,
	   "a request");
	ok(r.time[RUN_TTFT][0] == 100 && r.time[RUN_E2EL][0] == 300 &&
	       r.time[RUN_TPOT][0] == 50,
	   "its times: four further tokens took 200 ms");
	ok(isnan(r.time[RUN_TPOT][1]), "one token has no TPOT");
	is(row((const char *const[]){"0", "1", "1", "1", "", "1", "0.2"}),
	   "arrives before the request above it", "out of order");
}

static void stages(void)
{
	header(all, 7);
	r.only_stage = 1;
	row((const char *const[]){"1", "1", "1", "1", "", "7", "5"});
	ok(!row((const char *const[]){"0", "1", "1", "1", "", "8", "0"}) &&
	       r.n == 1,
	   "a row of another stage is left out, and need not be in order");
	ok(!row((const char *const[]){"2", "1", "1", "1", "", "8", "6"}) &&
	       r.n == 1,
	   "a row of a later stage too");
	ok(row((const char *const[]){"0", "1", "1", "0", "", "8", "6"}) != NULL,
	   "and its numbers are still checked");
}

/* Each column has a range. */
static void ranges(void)
{
	static const char *const good[] = {"0", "1", "1", "1", "", "1", "0"};
	static const struct {
		int at;
		const char *cell, *want;
	} bad[] = {
	    {6, "-1", "missing or out of range: arrival_s"},
	    {6, "", "missing or out of range: arrival_s"},
	    {6, "1e10", "missing or out of range: arrival_s"},
	    {5, "0", "missing or out of range: input_tokens"},
	    {5, "2e8", "missing or out of range: input_tokens"},
	    {3, "0.5", "missing or out of range: output_tokens"},
	    {2, "-1", "missing or out of range: ttft_ms"},
	    {1, "x", "missing or out of range: e2el_ms"},
	    {0, "-1", "missing or out of range: stage"},
	};
	header(all, 7);
	ok(!row(good), "the least of each");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *cell[7];
		memcpy(cell, good, sizeof cell);
		cell[bad[i].at] = bad[i].cell;
		const char *why = row(cell);
		is(why ? why : "(nothing)", bad[i].want, "'%s': %s",
		   bad[i].cell, bad[i].want);
	}
}

static void headers(void)
{
	is(header((const char *const[]){"ttft_ms", "ttft_ms"}, 2),
	   "two columns ttft_ms", "a column twice");
	ok(!header((const char *const[]){"x"}, 1) &&
	       r.at[REQUEST_ARRIVAL] == -1,
	   "none is absent for the reader of the header");
}

/* More rows than fit at first. */
static void many(void)
{
	char at[20];
	size_t wrong = 0;
	header(all, 7);
	for (int i = 0; i < 1000; i++) {
		snprintf(at, sizeof at, "%d", i);
		wrong += row((const char *const[]){"0", "1", "1", "1", "", "3",
						   at}) != NULL;
	}
	for (int i = 0; i < 1000; i++)
		wrong += r.request[i].arrival_ns != i * INT64_C(1000000000);
	ok(wrong == 0 && r.n == 1000, "a thousand rows");
}

#define HEAD "arrival_s,input_tokens,output_tokens,stage\n"

static int trace(const char *text, double stage, struct planned_request **q,
		 uint64_t *n)
{
	p = (struct problem){0};
	return measured_trace(scratch_file("trace.csv", text), &none, stage, q,
			      n, &p);
}

static void traces(void)
{
	struct planned_request *q = NULL;
	uint64_t n = 0;
	ok(trace(HEAD "0,10,1,0\n1,20,2,1\n2,30,3,1\n", 1, &q, &n) == 0 &&
	       n == 2 && q[0].input_tokens == 20 && q[1].output_tokens == 3,
	   "the requests of a stage");
	free(q);
	ok(trace("arrival_s,input_tokens,output_tokens\n0,10,1\n", 5, &q, &n) ==
		   0 &&
	       n == 1,
	   "a trace without stages is of all of them");
	free(q);
	ok(trace(HEAD "0,10,1,0\n", 4, &q, &n) < 0 && !q &&
	       p.code == EXIT_INPUT &&
	       strstr(p.text, "trace.csv: no requests of stage 4"),
	   "%s", p.text);
	ok(trace("arrival_s,input_tokens\n0,10\n", NAN, &q, &n) < 0 && !q &&
	       strstr(p.text, "trace.csv:1: needs arrival_s, input_tokens, "
			      "output_tokens"),
	   "%s", p.text);
	ok(trace("output_tokens,input_tokens\n1,10\n", NAN, &q, &n) < 0 &&
	       trace("output_tokens,arrival_s\n1,10\n", NAN, &q, &n) < 0 &&
	       strstr(p.text, "trace.csv:1: needs arrival_s, input_tokens, "
			      "output_tokens"),
	   "each of the three");
	ok(trace("arrival_s,arrival_s\n1,1\n", NAN, &q, &n) < 0 &&
	       strstr(p.text, "trace.csv:1: two columns arrival_s"),
	   "%s", p.text);
	ok(trace(HEAD "1,10,1,0\n0,10,1,0\n", NAN, &q, &n) < 0 && !q &&
	       strstr(p.text, "trace.csv:3: arrives before"),
	   "%s", p.text);
}

int main(void)
{
	scratch_open();
	rows();
	stages();
	ranges();
	headers();
	many();
	traces();
	measured_requests_free(&r);
	return done();
}
