/* ServeGen's windows, and the lengths in a file beside them. */
#include "trace_read.h"

static void servegen(void)
{
	file("chunk-1-trace.csv",
	     "0,0.5,1,Gamma,1,2\n600,0,0,,0,0\n1200,0.25,1.3,Weibull,0.8,1e-05"
	     "\n");
	refuses("ServeGen without lengths", "0,0.5,1,Gamma,1,2\n", "",
		"!2 --set: trace: trace: windows have no lengths");
	reads("but with those of [workload]",
	      "0,0.005,1,Gamma,1,2\n600,0,0,,0,0\n",
	      "input_tokens=7 output_tokens=8 num_requests=1",
	      requests("trace", "input_tokens=7 output_tokens=8 "
				"num_requests=1"));
	file("chunk-1-dataset.json",
	     "{\"1200\": {\"input_tokens\": \"{100: 0.5, 120: 0.5}\", "
	     "\"output_tokens\": \"{9: 1.0}\"}, \"600\": {\"input_tokens\": "
	     "\"{}\", \"output_tokens\": \"{}\"}, \"0\": {\"input_tokens\": "
	     "\"{\\\"5\\\": 1}\", \"output_tokens\": \"{0: 1}\"}}");
	struct workload *w = with("chunk-1-trace.csv", "");
	struct request r;
	int64_t ns;
	int n[3] = {0}, good = w != NULL, long_ones = 0;
	while (w && workload_peek(w, &ns, &p) == 1 &&
	       workload_pop(w, &r, &p) == 0) {
		int late = r.input_tokens > 5;
		n[r.line - 1]++;
		good &= late ? r.output_tokens == 9 && (r.input_tokens == 100 ||
							r.input_tokens == 120)
			     : r.output_tokens == 1;
		good &= late == (r.line == 3);
		long_ones += r.input_tokens == 120;
	}
	ok(good && n[0] == 300 && n[1] == 0 && n[2] == 150,
	   "ServeGen's windows have their counts, and lengths of their time: "
	   "%d %d %d",
	   n[0], n[1], n[2]);
	ok(long_ones > 50 && long_ones < 100, "as distributed: %d of 150",
	   long_ones);
	workload_free(w);
	refuses("a window of another pattern", "0,0.5,1,Pareto,1,2\n",
		"input_tokens=7 output_tokens=8",
		"!3 trace:1: the pattern must be Gamma");
	refuses("a cell too few", "0,0.5,1,Gamma,1\n", "format=servegen",
		"!3 trace:1: a window has 6 cells");
	file("chunk-1-dataset.json",
	     "version https://git-lfs.github.com/spec/v1\n");
	const char *got = requests("chunk-1-trace.csv", "");
	is(got,
	   "!3 chunk-1-dataset.json:1: is a git-LFS pointer, not the data: "
	   "run git lfs pull",
	   "a git-LFS pointer of lengths");
	unlink(path("chunk-1-trace.csv")), unlink(path("chunk-1-dataset.json"));
}

#define LENGTHS "input_tokens=7 output_tokens=8"
static void wrong_windows(void)
{
	static const char *const row[][2] = {
	    {"x,1,1,Gamma,1,2", "a cell is not a number of at least 0"},
	    {"-1,1,1,Gamma,1,2", "a cell is not a number of at least 0"},
	    {"0,x,1,Gamma,1,2", "a cell is not a number of at least 0"},
	    {"0,1,-1,Gamma,1,2", "a cell is not a number of at least 0"},
	    {"0,1,1,Gamma,inf,2", "a cell is not a number of at least 0"},
	    {"0,1,1,Gamma,1,2x", "a cell is not a number of at least 0"},
	    {"0,1,1,,1,2", "the pattern must be Gamma or Weibull"},
	    {"0,1,1,Gamma,0,2",
	     "the pattern's shape and scale must be more than 0"},
	    {"0,1,1,Weibull,1,",
	     "the pattern's shape and scale must be more than 0"},
	    {"0,20000,1,Gamma,1,2", "10000000 requests or more in a window"},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char want[200];
		snprintf(want, sizeof want, "!3 trace:1: %s", row[i][1]);
		refuses(row[i][0], row[i][0], "format=servegen " LENGTHS, want);
	}
	refuses("windows that go back", "600,1,1,Gamma,1,2\n0,1,1,Gamma,1,2\n",
		LENGTHS, "!3 trace:2: does not start after the window before");
	refuses("lengths of prompts alone", "0,0.5,1,Gamma,1,2\n",
		"input_tokens=7", "!2 --set: trace: trace: windows have no");
}

