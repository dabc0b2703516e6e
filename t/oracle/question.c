/* Batches: read in three forms, and refused. */
#include "oracle/question.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static struct question_columns *c;
static struct question q;
static json_t *root;

static int reads(const char *text, struct problem *p)
{
	json_decref(root);
	root = json_loads(text, 0, NULL);
	return question_read(root, c, &q, p);
}

static void refuses(const char *text)
{
	struct problem p;
	ok(reads(text, &p) < 0 && p.code == EXIT_INPUT, "refused: %s: %s", text,
	   p.text);
}

static void own(void)
{
	struct problem p;
	ok(reads("{\"prefill_new\": [5, 6], \"prefill_ctx\": [0, 9], "
		 "\"prefill_last\": [0, 1], \"decode_ctx\": [7, 8], "
		 "\"decode_new\": [1, 3], \"flags\": 1}",
		 &p) == 0 &&
	       q.step.n_prefill == 2 && q.step.n_decode == 2 &&
	       q.step.n_sampled == 3 && q.step.prefill_ctx[1] == 9 &&
	       q.step.decode_new[1] == 3 && q.step.flags == 1 &&
	       q.step.decode_ctx_sum == 15 && !q.step.prefill_prompt,
	   "our own form");
	ok(reads("{\"prefill_new\": [5]}", &p) == 0 && q.step.n_sampled == 1 &&
	       q.step.prefill_ctx[0] == 0 && !q.step.decode_new,
	   "a whole prompt");
}

static void theirs(void)
{
	struct problem p;
	ok(reads("{\"reqs\": [[10, 0], [1, 50], [1, 0], [4, 20]]}", &p) == 0 &&
	       q.step.n_prefill == 3 && q.step.n_decode == 1 &&
	       q.step.decode_ctx[0] == 50 && q.step.prefill_new[1] == 1 &&
	       q.step.prefill_ctx[2] == 20 && q.step.n_sampled == 4,
	   "SGLang's form");
	ok(reads("{\"scheduled\": [[0, 64, 100], [64, 36, 100], [100, 1, 100], "
		 "[120, 4, 100]]}",
		 &p) == 0 &&
	       q.step.n_prefill == 2 && q.step.n_decode == 2 &&
	       q.step.n_sampled == 3 && q.step.prefill_last[0] == 0 &&
	       q.step.prefill_last[1] == 1 && q.step.decode_new[1] == 4 &&
	       q.step.prefill_prompt[0] == 100,
	   "vLLM's form");
	ok(reads("{}", &p) == 0 && q.step.n_prefill + q.step.n_decode == 0,
	   "an empty batch");
}

int main(void)
{
	c = malloc(sizeof *c);
	own();
	theirs();
	refuses("[]");
	refuses("{\"reqs\": 3}");
	refuses("{\"reqs\": [[1]]}");
	refuses("{\"reqs\": [[0, 5]]}");
	refuses("{\"scheduled\": [[1, 2]]}");
	refuses("{\"decode_ctx\": [-1]}");
	refuses("{\"decode_ctx\": [1.5]}");
	refuses("{\"decode_ctx\": [1, 2], \"decode_new\": [1]}");
	refuses("{\"prefill_new\": [0]}");
	json_decref(root);
	free(c);
	return done();
}
