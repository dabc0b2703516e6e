/* validate_page.c -- Simulates a configuration beside the page of metrics of a
 * running server. */
#include "cmd/validate_page.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/infile.h"
#include "cmd/cmd.h"
#include "cmd/output/command_files.h"
#include "cmd/thresholds.h"
#include "report/progress.h"
#include "report/results/support.h"
#include "report/validation/compared_page.h"
#include "metrics/prometheus.h"
#include "metrics/source.h"
#include "study/study.h"
#include "validate/page/page_score.h"

int is_page(const char *path)
{
	char head[400];
	FILE *f = source_is_address(path) ? NULL : infile_open(path, NULL);
	size_t n = f ? fread(head, 1, sizeof head, f) : 0;
	if (f)
		fclose(f);
	return source_is_address(path) || prometheus_likely(head, n);
}

struct session {
	const struct cmdline *line;
	const struct page_options *o;
	struct vllm_page page, since;
	struct config config;
	struct study study;
	/* [arm] with [arm * PAGE_FIGURES] figures */
	struct compared *arm;
	struct compared_figure *figure;
	size_t n;
};

/* ---- reading ---- */

static int read_pages(struct session *s, struct problem *p)
{
	const struct page_options *o = s->o;
	if (vllm_page_load(&s->page, o->page, p) < 0 ||
	    (o->since && (vllm_page_load(&s->since, o->since, p) < 0 ||
			  vllm_page_since(&s->page, &s->since, p) < 0)))
		return -1;
	if (s->page.requests > 0)
		return 0;
	return problem_set(p, EXIT_INPUT,
			   "%s: no request has ended%s, so there is nothing to "
			   "compare with; send the server some load first",
			   o->page, o->since ? " since the earlier page" : "");
}

/* ---- simulating ---- */

static int simulate_arms(struct session *s, struct problem *p)
{
	struct study_options how = study_defaults;
	struct progress_meter bar;
	how.jobs = s->o->jobs;
	how.in_process = s->o->in_process;
	if (open_config(&s->config, s->line, p) < 0)
		return -1;
	progress_begin(&bar, s->line->quiet);
	int rc = study_run(&s->study, "validate", &s->config, s->config.n_arms,
			   &how, progress_show, &bar, p);
	progress_end(&bar);
	if (rc < 0)
		return -1;
	pass_on_notes(s->line, &s->study.arms, STREAM_SAID);
	print_job_errors(&s->study.arms);
	return 0;
}

/* The configuration's requests should be as long as those of the page. */
static void check_lengths(const struct session *s, const struct outcome *o)
{
	static const char *const what[] = {"prompts", "outputs"};
	for (int i = 0; i < 2; i++) {
		double e = page_length_error(&s->page,
					     i ? VLLM_OUTPUT : VLLM_INPUT, o);
		if (fabs(e) > 0.05)
			say("the %s of %s are %+.0f %% as long on average as "
			    "those of %s; `stepcost import vllm` writes the "
			    "[workload] of a page",
			    what[i], s->line->arg[0], 100 * e, s->o->page);
	}
}

/* Adds the interval in which the figure would be measured. */
static void add_interval(struct compared_figure *to, const struct arm_result *a)
{
	double predicted;
	to->interval_low = to->interval_high = NAN;
	for (int k = 0; k < N_TRUSTED; k++)
		if (!strcmp(trusted_metric[k], to->name))
			interval_ends(&a->trusted, &a->record->outcome, k,
				      &predicted, &to->interval_low,
				      &to->interval_high);
}

static void compare_arm(struct session *s, const struct arm_result *a)
{
	struct page_figure is[PAGE_FIGURES];
	uint32_t n = page_score(&s->page, &a->record->outcome, is);
	struct compared_figure *to = s->figure + s->n * PAGE_FIGURES;
	for (uint32_t i = 0; i < n; i++) {
		snprintf(to[i].name, sizeof to[i].name, "%.23s", is[i].name);
		to[i].low = is[i].low;
		to[i].high = is[i].high;
		to[i].predicted = is[i].predicted;
		to[i].error = is[i].error;
		add_interval(&to[i], a);
	}
	s->arm[s->n++] = (struct compared){a->name, to, n};
}

