/* checks_figures.c -- Notes the coverage of a plugin's lookups and its speed;
 * checks that the figures which explain a price agree with it. */
#include "plugin/checks_figures.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "cost/breakdown.h"

enum { ROUND = 100 }; /* steps that are timed together */

/* ---- figures ---- */

int check_coverage(struct subject *s, struct problem *p)
{
	size_t n[SC_N_PROVENANCE] = {0}, first[SC_N_PROVENANCE] = {0};
	size_t none = 0;
	for (size_t i = 0; i < s->steps->n; i++) {
		sc_result r;
		int worst = -1;
		int rc = subject_ask(s, &s->a, &s->steps->item[i].step, &r, p);
		if (rc < 0)
			return -1;
		for (int k = 0; rc == ANSWER_PRICED && k < SC_N_PROVENANCE; k++)
			if (r.lookups[k])
				worst = k;
		none += worst < 0;
		if (worst >= 0 && n[worst]++ == 0)
			first[worst] = i;
	}
	if (none == s->steps->n) {
		fputs("looks nothing up in tables\n", s->notes);
		return 0;
	}
	for (int k = 0; k < SC_N_PROVENANCE; k++)
		if (n[k]) {
			fprintf(s->notes, "%zu of %zu steps %s at worst", n[k],
				s->steps->n, provenance_name[k]);
			if (k >= SC_CLAMPED)
				fputs(", the first: ", s->notes);
			if (k >= SC_CLAMPED)
				subject_note_row(
				    s->notes, &s->steps->item[first[k]].step);
			else
				fputc('\n', s->notes);
		}
	return 0;
}

/* Contexts differ from step to step, and stay near those they begin with, so
 * that a fast model is not asked beyond its domain. */
static uint32_t context(uint32_t request, uint32_t step)
{
	return 100 + 37 * request + step % 256;
}

/* Measures the time of a step, the best of some rounds: its CPU time, but that
 * of the clock on the wall where it may wait for another process. */
static int time_batch(struct subject *s, uint32_t batch, double *ns,
		      struct problem *p)
{
	static struct owned_step batched;
	int waits = (s->plugin->p.capabilities & SC_CAP_DOES_IO) != 0;
	int64_t (*clock)(void) = waits ? clock_now_ns : clock_cpu_ns;
	int64_t from = clock(), until = from + 20000000, least = INT64_MAX;
	batched.n_decode = batch;
	for (uint32_t i = 0; i < batch; i++)
		batched.decode_ctx[i] = context(i, 0);
	sc_step step = owned_step_step(&batched);
	subject_note_step(s, &step);
	while (from < until) {
		for (uint32_t i = 0; i < ROUND; i++) {
			uint32_t next = i % batch;
			batched.decode_ctx[next] =
			    context(next, (uint32_t)step.step_index++);
			watch_enter(s->watch, JOB_IN_EVAL, s->plugin->p.name);
			const sc_result *r = cost_eval(&s->a, &step, p);
			watch_leave(s->watch);
			if (!r)
				return -1;
		}
		int64_t now = clock();
		least = now - from < least ? now - from : least;
		from = now;
	}
	*ns = (double)least / ROUND;
	return 0;
}

int check_speed(struct subject *s, struct problem *p)
{
	for (uint32_t batch = 1; batch <= 1024; batch *= 4) {
		double ns;
		if (time_batch(s, batch, &ns, p) == 0)
			fprintf(s->notes,
				"%.0f ns a step of %" PRIu32 " decodes\n", ns,
				batch);
		else if (s->a.code == SC_EUNSUP || s->a.code == SC_ENODATA)
			fprintf(s->notes,
				"refuses a step of %" PRIu32 " decodes: %s\n",
				batch, p->text);
		else
			return -1;
	}
	return 0;
}

/* ---- fields since ABI 1.3 ---- */

/* Rounding may move a figure by this share. */
static const double rounding = 1e-12;

/* Asks the instance for all that explains an answer, and lets `is_sound` look
 * at each.  Returns 0, or -1 with *p filled in. */
static int each_answer(struct subject *s,
		       int (*is_sound)(const struct subject *s,
				       const sc_step *step, const sc_result *r,
				       struct problem *p),
		       struct problem *p)
{
	if (cost_ask_figures(&s->a, p) < 0)
		return -1;
	for (size_t i = 0; i < s->steps->n; i++) {
		const sc_step *step = &s->steps->item[i].step;
		sc_result r;
		int rc = subject_ask(s, &s->a, step, &r, p);
		if (rc < 0 ||
		    (rc == ANSWER_PRICED && is_sound(s, step, &r, p) < 0))
			return -1;
	}
	return 0;
}

/* The price by an instance that is asked for these fields is that of one that
 * is not. */
int check_asked_for_less(struct subject *s, struct problem *p)
{
	const size_t from = offsetof(sc_result, total_us);
	struct cost b = {0};
	sc_result *r = subject_ask_all(s, &s->a, p), more;
	int rc = r ? subject_create(s, &b, p) : -1;
	if (rc == 0)
		rc = cost_ask_figures(&b, p);
	for (size_t i = 0; rc >= 0 && i < s->steps->n; i++) {
		const sc_step *step = &s->steps->item[i].step;
		rc = subject_ask(s, &b, step, &more, p);
		if (rc != ANSWER_PRICED ||
		    !memcmp((char *)&more + from, (char *)&r[i] + from,
			    offsetof(sc_result, part_us) - from))
			continue;
		rc = problem_set(p, EXIT_SAYS_NO,
				 "exact_us is %.17g, and %.17g without the "
				 "fields since ABI 1.3, or the rest differs",
				 breakdown_exact_us(&more),
				 breakdown_exact_us(&r[i]));
	}
	if (b.p)
		subject_destroy(s, &b);
	free(r);
	return rc < 0 ? -1 : 0;
}

