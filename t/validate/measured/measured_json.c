/* Reads files of several results, and what Python writes that JSON has not. */
#include "results_read.h"

static void several(void)
{
	ok(read_text("\n\n{'mean_ttft_ms': 1, 'completed': 1}\r\n\t"
		     "{'mean_ttft_ms': 2, 'completed': 1}"
		     "[{'mean_ttft_ms': 3, 'completed': 1},"
		     " {'mean_e2el_ms': 4, 'completed': 1}]\n") == 0 &&
	       m.n == 4,
	   "objects and arrays, one after another: %s", p.text);
	ok(m.row[0].line == 3 && m.row[1].line == 4 && m.row[3].line == 4,
	   "each with the line that it begins on");
}

static void numbers(void)
{
	ok(read_text(
	       "{'mean_ttft_ms': 1, 'request_rate': Infinity,"
	       "'a': [NaN, -Infinity, -2, 'NaN \\' I'], 'completed': 1,"
	       "'duration': -0.0, 'max_concurrency': 3}\n{'mean_ttft_ms': 2,"
	       "'completed': 1}") == 0 &&
	       m.n == 2 && isnan(m.row[0].request_rate) &&
	       m.row[0].concurrency == 3 && m.row[1].line == 2,
	   "Infinity and NaN are as null: %s", p.text);
	refused("{'mean_ttft_ms': 1, 'completed': 1, 'x': None}", "r.json:1: ");
	refused("{'mean_ttft_ms': 1, 'completed': 1, 'x': Infinityyyyy}",
		"r.json:1: ");
	ok(read_text("{'mean_ttft_ms': 1, 'completed': 1,"
		     "'x': 'a\\\\', 'request_rate': Infinity}") == 0 &&
	       isnan(m.row[0].request_rate),
	   "a text that ends in a backslash ends there: %s", p.text);
	refused("{'mean_ttft_ms': 1, 'completed': -}", "r.json:1: ");
}

static void wrong(void)
{
	refused("", "r.json:1: no runs");
	refused("[]", "r.json:1: no runs");
	refused("{'a': 1}",
		"r.json:1: is no result of a program that is known: ");
	refused("[1]", "r.json:1: is no result of a program that is known: ");
	refused("{'mean_ttft_ms': 1}",
		"r.json:1: it names no completed requests");
	refused("{'mean_ttft_ms': 1, 'completed': 0}",
		"r.json:1: it names no completed requests");
	refused("{'load_summary': {'x': 1}, 'successes': {'count': 0}}",
		"r.json:1: it names no completed requests");
	refused("{'mean_ttft_ms': 1, 'completed': 1}\n{'a':\n}", "r.json:3: ");
	ok(m.n == 1, "the results before it were read");
}

int main(void)
{
	several();
	numbers();
	wrong();
	measured_free(&m);
	return done();
}