static int compare_all(struct session *s, struct problem *p)
{
	int said = 0;
	s->arm = calloc(s->study.n + 1, sizeof *s->arm);
	s->figure = calloc(s->study.n * PAGE_FIGURES + 1, sizeof *s->figure);
	if (!s->arm || !s->figure)
		return problem_no_memory(p);
	for (size_t i = 0; i < s->study.n; i++) {
		const struct arm_result *a = &s->study.arm[i];
		if (a->error || a->record->outcome.completed == 0)
			continue;
		if (!said++)
			check_lengths(s, &a->record->outcome);
		compare_arm(s, a);
	}
	return 0;
}

/* ---- writing ---- */

static void make_document(const struct session *s, struct document *d)
{
	char about[300];
	snprintf(about, sizeof about,
		 "%.0f requests measured (%.100s) and simulated (%.100s); ms.",
		 s->page.requests, s->o->page,
		 s->line->typed ? s->line->typed : s->line->arg[0]);
	compared_document(s->arm, s->n, about, d);
}

static void write_json(const struct session *s, FILE *f)
{
	struct jw j = jw_document(f);
	jw_text(&j, "schema", "stepcost page 1");
	jw_text(&j, "stepcost", PACKAGE_VERSION);
	jw_text(&j, "page", s->o->page);
	jw_text(&j, "model", s->page.model);
	jw_number(&j, "requests", s->page.requests);
	jw_array(&j, "arms");
	for (size_t i = 0; i < s->n; i++)
		compared_json(&s->arm[i], &j);
	jw_finish(&j);
}

static int write_files(const struct session *s, struct command_files *w,
		       struct problem *p)
{
	if (w->plot.to.f && compared_plot(s->arm, s->n, &w->plot, p) < 0)
		return -1;
	if (command_files_want_document(w, s->line))
		make_document(s, &w->document);
	if (s->line->format == FORMAT_JSON)
		write_json(s, w->result.f);
	else if (s->line->format == FORMAT_CSV)
		compared_csv(s->arm, s->n, w->result.f);
	return command_files_commit(w, s->line, p);
}

static int write_all(const struct session *s, struct problem *p)
{
	const struct command_paths to = {.page = s->o->html,
					 .plot = s->o->plot};
	struct command_files w = {0};
	int rc = command_files_open(&w, s->line, &to, p);
	if (rc == 0)
		rc = write_files(s, &w, p);
	command_files_discard(&w);
	return rc;
}

/* ---- the verdict ---- */

static double mean_error(const struct compared *a, enum run_latency metric)
{
	char name[40];
	snprintf(name, sizeof name, "mean_%s_ms", latency_name[metric]);
	const struct compared_figure *x = compared_find(a, name);
	return x ? fabs(x->error) : (double)NAN;
}

static int failures(const struct session *s)
{
	int n = 0;
	for (size_t i = 0; i < s->o->fail_above->n; i++) {
		struct threshold t;
		if (threshold_parse(s->o->fail_above->item[i], &t, NULL) < 0)
			continue;
		for (size_t k = 0; k < s->n; k++)
			n += threshold_exceeded(
			    &t, s->arm[k].arm,
			    mean_error(&s->arm[k], t.metric));
	}
	return n;
}

int validate_page(const struct cmdline *c, const struct page_options *o)
{
	struct session *s = calloc(1, sizeof *s);
	struct problem p;
	if (!s) {
		problem_no_memory(&p);
		return print_error(&p);
	}
	s->line = c;
	s->o = o;
	int rc = read_pages(s, &p);
	if (rc == 0)
		rc = simulate_arms(s, &p);
	if (rc == 0)
		rc = compare_all(s, &p);
	if (rc == 0 && study_has_results(&s->study))
		rc = write_all(s, &p);
	int signal = s->study.arms.interrupted;
	int code = rc < 0 ? print_error(&p) : study_code(&s->study);
	if (code == EXIT_DONE && failures(s))
		code = EXIT_SAYS_NO;
	study_free(&s->study);
	config_free(&s->config);
	vllm_page_free(&s->page), vllm_page_free(&s->since);
	free(s->arm), free(s->figure);
	free(s);
	if (signal)
		raise(signal);
	return code;
}