static void wrong_lengths(void)
{
#define SET(input)                                                             \
	"{\"0\": {\"input_tokens\": " input                                    \
	", \"output_tokens\": \"{1: 1}\", "                                    \
	"\"more\": 1}}"
	static const char *const row[][2] = {
	    {SET("\"\""), "not a dictionary of tokens and shares"},
	    {SET("\"[]\""), "not a dictionary of tokens and shares"},
	    {SET("\"{1: 1\""), "not a dictionary of tokens and shares"},
	    {SET("\"{x: 1}\""), "not a dictionary of tokens and shares"},
	    {SET("\"{-1: 1}\""), "not a dictionary of tokens and shares"},
	    {SET("\"{2147483648: 1}\""),
	     "not a dictionary of tokens and shares"},
	    {SET("\"{1 1}\""), "not a dictionary of tokens and shares"},
	    {SET("\"{1: }\""), "not a dictionary of tokens and shares"},
	    {SET("\"{1: -1}\""), "not a dictionary of tokens and shares"},
	    {SET("\"{1: 2e9}\""), "not a dictionary of tokens and shares"},
	    {SET("\"{1: 0x1}\""), "not a dictionary of tokens and shares"},
	    {SET("\"{1: 0, 2: 0}\""), "all shares are 0"},
	    {SET("1"), "a string expected"},
	    {"{\"0\": {\"more\": [1], \"input_tokens\": \"{1: 1}\"}}",
	     "no lengths"},
	    {"{\"x\": {}}", "a key is not in seconds"},
	    {"{\"0\": {}}", "no lengths"},
	    {"{} x", "not JSON: text after its end"},
	};
	file("2-trace.csv", "0,0.01,1,Gamma,1,2\n");
	ok(strstr(requests("2-trace.csv", ""), "/2-dataset.json beside it, or "
					       "give [workload] input_tokens"),
	   "nothing beside it");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char want[200];
		snprintf(want, sizeof want, "!3 2-dataset.json:1: %s",
			 row[i][1]);
		file("2-dataset.json", row[i][0]);
		is(requests("2-trace.csv", ""), want, "%s", row[i][0]);
	}
	/* Lengths in the order of their keys as text, more than a page. */
	char many[8000];
	size_t n = (size_t)sprintf(many, "{\"9\": {\"input_tokens\": \"{7: "
					 "1}\", \"output_tokens\": \"{8: 1}\"}"
					 ", \"10\": {\"input_tokens\": \"{9: "
					 "1}\", \"output_tokens\": \"{1: 1}\"}"
					 ", \"0\": {\"input_tokens\": \"{");
	for (int i = 1; i <= 300; i++)
		n += (size_t)sprintf(many + n, "%s%d: %d", i > 1 ? ", " : "", i,
				     i == 300);
	sprintf(many + n, "}\", \"output_tokens\": \"{2: 1}\"}}");
	file("2-dataset.json", many);
	file("2-trace.csv", "0,1,1,Gamma,1,2\n1,1,1,Gamma,1,2\n9.5,1,1,Gamma,1,"
			    "2\n10,1,1,Gamma,1,2\n10.9,1,1,Gamma,1,2\n");
	const char *got = requests("2-trace.csv", "num_requests=1");
	ok(strstr(got, ":300+2"), "the lengths of time 0: %s", got);
	got = requests("2-trace.csv", "");
	ok(strstr(got, ":7+8") && strstr(got, ":9+1"), "and later: %s", got);
	ok(strstr(requests("2-trace.csv", "input_tokens=5000"), ":7+8"),
	   "lengths of prompts alone change nothing");
	unlink(path("2-trace.csv")), unlink(path("2-dataset.json"));
}

int main(void)
{
	begin_traces();
	servegen();
	wrong_windows();
	wrong_lengths();
	return end_traces();
}
