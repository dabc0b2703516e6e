/* eval.c -- The command `eval`: prices given steps under every arm. */
#include <config.h>
#include <stdlib.h>
#include "base/outfile.h"
#include "cmd/pricing.h"
#include "cost/breakdown.h"
#include "report/steps.h"

struct options {
	struct pricing_options pricing;
	const char *steps;
};
static const struct options defaults = {.pricing = PRICING_DEFAULTS};

static const struct option_def option[] = {
    {.name = "steps",
     .arg = "FILE",
     .type = OPTION_TEXT,
     .offset = offsetof(struct options, steps),
     .help = "CSV: step,decode,prefill[,sampled]",
     .required = 1},
    PRICING_OPTIONS,
};

/* The result of a job, in shared memory; behind result[] is a floor_mark for
 * each step. */
struct priced {
	uint64_t n; /* steps before an error, or all */
	sc_result result[];
};
struct eval {
	struct pricing pricing;
	struct steps steps;
	struct outfile out;
	struct strict strict;
};

static struct floor_mark *marks_of(const struct eval *e, struct priced *out)
{
	return (struct floor_mark *)(void *)(out->result + e->steps.n);
}

/* ---- in the job ---- */

static int check_strict(const struct eval *e, const char *step,
			const sc_result *r, struct problem *p)
{
	for (uint32_t c = e->strict.lookups; c < SC_N_PROVENANCE; c++)
		if (r->lookups[c])
			return problem_set(p, EXIT_INPUT,
					   "step %s: %u lookups are %s, and "
					   "--strict does not allow them",
					   step, r->lookups[c],
					   provenance_name[c]);
	return 0;
}

static int check_floor(const struct eval *e, const char *step,
		       const struct floor_mark *m, struct problem *p)
{
	char text[FLOOR_TEXT];
	if (!e->strict.floor || !m->is_below)
		return 0;
	return problem_set(p, EXIT_INPUT,
			   "step %s: faster than the hardware: %s "
			   "(--strict=floor)",
			   step, floor_text(text, &m->worst));
}

static int check_decodes(const struct arm *a, const struct given_step *g,
			 struct problem *p)
{
	if (!g->step.decode_new || a->plugin.p.capabilities & SC_CAP_DECODE_NEW)
		return 0;
	return problem_set(p, EXIT_USAGE,
			   "step %s: %s cannot price decodes of several tokens",
			   g->name, a->is->plugin);
}

static int price_all(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct eval *e = ctx;
	struct priced *out = j->shared;
	for (; out->n < e->steps.n; out->n++) {
		const struct given_step *g = &e->steps.item[out->n];
		if (check_decodes(a, g, p) < 0)
			return -1;
		const sc_result *r = cost_eval(&a->cost, &g->step, p);
		if (!r || check_strict(e, g->name, r, p) < 0)
			return -1;
		struct floor_mark *m = &marks_of(e, out)[out->n];
		*m = floor_mark(&a->cost.floor, &g->step, r);
		if (check_floor(e, g->name, m, p) < 0)
			return -1;
		out->result[out->n] = *r;
	}
	return 0;
}

/* ---- in the parent ---- */

static int load(struct eval *e, const struct cmdline *c, struct problem *p)
{
	const struct options *o = c->own;
	FILE *f = pricing_open(&e->pricing, c, o->steps, 0, p);
	if (!f)
		return -1;
	int rc = steps_read(&e->steps, f, o->steps, p);
	fclose(f);
	e->strict = strict_of(o->pricing.strict);
	return rc < 0 ? -1 : open_output(&e->out, c, p);
}

static int price(struct eval *e, struct problem *p)
{
	return pricing_run(
	    &e->pricing, price_all, e,
	    sizeof(struct priced) +
		e->steps.n * (sizeof(sc_result) + sizeof(struct floor_mark)),
	    p);
}

/* Returns the prices of all arms; the caller frees them.  NULL: memory is
 * out. */
static struct step_prices *prices(const struct eval *e)
{
	const struct arms_at_work *a = &e->pricing.at_work;
	struct step_prices *arm = calloc(a->n, sizeof *arm);
	for (size_t i = 0; arm && i < a->n; i++) {
		const struct arm_config *is = &e->pricing.config.arm[i];
		struct priced *out = a->job[i].shared;
		arm[i] = (struct step_prices){is->name, is->plugin,
					      a->job[i].complaint, out->result,
					      marks_of(e, out)};
	}
	return arm;
}

static void print(const struct eval *e, const struct step_prices *arm, FILE *f)
{
	const size_t n = e->pricing.at_work.n;
	if (e->pricing.line->format == FORMAT_JSON)
		steps_json(&e->steps, arm, n, f);
	else if (e->pricing.line->format == FORMAT_TEXT)
		steps_text(&e->steps, arm, n, f);
	else
		steps_csv(&e->steps, arm, n, f);
}

static void warn(const struct eval *e, const struct step_prices *arm)
{
	for (size_t i = 0; i < e->pricing.at_work.n; i++) {
		size_t worst;
		char text[FLOOR_TEXT];
		size_t n = arm[i].error ? 0
					: floor_marks_worst(arm[i].floor,
							    e->steps.n, &worst);
		if (n)
			note(e->pricing.line,
			     "%s: %zu of %zu steps are faster than the "
			     "hardware; the worst is step %s: %s",
			     arm[i].arm, n, e->steps.n,
			     e->steps.item[worst].name,
			     floor_text(text, &arm[i].floor[worst].worst));
	}
}

static int write_results(struct eval *e, struct problem *p)
{
	struct step_prices *arm = prices(e);
	if (!arm)
		return problem_no_memory(p);
	print(e, arm, e->out.f);
	warn(e, arm);
	free(arm);
	return outfile_commit(&e->out, p);
}

static int run(const struct cmdline *c)
{
	struct eval e = {0};
	struct problem p;
	int code;
	if (load(&e, c, &p) < 0 || price(&e, &p) < 0) {
		code = complain(&p);
	} else {
		code = complain_of_jobs(&e.pricing.at_work.arms);
		if (arms_run_worked(&e.pricing.at_work) &&
		    write_results(&e, &p) < 0)
			code = complain_too(code, &p);
	}
	outfile_discard(&e.out);
	pricing_free(&e.pricing);
	steps_free(&e.steps);
	return code;
}

const struct command command_eval = {
    .name = "eval",
    .args = "CONFIG --steps FILE",
    .summary = "price given steps under every arm, without a scheduler",
    .min_args = 1,
    .max_args = 1,
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .defaults = &defaults,
    .own_size = sizeof(struct options),
    .run = run,
};
