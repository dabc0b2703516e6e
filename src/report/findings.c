/* findings.c -- Writes the results of `run` and `compare`. */
#include "report/findings.h"
#include <jansson.h>
#include <stdlib.h>
#include "base/text.h"
#include "draw/html.h"
#include "engine/parallel.h"
#include "engine/resolve.h"
#include "record/recorder.h"
#include "record/sessions.h"
#include "record/timeline.h"
#include "report/explain/explain.h"
#include "report/explain/swap.h"
#include "report/page/page.h"
#include "report/results/effects.h"
#include "report/results/ranking.h"
#include "report/results/results.h"
#include "report/results/seeds.h"

/* Calls tell() for each figure with effects. */
static void each_effect(const struct findings *w,
			void (*tell)(const struct effects_of *e, void *to),
			void *to)
{
	const char *factor[VARIANT_FACTORS];
	for (unsigned j = 0; j < w->variants.n_factors; j++)
		factor[j] = w->variants.factor[j].knob;
	for (int i = 0; i < N_EFFECT_METRICS; i++) {
		const struct metric *m = metric_find(effect_metric[i]);
		const struct effects_of e = {
		    .factor = factor,
		    .k = w->variants.n_factors,
		    .metric = m->name,
		    .decimals = m->decimals,
		    .item = w->effects.of[i],
		    .n = w->effects.of[i] ? w->effects.n : 0};
		tell(&e, to);
	}
}

static void tell_document(const struct effects_of *e, void *to)
{
	effects_table(e, to);
}

static void tell_json(const struct effects_of *e, void *to)
{
	effects_json(e, to);
}

static void effects_document(const struct findings *w, struct document *d)
{
	document_heading(d, "Effects of %u switches", w->variants.n_factors);
	document_say(d,
		     "From the first value of a knob to the second, mean over "
		     "all values of the others; of several (x) what they do "
		     "beyond each alone.%s",
		     w->seeds.n_seeds
			 ? " 95 % intervals and p of Student's t over the "
			   "seeds; p is corrected for all effects (Holm)."
			 : "");
	each_effect(w, tell_document, d);
}

void findings_reasons(const struct findings *w, struct document *d)
{
	if (w->seeds.n_seeds)
		seeds_document(&w->seeds, d);
	if (w->variants.n_factors)
		effects_document(w, d);
	else if (w->variants.n)
		ranking_document(&w->study, &w->variants, d);
	if (w->explain.n)
		explain_document(&w->explain, d);
	if (w->swap.n_rows)
		swap_document(&w->swap, &w->explain, d);
}

/* Returns 1 if two arms or more have latencies. */
static int may_explain(const struct study *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += (size_t)arm_has_latencies(&s->arm[i]);
	return n > 1;
}

/* Says the share of requests within the SLO, for each arm. */
static void say_slo(const struct study *s, struct document *d)
{
	const struct slo_keys *k = &s->results.config->slo_keys;
	const struct {
		const char *name;
		double ms;
	} of[] = {
	    {"TTFT", k->ttft_ms}, {"TPOT", k->tpot_ms}, {"E2E", k->e2el_ms}};
	const char *comma = "";
	FILE *f = results_has_slo(&s->results) ? document_write(d) : NULL;
	if (!f)
		return;
	fputs("Requests within the SLO (", f);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (of[i].ms > 0) {
			fprintf(f, "%s%s %g ms", comma, of[i].name, of[i].ms);
			comma = ", ";
		}
	comma = "): ";
	for (size_t i = 0; i < s->n; i++) {
		const struct outcome *o = &s->arm[i].record->outcome;
		if (s->arm[i].error || !o->requests)
			continue;
		fprintf(f, "%s%s %.1f %%", comma, s->arm[i].name,
			100 * (double)o->good / (double)o->requests);
		comma = ", ";
	}
	fputc('.', f);
	document_written(d, DOCUMENT_SENTENCE);
}

static void say_hints(const struct findings *w, struct document *d)
{
	d->in = w->study.n > 1 ? IN_SHORT : 0;
	document_say(d, "--all has every figure%s.",
		     !w->explain.n && may_explain(&w->study)
			 ? "; --why says where the differences come from"
			 : "");
	d->in = IN_ALL;
}

