/* A cost model made of two. */
#include "cost/composite.h"
#include <math.h>
#include <string.h>
#include "tap.h"

/* Decodes hide behind prefills, unless it is additive. */
struct model {
	double prefill, gemm, attention, overhead;
	int is_broken;
};

static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *err)
{
	const struct model *m = inst;
	double prefill = s->n_prefill * m->prefill;
	double decode = s->n_decode * (m->gemm + m->attention);
	if (m->is_broken) {
		snprintf(err->text, sizeof err->text, "no such shape");
		return SC_EUNSUP;
	}
	out->gemm_us[SC_PREFILL] = prefill;
	out->gemm_us[SC_DECODE] = s->n_decode * m->gemm;
	out->attention_us[SC_DECODE] = s->n_decode * m->attention;
	out->overhead_us = m->overhead;
	out->total_us = prefill + decode + m->overhead;
	out->ready_us = out->total_us / 4;
	out->host_us = m->overhead / 2;
	return SC_OK;
}

static int32_t eval_hidden(void *inst, const sc_step *s, sc_result *out,
			   sc_error *err)
{
	const struct model *m = inst;
	if (s->decode_ctx_sum &&
	    s->decode_ctx_sum != (s->n_decode ? s->decode_ctx[0] : 0)) {
		snprintf(err->text, sizeof err->text, "another sum");
		return SC_EINVAL;
	}
	out->overhead_us = m->overhead;
	out->total_us =
	    m->overhead + fmax(s->n_prefill * m->prefill,
			       s->n_decode * (m->gemm + m->attention));
	return SC_OK;
}

static const sc_plugin plugin = {.size = sizeof plugin,
				 .capabilities = SC_CAP_ADDITIVE,
				 .name = "one",
				 .eval = eval},
		       other = {.size = sizeof other,
				.capabilities = SC_CAP_ADDITIVE,
				.name = "two",
				.eval = eval},
		       hidden = {.size = sizeof hidden,
				 .name = "hidden",
				 .eval = eval_hidden};

static struct model x = {50, 10, 20, 2, 0}, y = {300, 100, 200, 8, 0};
static struct cost a = {.p = &plugin, .inst = &x};
static struct cost b = {.p = &other, .inst = &y};
static struct cost c = {.p = &hidden, .inst = &y};
static const uint32_t kv[] = {5}, new[] = {7}, last[] = {1};
static const sc_step decoding = {
    .size = sizeof decoding, .n_decode = 1, .n_sampled = 1, .decode_ctx = kv};
static const sc_step mixed = {.size = sizeof mixed,
			      .n_prefill = 1,
			      .n_decode = 1,
			      .n_sampled = 2,
			      .prefill_new = new,
			      .prefill_ctx = kv,
			      .prefill_last = last,
			      .decode_ctx = kv,
			      .decode_ctx_sum = 5};

enum { PREFILL, DECODE, COMMUNICATION, OVERHEAD }; /* of phases */

static const sc_result *priced(struct cost *by, const sc_step *step,
			       uint32_t from_b, struct problem *p)
{
	static struct composite h;
	static struct cost made;
	composite_make(
	    &h, &a, by,
	    composite_parts(plugin.capabilities, by->p->capabilities), from_b,
	    &made);
	return cost_eval(&made, step, p);
}

static uint32_t bit(const char *name)
{
	for (uint32_t i = 0; composite_component[i].name; i++)
		if (!strcmp(composite_component[i].name, name))
			return 1u << i;
	return 0;
}

static void components(void)
{
	struct problem p = {0};
	const sc_result *r = priced(&b, &decoding, 0, &p);
	ok(r && r->total_us == 32, "nothing swapped: the first");
	r = priced(&b, &decoding, bit("decode GEMM"), &p);
	ok(r && r->total_us == 122, "one component swapped");
	ok(r && r->ready_us == 30.5 && r->host_us == 1,
	   "a stage keeps its share, and hides what it hid");
	r = priced(&b, &decoding, bit("decode attention") | bit("overhead"),
		   &p);
	ok(r && r->total_us == 218 && r->host_us == 4, "two");
	ok(r && isnan(r->gemm_us[SC_DECODE]), "without parts");
	r = priced(&b, &decoding, (1u << COMPOSITE_PARTS) - 1, &p);
	ok(r && r->total_us == 308, "all swapped: the second");
}

static void every_component_once(void)
{
	uint32_t all = 0;
	int twice = 0;
	for (int i = 0; composite_component[i].name; i++) {
		twice |= (all & composite_component[i].components) != 0;
		all |= composite_component[i].components;
	}
	ok(all == (1u << N_COMPONENTS) - 1 && !twice,
	   "each component is of one part");
}

/* The first takes 50 + 30 + 2, the other max(300, 300) + 8. */
static void phases(void)
{
	struct problem p = {0};
	const sc_result *r = priced(&c, &mixed, 1u << DECODE, &p);
	ok(r && r->total_us == 52, "decodes that are hidden add nothing");
	r = priced(&c, &mixed, 1u << PREFILL, &p);
	ok(r && r->total_us == 332, "a prefill is what it takes by itself");
	r = priced(&c, &mixed, 1u << OVERHEAD, &p);
	ok(r && r->total_us == 88, "overheads are apart");
	r = priced(&c, &mixed, (1u << COMPOSITE_PARTS) - 1, &p);
	ok(r && r->total_us == 308, "all phases: the second");
	r = priced(&c, &decoding, 1u << DECODE, &p);
	ok(r && r->total_us == 302, "a step of decodes is decode");
	r = priced(&c, &decoding, 1u << PREFILL, &p);
	ok(r && r->total_us == 32, "and nothing of it prefill");
}

/* A rank's step, priced by the tokens of its group. */
static int32_t eval_group(void *inst, const sc_step *s, sc_result *out,
			  sc_error *err)
{
	(void)inst, (void)err;
	out->total_us = 1000 * s->dp_tokens + s->dp_max_tokens;
	return SC_OK;
}

static void ranks(void)
{
	static const sc_plugin group = {
	    .size = sizeof group, .name = "group", .eval = eval_group};
	struct cost g = {.p = &group, .inst = &x};
	struct problem p = {0};
	sc_step s = mixed;
	s.dp_tokens = 20;
	s.dp_max_tokens = 12;
	const sc_result *r = priced(&g, &s, 1u << PREFILL, &p);
	ok(r && r->total_us == 19011 + 30 + 2,
	   "of a rank's step its own decodes are left out");
	s.dp_tokens = s.dp_max_tokens = 7;
	r = priced(&g, &s, 1u << PREFILL, &p);
	ok(r && r->total_us == 6007 + 30 + 2, "and no more than its decodes");
}

int main(void)
{
	struct problem p = {0};
	components();
	every_component_once();
	phases();
	ranks();
	y.is_broken = 1;
	ok(!priced(&b, &decoding, 0, &p) &&
	       strstr(p.text, "two: eval: no such shape"),
	   "who fails is named: %s", p.text);
	return done();
}
