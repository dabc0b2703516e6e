/* capacity.c -- The command `capacity`: the highest request rate that meets
 * latency bounds, and its cost, for every arm and every candidate. */
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "base/number.h"
#include "cmd/cmd.h"
#include "cmd/output/command_files.h"
#include "report/capacity.h"
#include "report/capacity_curve.h"
#include "report/capacity_document.h"
#include "report/capacity_progress.h"
#include "capacity/deployment_search.h"
#include "capacity/rate.h"

struct options {
	const char *slo, *html, *plot, *rate;
	struct names try_;
	double precision, confidence;
	int64_t jobs, request_limit;
	int in_process, one_draw, independent;
	double answer_limit_s, memory_limit_gib;
};
static const struct options defaults = {.precision = SEARCH_PRECISION,
					.confidence = SEARCH_CONFIDENCE,
					.request_limit = SEARCH_REQUEST_LIMIT,
					.answer_limit_s = 10,
					.memory_limit_gib = 4};

static const struct option_def option[] = {
    OPTION(TEXT, "slo", "METRIC=MS,...", slo,
	   "bounds to meet: " BOUND_LATENCIES ", goodput=SHARE", .required = 1),
    OPTION(TEXT, "rate", "R", rate,
	   "requests/s to serve: finds the least number of replicas behind the "
	   "router that carry it; trace: those of the workload's trace"),
    OPTION(LIST, "try", "NAME:SECTION.KEY=VALUE,...", try_,
	   "a way to serve: a name and the keys it sets (GPU, "
	   "tensor_parallel_size, replicas, tables); repeatable"),
    OPTION(
	NUMBER, "precision", "X", precision,
	"half the width of a rate's interval, relative, that ends its search",
	.min = 0.002, .max = 0.5),
    OPTION(NUMBER, "confidence", "P", confidence, "of intervals", .min = 0.5,
	   .max = 0.999),
    OPTION(INT, "request-limit", "N", request_limit,
	   "requests after which the search of an arm ends, with a wider "
	   "interval; the runs that find the rate are always simulated",
	   .min = 1000, .max = 1e12),
    OPTION(FLAG, "one-draw", NULL, one_draw,
	   "bisect the rate of the configured requests alone, as versions "
	   "before 0.2 did; no interval"),
    OPTION(FLAG, "independent", NULL, independent,
	   "with --rate: deployments that share no router, each with arrivals "
	   "of its own"),
    OPTION(OUTPUT, "html", "FILE", html,
	   "one self-contained page: the decision, curves, rates, prices"),
    OPTION(OUTPUT, "plot", "FILE", plot,
	   "write the bounded latency against the load as .svg or .png; .png "
	   "needs rsvg-convert"),
    OPTION(INT, "jobs", "N", jobs,
	   "searches at once; 0: as many as there are cores", .max = 4096),
    JOB_LIMITS(struct options, , "a search ends", "a search"),
    OPTION(FLAG, "in-process", NULL, in_process,
	   "no child processes, for debuggers; a crash ends the program"),
};

/* --rate trace: as fast as the requests of the trace arrive. */
static int rate_of_trace(struct deployments *d, struct problem *p)
{
	const struct config *of = &d->candidate[0].config;
	struct rated own;
	if (!*of->workload_keys.trace)
		return problem_set(p, EXIT_USAGE,
				   "--rate trace: %s has no [workload] trace; "
				   "give requests/s, as in --rate 12",
				   of->cfg.path);
	if (rated_open(&own, &of->workload_keys, &of->cfg, NULL, p) < 0)
		return -1;
	d->rate = own.base;
	rated_free(&own);
	return 0;
}

static int read_rate(double *rate, const char *text, struct problem *p)
{
	const char *end = number_parse(text, rate);
	if (end != text && !*end && *rate > MOST_RATE)
		return problem_set(p, EXIT_USAGE,
				   "--rate %s: more than %g requests/s, which "
				   "no service has; give requests a second",
				   text, MOST_RATE);
	if (end != text && !*end && *rate > 0)
		return 0;
	return problem_set(p, EXIT_USAGE,
			   "--rate %s: not requests/s above 0, nor the word "
			   "trace; without --rate the highest rate is searched",
			   text);
}

/* A note of several candidates is written for the first of them. */
static void print_notes(const struct deployments *d, const struct cmdline *c)
{
	for (size_t i = 0; i < d->n_candidates; i++) {
		const struct names *n = &d->candidate[i].config.notes;
		for (size_t k = 0; k < n->n; k++)
			if (!i || !names_have(&d->candidate[i - 1].config.notes,
					      n->item[k]))
				print_note(c, "%s: %s", d->candidate[i].name,
					   n->item[k]);
	}
}

static int load(struct deployments *d, const struct cmdline *c,
		struct problem *p)
{
	const struct options *o = c->own;
	const struct deployment_source from = {c->arg[0], c->arms, c->set.item,
					       c->set.n};
	int by_trace = o->rate && !strcmp(o->rate, "trace");
	if (o->rate && !by_trace && read_rate(&d->rate, o->rate, p) < 0)
		return -1;
	d->how = (struct deployment_search){.precision = o->precision,
					    .confidence = o->confidence,
					    .request_limit =
						(uint64_t)o->request_limit,
					    .one_draw = o->one_draw,
					    .is_independent = o->independent};
	if (o->independent && !o->rate)
		return problem_set(p, EXIT_USAGE,
				   "--independent: needs --rate R; without "
				   "it one fleet is searched");
	if (bounds_parse(&d->bounds, "--slo", o->slo, p) < 0)
		return -1;
	if (deployments_load(d, &from, o->try_.item, o->try_.n, p) < 0)
		return -1;
	print_notes(d, c);
	return by_trace ? rate_of_trace(d, p) : 0;
}

