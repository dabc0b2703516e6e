/* findings.c -- Writes the results of `run` and `compare`. */
#include <config.h>
#include "report/findings.h"
#include <stdlib.h>
#include "engine/parallel.h"
#include "engine/resolve.h"
#include "record/recorder.h"
#include "record/sessions.h"
#include "record/timeline.h"
#include "report/explain/explain.h"
#include "report/explain/swap.h"
#include "report/page/page.h"
#include "report/results/ranking.h"
#include "report/results/results.h"
#include "report/results/seeds.h"

void findings_text_details(const struct findings *w, FILE *f)
{
	if (w->seeds.n_seeds)
		seeds_text(&w->seeds, f);
	if (w->variants.n)
		ranking_text(&w->study, &w->variants, f);
	if (w->explain.n)
		explain_text(&w->explain, f);
	if (w->swap.n_rows)
		swap_text(&w->swap, &w->explain, f);
}

/* Returns 1 if two arms or more have latencies. */
static int may_explain(const struct study *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += (size_t)arm_has_latencies(&s->arm[i]);
	return n > 1;
}

void findings_text(const struct findings *w, FILE *f)
{
	results_text(&w->study.results, f);
	findings_text_details(w, f);
	if (!w->explain.n && may_explain(&w->study))
		fputs("\n--why says where the differences come from.\n", f);
}

void findings_json(const struct findings *w, FILE *f)
{
	struct jw j;
	jw_start(&j, f);
	jw_object(&j, NULL);
	results_json(&w->study.results, &j);
	if (w->seeds.n_seeds)
		seeds_json(&w->seeds, &j);
	if (w->variants.n)
		ranking_json(&w->study, &w->variants, &j);
	if (w->explain.study)
		explain_json(&w->explain, &j);
	if (w->swap.n_rows)
		swap_json(&w->swap, &w->explain, &j);
	jw_end(&j);
	jw_finish(&j);
}

int findings_page(const struct findings *w, FILE *f, struct problem *p)
{
	char *text = NULL;
	size_t size;
	json_error_t why = {0};
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return problem_no_memory(p);
	findings_json(w, m);
	fclose(m);
	json_t *document = json_loads(text, 0, &why);
	int rc = document ? page_write(f, w, document, p)
			  : problem_set(p, EXIT_USAGE, "JSON: %s", why.text);
	json_decref(document);
	free(text);
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
	recorder_lives_head(f);
	study_join(&w->study, STREAM_LIVES, f);
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
