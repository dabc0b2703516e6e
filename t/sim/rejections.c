/* Requests that cannot be served, counted by reason. */
#include "sim/rejections.h"
#include "tap.h"

static const char *written(const struct rejections *r)
{
	static char text[400];
	FILE *f = fmemopen(text, sizeof text, "w");
	if (!f)
		bail_out("fmemopen");
	rejections_write(r, f);
	fclose(f);
	return text;
}

static enum rejection of(const struct engine *e, uint32_t prompt,
			 uint32_t output, int moves_on)
{
	const struct request q = {.input_tokens = prompt,
				  .output_tokens = output};
	return rejection_of(e, &q, moves_on);
}

/* The sizes at which a request just fits. */
static void sizes(void)
{
	struct engine e = {.scheduler = SCHEDULER_SGLANG,
			   .preset = PRESET_SGLANG_2026_07,
			   .block_size = 16,
			   .num_gpu_blocks = 10,
			   .max_model_len = 150};
	struct engine decode = e;
	ok(of(&e, 100, 31, 0) == N_REJECTIONS &&
	       of(&e, 100, 32, 0) == REJECTED_BY_CACHE,
	   "prompt in pages, output, a page and a token are in the cache");
	ok(of(&e, 100, 50, 0) == REJECTED_BY_MODEL_LENGTH,
	   "one token of the context stays free");
	e.preset = PRESET_SGLANG_056;
	ok(of(&e, 100, 49, 0) == N_REJECTIONS, "0.5.6 asks for less");
	e.max_model_len = 0;
	e.sglang.ignores_eos = 1;
	ok(of(&e, 100, 46, 0) == N_REJECTIONS &&
	       of(&e, 100, 47, 0) == REJECTED_BY_CACHE,
	   "without a tree, prompt in pages, output and two tokens");
	e.prefix_caching = 1;
	ok(of(&e, 100, 59, 0) == N_REJECTIONS &&
	       of(&e, 100, 60, 0) == REJECTED_BY_CACHE,
	   "with one, a token more than the request");
	e.max_model_len = 150;
	e.decode = &decode;
	ok(of(&e, 100, 31, 1) == N_REJECTIONS &&
	       of(&e, 100, 32, 1) == REJECTED_BY_CACHE,
	   "the other pool must serve it, too");
	ok(rejection_of_given_up(&e) == REJECTED_BY_ABORT, "SGLang aborts");
	e.scheduler = SCHEDULER_VLLM;
	ok(rejection_of_given_up(&e) == REJECTED_BY_ITSELF, "vLLM does not");
}

int main(void)
{
	sizes();
	struct rejections r = {0}, other = {0};
	struct request q = {.row = 7};
	is(written(&r), "", "none");
	rejections_add(&r, REJECTED_BY_CACHE, &q);
	is(written(&r),
	   "warning: 1 request rejected: longer than the whole KV cache (the "
	   "first: "
	   "request 7); a replica of more GPUs has more\n",
	   "one");
	for (q.row = 8; q.row < 18; q.row++)
		rejections_add(&r, REJECTED_BY_CACHE, &q);
	q = (struct request){.row = 5, .line = 9};
	rejections_add(&other, REJECTED_BY_MODEL_LENGTH, &q);
	rejections_add(&other, REJECTED_BY_CACHE, &q);
	rejections_join(&r, &other);
	is(written(&r),
	   "warning: 1 request rejected: longer than max_model_len (the first: "
	   "request "
	   "5, line 9); raise engine.max_model_len\n"
	   "warning: 12 requests rejected: longer than the whole KV cache (the "
	   "first: "
	   "request 7); a replica of more GPUs has more\n",
	   "a line for each reason, with the first that was seen");
	return done();
}