/* Searches all candidates and shows progress. */
static int search(struct deployments *d, const struct cmdline *c,
		  struct problem *p)
{
	const struct options *o = c->own;
	struct progress_meter progress;
	const struct jobs_options how = {.at_once = (unsigned)o->jobs,
					 .in_process = o->in_process,
					 .answer_limit_s = o->answer_limit_s,
					 .memory_limit_gib =
					     o->memory_limit_gib,
					 .progress = capacity_progress_show,
					 .progress_user = &progress};
	progress_begin(&progress, c->quiet);
	int rc = deployments_run(d, &how, p);
	progress_end(&progress);
	return rc;
}

/* Returns 1 if the arm has an answer for some candidate. */
static int is_answered(const struct deployments *d, size_t arm)
{
	for (size_t candidate = 0; candidate < d->n_candidates; candidate++)
		if (deployments_at(d, candidate, arm))
			return 1;
	return 0;
}

/* Prints the error of each search that failed.  Returns the highest code; a
 * candidate that is not possible counts as an answer if the arm has one for
 * another candidate. */
static int print_search_errors(const struct deployments *d)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < d->n_candidates * d->n_arms; i++) {
		const struct job *j =
		    deployments_job(d, i / d->n_arms, i % d->n_arms);
		pass_on_captured_stderr(j);
		if (!j->complaint)
			continue;
		say("%s: %s", d->candidate[i / d->n_arms].name, j->complaint);
		if (j->problem->code == EXIT_USAGE &&
		    is_answered(d, i % d->n_arms))
			continue;
		code = j->problem->code > code ? j->problem->code : code;
	}
	return code;
}

/* Passes on the notes of searches, but none that the search before it made,
 * too. */
static void pass_on_searches_notes(const struct deployments *d,
				   const struct cmdline *c)
{
	struct names said = {0};
	for (size_t i = 0; i < d->n_candidates * d->n_arms; i++) {
		size_t candidate = i / d->n_arms, arm = i % d->n_arms;
		const struct names *of = deployments_said(d, candidate, arm);
		char before[200];
		snprintf(before, sizeof before, "%s, arm %s",
			 d->candidate[candidate].name,
			 d->candidate[candidate].config.arm[arm].name);
		for (size_t k = 0; k < of->n; k++)
			if (!names_have(&said, of->item[k]) &&
			    names_add(&said, of->item[k]) == 0)
				print_note(c, "%s: %s", before, of->item[k]);
	}
	names_free(&said);
}

/* Says once if searches took more than the limit: the rate must be found before
 * its interval can be cut short. */
static void note_limit(const struct deployments *d, const struct cmdline *c)
{
	const struct options *o = c->own;
	uint64_t limit = (uint64_t)o->request_limit, most = 0, n = 0;
	for (size_t i = 0; i < d->n_candidates * d->n_arms; i++) {
		const struct capacity_answer *x =
		    deployments_at(d, i / d->n_arms, i % d->n_arms);
		uint64_t took = x ? x->capacity.requests_simulated : 0;
		n += took > limit;
		most = took > most ? took : most;
	}
	if (n)
		print_note(
		    c,
		    "--request-limit %llu: %llu of %zu searches simulated "
		    "more, at most %llu requests: the runs that find a rate "
		    "take that many",
		    (unsigned long long)limit, (unsigned long long)n,
		    d->n_candidates * d->n_arms, (unsigned long long)most);
}

/* Returns 1 if some search completed no request at any rate. */
static int nothing_completed(const struct deployments *d)
{
	for (size_t i = 0; i < d->n_candidates * d->n_arms; i++) {
		const struct capacity_answer *x =
		    deployments_at(d, i / d->n_arms, i % d->n_arms);
		if (x && x->capacity.seen.completed == 0)
			return 1;
	}
	return 0;
}

static int open_all(struct command_files *w, const struct cmdline *c,
		    struct problem *p)
{
	const struct options *o = c->own;
	const struct command_paths to = {.page = o->html, .plot = o->plot};
	return command_files_open(w, c, &to, p);
}

static int write_all(struct command_files *w, const struct deployments *d,
		     const struct cmdline *c, struct problem *p)
{
	if (c->format == FORMAT_CSV)
		capacity_csv(d, w->result.f);
	else if (c->format == FORMAT_JSON)
		capacity_json(d, w->result.f);
	if (command_files_want_document(w, c) &&
	    capacity_document(d, w->page.f != NULL, &w->document, p) < 0)
		return -1;
	if (w->plot.to.f && capacity_plot(d, &w->plot, p) < 0)
		return -1;
	return command_files_commit(w, c, p);
}

static int run(const struct cmdline *c)
{
	struct deployments d = {0};
	struct command_files w = {0};
	struct problem p = {0};
	int code = EXIT_DONE;
	int rc = load(&d, c, &p);
	if (rc == 0)
		rc = open_all(&w, c, &p);
	if (rc == 0)
		rc = search(&d, c, &p);
	if (rc == 0) {
		pass_on_searches_notes(&d, c);
		note_limit(&d, c);
		code = print_search_errors(&d);
		if (code == EXIT_DONE && nothing_completed(&d))
			code = EXIT_SAYS_NO;
		rc = write_all(&w, &d, c, &p);
	}
	command_files_discard(&w);
	code = d.interrupted ? 128 + d.interrupted : code;
	deployments_free(&d);
	return rc < 0 ? print_error(&p) : code;
}

const struct command command_capacity = {
    .name = "capacity",
    .args = "CONFIG",
    .summary = "the highest request rate that meets latency bounds, per arm",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    .has_short = 1,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