/* ---- how sure the model is ---- */

/* noise_us and sigma_us below 0 are impossible answers already. */
static int quantiles_enclose(const struct subject *s, const sc_step *step,
			     const sc_result *r, struct problem *p)
{
	double us = breakdown_exact_us(r);
	(void)s, (void)step;
	if (isnan(r->low_us) && isnan(r->high_us))
		return 0;
	if (us > 0 && r->low_us > 0 && r->low_us <= us * (1 + rounding) &&
	    r->high_us >= us * (1 - rounding))
		return 0;
	return problem_set(p, EXIT_SAYS_NO,
			   "low_us = %g, high_us = %g do not enclose "
			   "exact_us = %g, or low_us is not above 0",
			   r->low_us, r->high_us, us);
}

int check_sureness(struct subject *s, struct problem *p)
{
	return each_answer(s, quantiles_enclose, p);
}

/* ---- FLOPs and MFU ---- */

static double least_gemm_flops(const struct floor *f, double tokens)
{
	struct floor_ranks whole = f->ranks;
	const sc_model *m = whole.model;
	double weights = 0;
	whole.tp = whole.dp = 1;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		const sc_layers *g = m->group[i];
		double one = floor_attention_weights(&whole, g) +
			     floor_dense_weights(&whole, g);
		if (floor_has_experts(g)) {
			struct sc_moe e = floor_experts(&whole, g);
			one += e.topk * sc_moe_weights(&e) +
			       floor_shared_weights(&whole, g);
		}
		weights += one * g->n_layers;
	}
	return 2 * weights * tokens;
}

static int mfu_within(const sc_result *r, int phase)
{
	double mfu = r->attention_mfu[phase];
	return !(mfu < r->attention_mfu_low[phase] * (1 - rounding)) &&
	       !(mfu > r->attention_mfu_high[phase] * (1 + rounding));
}

static int work_is_sound(const struct subject *s, const sc_step *step,
			 const sc_result *r, struct problem *p)
{
	double tokens = step->n_decode;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		tokens += step->prefill_new[i];
	for (int phase = 0; phase < 2; phase++)
		if (!mfu_within(r, phase))
			return problem_set(
			    p, EXIT_SAYS_NO,
			    "attention_mfu[%d] = %g is not within %g and %g",
			    phase, r->attention_mfu[phase],
			    r->attention_mfu_low[phase],
			    r->attention_mfu_high[phase]);
	const double *by = r->gemm_flops;
	double flops = isnan(by[0])   ? by[1]
		       : isnan(by[1]) ? by[0]
				      : by[0] + by[1];
	double least = least_gemm_flops(&s->a.floor, tokens);
	if (!(flops < least * (1 - 1e-9)) || ftell(s->notes) > 0)
		return 0;
	fprintf(s->notes,
		"gemm_flops %g are less than the %g of the layers, first at ",
		flops, least);
	subject_note_row(s->notes, step);
	return 0;
}

/* Fewer FLOPs than the layers have are a remark: some states of a model are so
 * on purpose. */
int check_work_in_use(struct subject *s, struct problem *p)
{
	return s->setup->model->n_groups ? each_answer(s, work_is_sound, p) : 0;
}

/* ---- outside of steps ---- */

int check_request_costs(struct subject *s, struct problem *p)
{
	sc_request_costs c;
	int has = cost_request_costs(&s->a, &c, p);
	if (has > 0)
		fprintf(s->notes,
			"a request waits %g us and %g us a prompt token; "
			"answers take %g us a token and %g us\n",
			c.before_us, c.prompt_token_us, c.output_token_us,
			c.after_us);
	return has < 0 ? -1 : 0;
}

/* ---- needs ---- */

/* Copies the setup without tables of that op.  Returns the array of tables,
 * which the caller frees; NULL: memory is out. */
static const sc_table **take_away(sc_setup *to, const sc_setup *from,
				  const char *op)
{
	const sc_table **left = calloc(from->n_tables + 1, sizeof *left);
	*to = *from;
	to->n_tables = 0;
	for (uint32_t i = 0; left && i < from->n_tables; i++)
		if (strcmp(from->table[i]->op, op) != 0)
			left[to->n_tables++] = from->table[i];
	to->table = left;
	return left;
}

/* The host refuses such a setup before create(); another host may not, so
 * create() refuses it, too, or does without. */
int check_needs(struct subject *s, struct problem *p)
{
	const sc_plugin *plugin = &s->plugin->p;
	for (uint32_t i = 0; i < plugin->n_needs; i++) {
		const sc_need *need = plugin->need[i];
		struct cost c;
		sc_setup less;
		if (need->kind != SC_NEED_TABLE ||
		    need->flags & SC_NEED_OPTIONAL)
			continue;
		const sc_table **left = take_away(&less, s->setup, need->value);
		if (!left)
			return problem_no_memory(p);
		const struct subject without = {.plugin = s->plugin,
						.setup = &less,
						.knobs = s->knobs,
						.watch = s->watch};
		struct problem why;
		struct subject tried = without;
		int rc = subject_create(&tried, &c, &why);
		fprintf(s->notes, "without %s: %s\n", need->value,
			rc < 0 ? why.text : "prices without it");
		if (rc == 0)
			subject_destroy(&tried, &c);
		free(left);
	}
	return 0;
}
