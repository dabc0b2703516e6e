/* rejections.c -- Counts requests that cannot be served, by reason. */
#include "sim/rejections.h"
#include <inttypes.h>

const char *const rejection_name[N_REJECTIONS] = {
    "longer than max_model_len",
    "longer than the whole KV cache",
    "of 2^31 tokens or more",
    "with a prompt longer than max_num_tokens",
    "preempted again and again although each had the whole KV cache",
    "given up after their first tokens, because memory was out"};

/* What lets an engine serve them. */
static const char *const remedy[N_REJECTIONS] = {
    [REJECTED_BY_MODEL_LENGTH] = "; raise engine.max_model_len",
    [REJECTED_BY_CACHE] = "; a replica of more GPUs has more",
    [REJECTED_BY_STEP] = "; raise engine.max_num_batched_tokens"};

/* TensorRT-LLM reserves blocks for all tokens that it plans. */
static uint64_t reserved(const struct engine *e, const struct request *r)
{
	return e->scheduler == SCHEDULER_TENSORRT_LLM ? request_planned(r)
						      : r->output_tokens;
}

static enum rejection why_rejected(const struct engine *e, uint64_t prompt,
				   uint64_t output)
{
	if (e->max_model_len && prompt + output > engine_longest_request(e))
		return REJECTED_BY_MODEL_LENGTH;
	if (prompt + output > UINT32_MAX / 2)
		return REJECTED_BY_COUNTER;
	if (!engine_has_room(e, prompt, output))
		return REJECTED_BY_CACHE;
	return N_REJECTIONS;
}

enum rejection rejection_of(const struct engine *e, const struct request *r,
			    int moves_on)
{
	enum rejection why = N_REJECTIONS;
	if (moves_on)
		why = why_rejected(engine_of_pool(e, 1), r->input_tokens,
				   reserved(engine_of_pool(e, 1), r));
	if (why == N_REJECTIONS && r->input_tokens > engine_longest_prompt(e))
		why = REJECTED_BY_STEP;
	if (why == N_REJECTIONS)
		why = why_rejected(e, r->input_tokens,
				   moves_on ? 1 : reserved(e, r));
	return why;
}

enum rejection rejection_of_given_up(const struct engine *e)
{
	return e->scheduler == SCHEDULER_SGLANG ? REJECTED_BY_ABORT
						: REJECTED_BY_ITSELF;
}

static void join(struct rejected *to, const struct rejected *more)
{
	if (!to->n) {
		*to = *more;
		return;
	}
	to->n += more->n;
}

void rejections_add(struct rejections *r, enum rejection why,
		    const struct request *q)
{
	join(&r->of[why], &(struct rejected){1, q->row, q->line});
}

void rejections_join(struct rejections *to, const struct rejections *other)
{
	for (int i = 0; i < N_REJECTIONS; i++)
		join(&to->of[i], &other->of[i]);
}

int rejections_line(const struct rejections *r, enum rejection why, char *line,
		    size_t size)
{
	const struct rejected *x = &r->of[why];
	int n = snprintf(line, size,
			 "warning: %" PRIu64 " request%s rejected: %s (the "
			 "first: request %" PRIu64,
			 x->n, x->n == 1 ? "" : "s", rejection_name[why],
			 x->first_row);
	line += n;
	size -= (size_t)n;
	const char *then = remedy[why] ? remedy[why] : "";
	if (x->first_line)
		snprintf(line, size, ", line %" PRIu64 ")%s", x->first_line,
			 then);
	else
		snprintf(line, size, ")%s", then);
	return x->n > 0;
}

void rejections_write(const struct rejections *r, FILE *f)
{
	char line[REJECTIONS_LINE];
	for (int i = 0; i < N_REJECTIONS; i++)
		if (rejections_line(r, (enum rejection)i, line, sizeof line))
			fprintf(f, "%s\n", line);
}
