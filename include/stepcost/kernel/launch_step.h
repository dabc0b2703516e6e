/* stepcost/kernel/launch_step.h -- header-only helper: attention of a step's
 * prompts and decodes together, from what each takes alone, by the law of
 * launch_law.h and the rows of a table attention_mixed. */
#ifndef SC_LAUNCH_STEP_H
#define SC_LAUNCH_STEP_H
#include <stdlib.h>
#include "stepcost/kernel/launch_rows.h"
#include "stepcost/knob.h"

/* Attention of one layer on one rank. */
struct sc_launch_call {
	enum sc_launches launches;
	struct sc_launch kernel;
	struct sc_launch_rows rows;
};

/* The values of a knob `mixed`, for SC_WORDS(): by engine and GPU, or one of
 * sc_launches. */
#define SC_LAUNCH_MIXED(X)                                                     \
	X(SC_LAUNCH_MIXED_AUTO, "auto"), X(SC_LAUNCH_MIXED_SUM, "sum"),        \
	    X(SC_LAUNCH_MIXED_TWO, "two"), X(SC_LAUNCH_MIXED_ONE, "one")
SC_WORDS(sc_launch_mixed, SC_LAUNCH_MIXED);

/* Returns what the knob asks for, while `engine` is modelled and `prompts`
 * answers for prompts (launch_rows.h). */
static inline enum sc_launches sc_launches_asked(int64_t mixed,
						 const sc_setup *setup,
						 uint32_t engine,
						 const sc_table *prompts)
{
	switch (mixed) {
	case SC_LAUNCH_MIXED_AUTO:
		return sc_launches_of(setup, engine, prompts);
	case SC_LAUNCH_MIXED_TWO:
		return SC_LAUNCHES_TWO;
	case SC_LAUNCH_MIXED_ONE:
		return SC_LAUNCHES_ONE;
	default:
		return SC_LAUNCHES_SUM;
	}
}

/* Completes a call with launches and, in its kernel, heads, kv_heads, head_dim,
 * window, cache_bytes, the rate of whole prompts and the bandwidth of decodes.
 * A table attention_mixed of this GPU tells the rate, and its rows of this
 * shape are used.  SC_OK or SC_ENOMEM; sc_launch_close() frees. */
static inline int32_t sc_launch_open(struct sc_launch_call *call,
				     const sc_setup *setup)
{
	const sc_table *t = sc_launch_table(setup);
	struct sc_launch *l = &call->kernel;
	double best;
	call->rows = (struct sc_launch_rows){.n = 0};
	if (call->launches == SC_LAUNCHES_SUM)
		return SC_OK;
	sc_launch_kernel(l, call->launches, setup->hardware);
	if (call->launches != SC_LAUNCHES_ONE || !t)
		return SC_OK;
	best = sc_launch_best_rate(t, l->head_dim);
	if (best > 0)
		l->rate = best;
	if (l->window > 0)
		return SC_OK;
	call->rows.row = (struct sc_launch_row *)calloc(t->n_rows + 1,
							sizeof *call->rows.row);
	if (!call->rows.row)
		return SC_ENOMEM;
	call->rows.n = sc_launch_rows_read(t, l, call->rows.row);
	return SC_OK;
}

static inline void sc_launch_close(struct sc_launch_call *call)
{
	free(call->rows.row);
	call->rows = (struct sc_launch_rows){.n = 0};
}

/* What a phase takes, and how it was found. */
struct sc_launch_time {
	double us;
	uint32_t provenance;
};

/* The prompts of a launch. */
struct sc_launch_prompts {
	struct sc_launch_work work;
	double tokens, cached; /* all new ones; before them, on average */
};
static inline void sc_launch_add_prompt(struct sc_launch_prompts *p,
					const struct sc_launch *l,
					double tokens, double cached)
{
	sc_launch_chunk(&p->work, l, tokens, cached);
	p->tokens += tokens;
	p->cached += tokens * cached; /* sc_launch_price() divides */
}

/* Returns 1 if a step with such prompts is priced together: chunks behind
 * cached tokens, and prompts beside decodes in one launch. */
static inline int sc_launch_applies(enum sc_launches launches,
				    const struct sc_launch_prompts *p,
				    double decodes)
{
	return p->tokens > 0 && launches != SC_LAUNCHES_SUM &&
	       (p->cached > 0 || (launches == SC_LAUNCHES_ONE && decodes > 0));
}

/* The longest context of a step's decodes. */
static inline double sc_launch_longest(const sc_step *st)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < st->n_decode; i++)
		most = st->decode_ctx[i] > most ? st->decode_ctx[i] : most;
	return most;
}

/* Takes what prompts, time[SC_PREFILL], and `decodes` of mean context `mean`,
 * time[SC_DECODE], take alone in a layer, and makes it what they take in the
 * step.  One launch is divided among them in proportion to what they take
 * alone.  Without rows of this shape nothing becomes shorter, and an answer of
 * the law is substituted: the rate is that of other kernels. */
static inline void sc_launch_price(const struct sc_launch_call *call,
				   const struct sc_launch_prompts *p,
				   double decodes, double mean, double longest,
				   struct sc_launch_time time[2])
{
	struct sc_launch_work all = p->work;
	int one = call->launches == SC_LAUNCHES_ONE && decodes > 0;
	double alone = time[SC_PREFILL].us + (one ? time[SC_DECODE].us : 0);
	double least =
	    one ? fmax(time[SC_PREFILL].us, time[SC_DECODE].us) : alone;
	double at[SC_LAUNCH_AXES], us, residual;
	uint32_t how;
	if (one)
		sc_launch_decodes(&all, &call->kernel, decodes, mean, longest);
	sc_launch_at(at, p->tokens, p->cached / p->tokens, one ? decodes : 0,
		     mean);
	residual = sc_launch_residual(&call->rows, at, &how);
	us = sc_launch_us(&call->kernel, &all) * exp(residual);
	if (how == SC_FALLBACK) {
		how = SC_SUBSTITUTED;
		us = fmax(us, least);
	}
	if (us == alone || !(alone > 0))
		return;
	for (int phase = 0; phase < 1 + one; phase++) {
		struct sc_launch_time *t =
		    &time[phase ? SC_DECODE : SC_PREFILL];
		t->us *= us / alone;
		t->provenance = how == SC_SUBSTITUTED && how < t->provenance
				    ? t->provenance
				    : how;
	}
}
#endif
