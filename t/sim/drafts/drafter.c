/* What drafting adds to a step. */
#include "sim/drafts/drafter.h"
#include <string.h>
#include "tap.h"

/* What the drafter was asked, a pass a line. */
static char asked[1000];

static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *err)
{
	size_t n = strlen(asked);
	double us = 0;
	(void)inst, (void)err;
	for (uint32_t i = 0; i < s->n_prefill; i++, us++)
		n += (size_t)snprintf(asked + n, sizeof asked - n, "%u:%u ",
				      s->prefill_ctx[i], s->prefill_new[i]);
	for (uint32_t i = 0; i < s->n_decode; i++, us++)
		n += (size_t)snprintf(asked + n, sizeof asked - n, "%u+%u ",
				      s->decode_ctx[i],
				      s->decode_new ? s->decode_new[i] : 1);
	snprintf(asked + n, sizeof asked - n, "| ");
	out->total_us = 10 * us;
	out->host_us = us;
	return us > 100 ? SC_EUNSUP : SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin, .name = "drafter", .eval = eval};
static struct cost cost = {.p = &plugin};
static struct engine e = {.speculation.drafts = 3, .graph_max_tokens = 8};
static uint32_t ctx[4];
static uint64_t id[4];
static const struct drafter drafter = {
    .e = &e, .cost = &cost, .ctx = ctx, .id = id};

static const uint32_t new_tokens[] = {100, 7}, before[] = {50, 0},
		      last[] = {0, 1}, kv[] = {1000, 2000}, verified[] = {4, 3};
static const uint64_t ids[] = {1, 2};

static double us_of(const struct drafter *d, const sc_step *step)
{
	struct problem p;
	double us = 0;
	asked[0] = '\0';
	if (drafter_add(d, step, (struct drafter_group){0}, &us, &p) < 0)
		return -1;
	return us;
}

static void priced(void)
{
	sc_step step = {.size = sizeof step,
			.n_prefill = 2,
			.n_decode = 2,
			.n_sampled = 3,
			.prefill_new = new_tokens,
			.prefill_ctx = before,
			.prefill_last = last,
			.prefill_id = ids,
			.decode_ctx = kv,
			.decode_new = verified,
			.decode_id = ids};
	ok(us_of(&drafter, &step) == 40 + 30 + 30, "a pass a draft");
	is(asked,
	   "50:100 0:7 1000+4 2000+3 | "
	   "1004+1 2003+1 7+1 | 1005+1 2004+1 8+1 | ",
	   "all tokens of the step, then one of each that made one");
	e.async_scheduling = 1;
	ok(us_of(&drafter, &step) == 36 + 27 + 27,
	   "asynchronous: less what its host does");
	e.async_scheduling = 0;
	step.n_decode = step.n_sampled = 0;
	step.n_prefill = 1;
	ok(us_of(&drafter, &step) == 10, "one pass where nobody makes a token");
	is(asked, "50:100 | ", "of the prompt");
	e.speculation.drafts = 0;
	ok(us_of(&drafter, &step) == 0 && !*asked, "without drafts none");
	e.speculation.drafts = 3;
}

static void constant(void)
{
	const struct drafter d = {.e = &e};
	sc_step step = {.size = sizeof step, .n_sampled = 2};
	e.draft_us = 5;
	ok(us_of(&d, &step) == 15, "a constant for each pass");
	step.n_sampled = 0;
	ok(us_of(&d, &step) == 5, "one where nobody makes a token");
}

int main(void)
{
	priced();
	constant();
	return done();
}
