/* Attention's difference by the KV length of requests. */
#include "record/kv_split.h"
#include "tap.h"

/* us per KV token, and that many times for requests of 1,000 tokens and more.
 */
struct model {
	double us, times;
	int n_asked;
};

static double price(const struct model *m, double kv)
{
	return kv * m->us * (kv >= 1000 ? m->times : 1);
}

static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *err)
{
	struct model *m = inst;
	(void)err;
	m->n_asked++;
	out->attention_us[SC_DECODE] = out->attention_us[SC_PREFILL] = 0;
	for (uint32_t i = 0; i < s->n_decode; i++)
		out->attention_us[SC_DECODE] +=
		    price(m, s->decode_ctx[i]) *
		    (s->decode_new ? s->decode_new[i] : 1);
	for (uint32_t i = 0; i < s->n_prefill; i++)
		out->attention_us[SC_PREFILL] +=
		    price(m, (double)s->prefill_ctx[i] + s->prefill_new[i]);
	out->total_us = 1;
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin, .name = "p", .eval = eval};

int main(void)
{
	struct problem p = {0};
	struct model plain = {0.01, 1, 0}, planted = {0.01, 3, 0};
	struct cost a = {.p = &plugin, .inst = &plain};
	struct cost b = {.p = &plugin, .inst = &planted};
	struct kv_split k = {.n_steps = 100};
	double share[REGIME_BINS], sum = 0;
	const uint32_t kv[] = {100, 1500, 3000, 40}, more[] = {1, 2, 1, 1};
	const uint32_t ctx[] = {0, 2000}, fresh[] = {30, 48};
	sc_step s = {.size = sizeof s,
		     .n_decode = 4,
		     .decode_ctx = kv,
		     .n_prefill = 2,
		     .prefill_ctx = ctx,
		     .prefill_new = fresh};

	ok(regime_bin(0) == 0 && regime_bin(1) == 0 && regime_bin(1.9) == 0 &&
	       regime_bin(2) == 1 && regime_bin(8191) == 12 &&
	       regime_bin(8192) == 13 && regime_bin(1e300) == REGIME_BINS - 1,
	   "bins are powers of two");
	ok(kv_split_step(&k, &s, &a, &b, share, &p) == 0, "a step");
	for (int i = 0; i < REGIME_BINS; i++)
		sum += share[i];
	near(sum, 1, 1e-12, "shares sum to 1");
	/* Of 1,500 + 3,000 + 2,048 tokens with a difference. */
	near(share[10], 1500.0 / 6548, 1e-12, "1,024 to 2,047");
	near(share[11], 5048.0 / 6548, 1e-12, "2,048 to 4,095");
	ok(share[5] == 0 && share[6] == 0, "none where none was planted");
	s.decode_new = more;
	ok(kv_split_step(&k, &s, &a, &b, share, &p) == 0, "with drafts");
	near(share[10], 3000.0 / 8048, 1e-12, "tokens of a request count");

	s = (sc_step){.size = sizeof s, .n_decode = 1, .decode_ctx = kv + 1};
	int asked = plain.n_asked;
	ok(kv_split_step(&k, &s, &a, &b, share, &p) == 0 && share[10] == 1 &&
	       plain.n_asked == asked,
	   "a step of one bin is not asked");
	s.n_decode = 0;
	ok(kv_split_step(&k, &s, &a, &b, share, &p) == 0 && share[0] == 0,
	   "an empty one has no shares");

	/* Of a long run not every step is asked, but each bin at first. */
	struct kv_split far = {.n_steps = 100000000};
	s = (sc_step){.size = sizeof s, .n_decode = 2, .decode_ctx = kv};
	kv_split_step(&far, &s, &a, &b, share, &p);
	asked = plain.n_asked;
	kv_split_step(&far, &s, &a, &b, share, &p);
	ok(plain.n_asked == asked && share[10] == 1, "the next one is not");
	s.decode_ctx = kv + 1;
	kv_split_step(&far, &s, &a, &b, share, &p);
	near(share[11], 3000.0 / 4500, 1e-12, "but a bin that is new");
	kv_split_free(&k);
	kv_split_free(&far);
	return done();
}
