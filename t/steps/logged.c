/* Steps that an engine tells keep their sums. */
#include "steps/logged.h"
#include <stdlib.h>
#include <string.h>
#include "cost/steps.h"
#include "tap.h"

static struct problem p;
static struct logged l;
static char *rows;

/* Single quotes stand for double ones. */
static int write_text(const char *text)
{
	size_t size;
	char *copy = strdup(text);
	for (char *s = copy; *s; s++)
		*s = *s == '\'' ? '"' : *s;
	free(rows);
	FILE *f = open_memstream(&rows, &size);
	p = (struct problem){0};
	l = (struct logged){.context_tokens = l.context_tokens};
	int rc = logged_write(&l, copy, strlen(copy), "f", f, &p);
	fclose(f);
	free(copy);
	return rc;
}

static void has(const char *row)
{
	if (!ok(strstr(rows, row) != NULL, "%s", row))
		printf("# got %s\n", rows);
}

#define PASS(wall, fields)                                                     \
	"{'worker_id': 'w', 'dp_rank': 2, 'wall_time': " wall                  \
	", 'scheduled_requests': {" fields "}}\n"

static void passes(void)
{
	ok(write_text(
	       PASS("0.5", "'num_prefill_requests': 3, 'sum_prefill_tokens': 8,"
			   "'sum_prefill_kv_tokens': 100,"
			   "'num_decode_requests': 3,"
			   "'sum_decode_kv_tokens': 3001,"
			   "'var_decode_kv_tokens': 1")
		   PASS("0", "") "[{'fpms': [" PASS(
		       "1e-5", "'num_decode_requests': 2,"
			       "'sum_decode_kv_tokens': 64,"
			       "'var_decode_kv_tokens': 0") "]}]") == 0 &&
	       l.n == 2 && l.idle == 1 && l.waited == 1,
	   "lines and documents: %s", p.text);
	has("1,1001;1000x2,34:3;33:3;33:2,500000,1,single,iteration,mean,w/2,");
	has("3,32x2,,10,1,single,iteration,exact,w/2,WAITED_ONLY");
}

/* The rows are read back, and their sums are the ones that were told. */
static void sums(void)
{
	char text[400];
	for (unsigned n = 1; n < 12; n++)
		for (unsigned sum = n; sum < 40; sum += 7) {
			struct steps s;
			uint64_t new = 0, cached = 0, contexts = 0;
			snprintf(text, sizeof text,
				 PASS("1", "'num_prefill_requests': %u,"
					   "'sum_prefill_tokens': %u,"
					   "'sum_prefill_kv_tokens': %u,"
					   "'num_decode_requests': %u,"
					   "'sum_decode_kv_tokens': %u"),
				 n, sum, 3 * sum + 1, n, sum + 2);
			write_text(text);
			FILE *f = fmemopen(rows, strlen(rows), "r");
			if (steps_read(&s, f, "f", NULL, &p) < 0 || s.n != 1)
				bail_out(p.text);
			fclose(f);
			const sc_step *step = &s.item[0].step;
			for (uint32_t i = 0; i < step->n_prefill; i++) {
				new += step->prefill_new[i];
				cached += step->prefill_ctx[i];
			}
			for (uint32_t i = 0; i < step->n_decode; i++)
				contexts += step->decode_ctx[i];
			if (new != sum || cached != 3 * sum + 1 ||
			    contexts != sum + 2 || step->n_prefill != n ||
			    step->n_decode != n)
				bail_out(rows);
			steps_free(&s);
		}
	ok(1, "sums stay");
}

#define LINE(what)                                                             \
	"(EngineCore_DP3 pid=9) INFO [core.py:359] Iteration(7): " what "\n"

static void log_of_vllm(void)
{
	ok(write_text("INFO GPU KV cache size: 1,000 tokens\nother\n" LINE(
	       "1 context requests, 9 context tokens, 4 generation "
	       "requests, 12 generation tokens, iteration elapsed time: "
	       "40.5 ms, GPU KV cache usage: 50.0%")) == 0,
	   "a log: %s", p.text);
	has("7,100+3x4,0:9,40500,1,single,iteration,mean,3,\n");
	ok(write_text(LINE("0 context requests, 0 context tokens, 4 generation "
			   "requests, 4 generation tokens, iteration elapsed "
			   "time: 4 ms")) < 0 &&
	       strstr(p.text, "f:1: the log does not tell contexts: --context"),
	   "%s", p.text);
	l.context_tokens = 33;
	ok(write_text(
	       "\n" LINE("0 context requests, 0 context tokens, 0 "
			 "generation requests, 0 generation tokens, "
			 "iteration elapsed time: 4 ms (dummy)")
		   LINE("0 context requests, 0 context tokens, 4 generation "
			"requests, 4 generation tokens, iteration elapsed "
			"time: 4 "
			"ms")) == 0 &&
	       l.idle == 1,
	   "dummies are left out: %s", p.text);
	has("7,33x4,,4000,");
	l.context_tokens = 0;
}

static void wrong(void)
{
	static const struct {
		const char *text, *why;
	} of[] = {
	    {"", "f:1: tells no steps"},
	    {"{'a': 1}", "f:1: tells no steps"},
	    {"\n{'a': ", "f:2: the file is cut short"},
	    {PASS("1", "'num_prefill_requests': 3, 'sum_prefill_tokens': 2"),
	     "f:1: a request has no tokens"},
	    {PASS("1", "'num_decode_requests': 1,"
		       "'sum_decode_kv_tokens': 1e13"),
	     "f:1: a request has no tokens, or too many"},
	    {PASS("1", "'num_prefill_requests': 1, 'sum_prefill_tokens': 1,"
		       "'sum_prefill_kv_tokens': 4294967295"),
	     "f:1: a request has no tokens, or too many"},
	    {"GPU KV cache size: 1 tokens\n" LINE(
		 "0 context requests, 0 context tokens, 1 generation "
		 "requests, 9999999999 generation tokens, iteration elapsed "
		 "time: 4 ms, GPU KV cache usage: 9%"),
	     "f:2: a request has no tokens, or too many"},
	    {PASS("1", "'num_decode_requests': 1e9"),
	     "f:1: more than 65536 requests"},
	    {"a\n" LINE("1 context requests"),
	     "f:2: this line of an iteration is not whole"}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		ok(write_text(of[i].text) < 0 && p.code == EXIT_INPUT &&
		       !strncmp(p.text, of[i].why, strlen(of[i].why)),
		   "%s", p.text);
}

int main(void)
{
	passes();
	sums();
	log_of_vllm();
	wrong();
	free(rows);
	return done();
}
