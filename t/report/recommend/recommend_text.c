/* A recommendation as text. */
#include "recommended.h"
#include "rendered.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"

int main(void)
{
	scratch_open();
	ask_small();
	recommend_good(RECOMMENDED);
	recommend_text(&recommended, rendered_begin());
	const char *text = rendered_end();
	rendered_has(text, "GPUs: at most 2; p99_e2el_ms <= 20\n");
	rendered_has(text, "max_model_len = 15, the longest request");
	rendered_has(text, "4 configurations; ");
	rendered_has(text, "\nslow ");
	rendered_has(text, "  tp 1 x 2, max_num_seqs 8\n");
	rendered_has(text, "the best of another shape\n");
	rendered_has(text, "this share is lost:\n");
	rendered_has(text, "0.0 %");
	ask_small();
	asked.budget = 1;
	recommend_good(RECOMMENDED);
	recommend_text(&recommended, rendered_begin());
	rendered_has(rendered_end(), "configurations untried");
	char ini[900];
	snprintf(
	    ini, sizeof ini,
	    CONFIG_SETUP CONFIG_ARM("slow", "1000") "[workload]\ntrace=%s\n",
	    scratch_file("trace", "arrival_us,input_tokens,output_tokens\n"
				  "0,10,5\n500000,10,5\n1000000,10,5\n"));
	ask_small();
	recommend_good(ini);
	recommend_text(&recommended, rendered_begin());
	rendered_has(rendered_end(),
		     "slow: 3 requests of the trace are fewer than a run "
		     "needs; it came up to ");
	ok(recommend_looped(&recommended, 0) > 4, "many times: %d",
	   (int)recommend_looped(&recommended, 0));
	recommend_free(&recommended);
	return done();
}
