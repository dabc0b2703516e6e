/* A recommendation as a document. */
#include "recommended.h"
#include "document_asked.h"
#include "rendered.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"

static struct document d;

static void document(void)
{
	document_free(&d);
	recommend_document(&recommended, 0, &d);
}

static void says(unsigned in, const char *text)
{
	ok(document_says(&d, in, text), "says: %s", text);
}

int main(void)
{
	scratch_open();
	ask_small();
	recommend_good(RECOMMENDED);
	document();
	ok(strstr(d.question, "at most 2 GPUs") &&
	       strstr(d.question, "E2E latency p99 <= 20 ms"),
	   "the question has GPUs and bounds: %s", d.question);
	ok(d.answer.n >= 2 && strstr(d.answer.item[0], "slow: tp 1 x 2"),
	   "the answer is the winner");
	says(IN_SHORT, "4 configurations; ");
	const struct columns *c = document_find(&d, "arm");
	ok(c && c->n_rows >= 3, "winners, and the best of another shape");
	is(columns_at(c, 1)->text, "slow", "a winner");
	ok(columns_at(c, 1)[1].value > 0, "with its rate");
	is(columns_at(c, 1)[9].text, "tp 1 x 2, max_num_seqs 8",
	   "and its configuration");
	ok(document_find(&d, "choice of") != NULL, "what the choice loses");
	says(IN_FULL, "max_model_len = 15, the longest request");
	ok(!document_says(&d, IN_SHORT, "max_model_len = 15"),
	   "which is left out of a short text");
	document_text(&d, IN_SHORT, rendered_begin());
	const char *text = rendered_end();
	size_t widest = 0;
	for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
		if (strcspn(at, "\n") > widest)
			widest = strcspn(at, "\n");
	ok(widest <= 100, "at most 100 columns: %zu", widest);
	ask_small();
	asked.budget = 1;
	recommend_good(RECOMMENDED);
	document();
	says(IN_SHORT, "configurations untried");
	char ini[900];
	snprintf(
	    ini, sizeof ini,
	    CONFIG_SETUP CONFIG_ARM("slow", "1000") "[workload]\ntrace=%s\n",
	    scratch_file("trace", "arrival_us,input_tokens,output_tokens\n"
				  "0,10,5\n500000,10,5\n1000000,10,5\n"));
	ask_small();
	recommend_good(ini);
	document();
	says(IN_SHORT, "slow: 3 requests of the trace are fewer than a run "
		       "needs; it came up to ");
	ok(recommend_looped(&recommended, 0) > 4, "many times: %d",
	   (int)recommend_looped(&recommended, 0));
	document_free(&d);
	recommend_free(&recommended);
	return done();
}
