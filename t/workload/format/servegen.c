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

int main(void)
{
	begin_traces();
	servegen();
	return end_traces();
}
