/* logged.h -- a log of steps and requests made by hand, and a cost model of
 * 10 us and 1 us a token. */
#ifndef T_LOGGED_H
#define T_LOGGED_H
#include "engine/engine.h"
#include "record/steplog.h"
#include "cost/cost.h"
#include "tap.h"

static struct problem p;

static int32_t eval(void *inst, const sc_step *s, sc_result *out, sc_error *err)
{
	double tokens = 0;
	(void)inst, (void)err;
	for (uint32_t i = 0; i < s->n_decode; i++)
		tokens += s->decode_new ? s->decode_new[i] : 1;
	for (uint32_t i = 0; i < s->n_prefill; i++)
		tokens += s->prefill_new[i];
	out->total_us = 10 + tokens + (s->flags & SC_STEP_GRAPH ? 0 : 2) +
			.001 * s->dp_tokens;
	return SC_OK;
}

static const sc_plugin linear = {.size = sizeof linear,
				 .abi_major = SC_ABI_MAJOR,
				 .name = "linear",
				 .eval = eval};
__attribute__((unused)) static struct cost cost = {.p = &linear};

/* A sequence of a step: computes n tokens behind `context`. */
struct part {
	uint64_t row;
	uint32_t context, n;
	int is_prompt; /* 1; -1: without the end of the prompt */
};
/* Ends with n = 0. */
struct made {
	uint32_t replica, flags, dp_tokens;
	int64_t start_us, end_us;
	/* waits before the step, and encodes first */
	int64_t copies_us, adapters_us, encoders_us;
	struct part part[8];
};

/* Writes a step; its price is how long it lasts without encoders. */
static void log_made(FILE *f, const struct made *m)
{
	uint32_t decode[8], new_tokens[8], context[8], last[8], drafted[8];
	uint64_t decode_id[8], id[8];
	sc_step s = {.size = sizeof s,
		     .replica = m->replica,
		     .flags = m->flags,
		     .dp_tokens = m->dp_tokens,
		     .decode_ctx = decode,
		     .decode_id = decode_id,
		     .decode_new = drafted,
		     .prefill_new = new_tokens,
		     .prefill_ctx = context,
		     .prefill_last = last,
		     .prefill_id = id};
	for (const struct part *x = m->part; x->n; x++, s.n_sampled++)
		if (x->is_prompt) {
			new_tokens[s.n_prefill] = x->n;
			context[s.n_prefill] = x->context;
			last[s.n_prefill] = x->is_prompt > 0;
			id[s.n_prefill++] = x->row;
		} else {
			decode[s.n_decode] = x->context;
			drafted[s.n_decode] = x->n;
			decode_id[s.n_decode++] = x->row;
		}
	sc_result r = {.total_us =
			   (double)(m->end_us - m->start_us - m->encoders_us)};
	struct step_event e = {.step = &s,
			       .result = &r,
			       .start_ns = 1000 * m->start_us,
			       .end_ns = 1000 * m->end_us,
			       .copy_wait_ns = 1000 * m->copies_us,
			       .adapter_wait_ns = 1000 * m->adapters_us,
			       .encoder_ns = 1000 * m->encoders_us};
	steplog_write_step(f, &e, 0);
}

/* The caller unmaps the log. */
__attribute__((unused)) static struct steplog logged(const struct made *m,
						     size_t n)
{
	struct steplog l;
	FILE *f = tmpfile();
	if (!f)
		bail_out("no temporary file");
	for (size_t i = 0; i < n; i++)
		log_made(f, &m[i]);
	fflush(f);
	if (steplog_map(&l, f, &p) < 0)
		bail_out(p.text);
	fclose(f);
	return l;
}
#define LOGGED(m) logged(m, sizeof(m) / sizeof *(m))
#endif