static void findings_document(const struct findings *w, struct document *d)
{
	const struct results *r = &w->study.results;
	*d = (struct document){.title = r->n > 1
					    ? "Cost models on the same requests"
					    : "A cost model on a workload",
			       .in = IN_ALL};
	for (size_t i = 0; i < r->n; i++)
		names_add(&d->arms, r->arm[i].name);
	results_question(r, d);
	results_answer(r, d);
	d->in = IN_PAGE;
	results_dots(r, d);
	/* Arms of a factorial design are many, and its effects sum them up. */
	d->in = w->variants.n_factors ? IN_DETAILS : IN_ALL;
	results_table(r, d);
	say_slo(&w->study, d);
	d->in = IN_ALL;
	findings_reasons(w, d);
	say_hints(w, d);
	d->in = IN_DETAILS;
	results_details(r, d);
	d->in = IN_ALL;
}

void findings_text(const struct findings *w, int is_all, FILE *f)
{
	struct document d;
	findings_document(w, &d);
	document_text(&d, is_all ? IN_FULL : IN_SHORT, f);
	document_free(&d);
}

void findings_json(const struct findings *w, FILE *f)
{
	struct jw j = jw_document(f);
	results_json(&w->study.results, &j);
	if (w->seeds.n_seeds)
		seeds_json(&w->seeds, &j);
	if (w->variants.n_factors) {
		jw_array(&j, "effects");
		each_effect(w, tell_json, &j);
		jw_end(&j);
	} else if (w->variants.n) {
		ranking_json(&w->study, &w->variants, &j);
	}
	if (w->explain.study)
		explain_json(&w->explain, &j);
	if (w->swap.n_rows)
		swap_json(&w->swap, &w->explain, &j);
	jw_finish(&j);
}

/* Adds every number of the JSON document, folded. */
static int add_json(const struct findings *w, struct document *d,
		    struct problem *p)
{
	json_error_t why = {0};
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return problem_no_memory(p);
	findings_json(w, m);
	fclose(m);
	json_t *all = json_loads(t.s, 0, &why);
	document_heading(d, "All numbers");
	FILE *f = all ? document_write(d) : NULL;
	if (f) {
		html_fold_begin(
		    f, "the JSON document: configuration, hashes, figures", 0);
		html_json(f, all);
		html_fold_end(f);
	}
	document_written(d, DOCUMENT_FIGURE);
	json_decref(all);
	free(t.s);
	return all ? 0 : problem_set(p, EXIT_USAGE, "JSON: %s", why.text);
}

int findings_page(const struct findings *w, const char *command, FILE *f,
		  struct problem *p)
{
	struct document d;
	findings_document(w, &d);
	d.command = command;
	d.in = IN_PAGE;
	int rc = page_figures(&d, w, p);
	if (rc == 0)
		rc = add_json(w, &d, p);
	if (rc == 0)
		rc = document_html(&d, f, p);
	document_free(&d);
	return rc;
}

void findings_requests(const struct findings *w, FILE *f)
{
	recorder_requests_head(f);
	study_join(&w->study, STREAM_REQUESTS, f);
}

void findings_steps(const struct findings *w, FILE *f)
{
	recorder_steps_head(f);
	study_join(&w->study, STREAM_STEPS, f);
}

void findings_transfers(const struct findings *w, FILE *f)
{
	recorder_transfers_head(f);
	study_join(&w->study, STREAM_TRANSFERS, f);
}

void findings_scaling(const struct findings *w, FILE *f)
{
	recorder_scaling_head(f);
	study_join(&w->study, STREAM_SCALING, f);
}

void findings_replicas(const struct findings *w, FILE *f)
{
	recorder_lifetimes_head(f);
	study_join(&w->study, STREAM_LIFETIMES, f);
}

void findings_sessions(const struct findings *w, FILE *f)
{
	sessions_head(f);
	study_join(&w->study, STREAM_SESSIONS, f);
}

void findings_timeline(const struct findings *w, FILE *f)
{
	const struct study *s = &w->study;
	const struct config *c = s->results.config;
	sc_parallel split = parallel_of(&c->engine_keys, &c->model);
	const char **name = calloc(s->n, sizeof *name);
	for (size_t i = 0; name && i < s->n; i++)
		name[i] = s->job[i].name;
	if (name)
		timeline_head(f, name, (uint32_t)s->n,
			      engine_sized(&c->engine_keys, &split).replicas);
	study_join(s, STREAM_TIMELINE, f);
	timeline_tail(f);
	free(name);
}
