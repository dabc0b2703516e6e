/* Each kind of invariant holds where it should, and fails where a figure of one
 * step is changed. */
#include "experiment/invariant.h"
#include "claimed.h"

enum change { NOTHING, ATTENTION, COMM, MFU, FLOPS, BELOW, SHORTER, EMPTY };

static void apply(enum change c)
{
	for (size_t i = 0; i < x.n_points; i++) {
		struct xp_point *q = &x.point[i];
		int is = q->arm[0] == 'a' && q->row == 1;
		if (c == EMPTY)
			q->n_decode = q->min_kv = 0;
		if (!is)
			continue;
		if (c == ATTENTION)
			q->result.attention_us[SC_DECODE] *= 1.1;
		if (c == COMM)
			q->result.comm_us *= 1 + 1e-9;
		if (c == MFU)
			q->result.attention_mfu[SC_DECODE] = 0.61;
		if (c == FLOPS)
			q->result.attention_flops[SC_DECODE] *= 1.01;
		if (c == SHORTER)
			q->result.exact_us = 1;
		q->is_below = c == BELOW;
	}
}

/* Returns why it fails; "": it holds. */
static const char *judged(const char *text, double times, enum change c)
{
	static char more[300];
	struct problem p = {0};
	snprintf(more, sizeof more, "effect_at_least = 0\ninvariant.i = %s\n",
		 text);
	if (claimed(more, &p) < 0)
		bail_out(p.text);
	price(times);
	apply(c);
	if (experiment_compute(&x, &p) < 0)
		bail_out(p.text);
	const char *why = x.claim.invariant[0].why;
	return why ? why : "";
}

static void both(const char *text, double times, enum change c)
{
	is(judged(text, times, NOTHING), "", "%s", text);
	const char *why = judged(text, times, c);
	ok(*why, "it fails: %s", why);
	if (c != EMPTY)
		ok(!strncmp(why, "step,decode,prefill: t.1.s,64x2,: ", 34),
		   "and says the step");
}

static void refused(const char *text, const char *want)
{
	char more[300];
	struct problem p = {0};
	snprintf(more, sizeof more, "effect_at_least = 0\ninvariant.i = %s\n",
		 text);
	ok(claimed(more, &p) < 0 && strstr(p.text, want), "%s", p.text);
}

int main(void)
{
	both("mfu_within(a)", 2, MFU);
	both("equal_batch(a, b, decode_attention_us)", 1, ATTENTION);
	both("equal_batch(a, b, decode_attention)", 1, EMPTY);
	both("moves_only(decode_attention_us)", 2, COMM);
	is(judged("moves_only(decode_attention comm)", 2, COMM), "",
	   "what is named may move");
	both("ratio_at_most(decode_attention_us, 2)", 2, ATTENTION);
	both("above_floor(a)", 2, BELOW);
	both("monotone(n, a)", 2, SHORTER);
	both("flops(a, decode_attention, n * 7)", 2, FLOPS);
	is(judged("monotone(other, a)", 2, NOTHING),
	   "no step of the tables can show it", "an axis that no table has");
	is(judged("all(t: us > 0)", 2, NOTHING), "", "an expression");
	refused("equal_batch(a, b)", "takes 3 words");
	refused("mfu_within(a, b)", "takes 1 words");
	refused("mfu_within(a", "takes 1 words");
	refused("ratio_at_most(comm_us)", "an expression");
	refused("moves_only()", "takes more than 0 words");
	refused("1 +", "a value expected");
	experiment_free(&x);
	ini_free(&ini);
	return done();
}
