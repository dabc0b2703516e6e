/* watch.c -- Runs `run` and `compare` again whenever the INI or a plugin
 * changes, and with --make builds the plugins whenever a source changes.
 * Prints a line for each arm: edit, see.  Only the arms' processes load
 * plugins, so a run always uses the new file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "jobs/changes.h"
#include "cmd/cmd.h"
#include "cmd/study.h"
#include "jobs/shell.h"
#include "record/metrics.h"
#include "report/findings.h"

/* The results of the last run, for comparison. */
struct before {
	char *arm;
	struct outcome outcome;
	int failed;
};
struct watcher {
	const struct cmdline *line;
	size_t max_arms;
	struct before *before;
	size_t n_before;
	struct changes files;
	struct study_round *round; /* owned: the latest run */
	int shown;                 /* 1: the full results were printed once */
	int code;                  /* of the last run */
	int interrupted;           /* the signal, or 0 */
};

static const char *command_of(const struct watcher *w)
{
	return ((const struct study_options *)w->line->own)->make;
}

/* ---- files ---- */

/* Adds the sources in the folder of a file, unless it lies in a folder that is
 * done. */
static int add_beside(struct watcher *w, struct changes *now,
		      struct names *done, const char *path, struct problem *p)
{
	const char *slash = strrchr(path, '/');
	char *folder =
	    slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	char *real = folder ? realpath(folder, NULL) : NULL;
	int rc = folder ? 0 : problem_no_memory(p), known = !real;
	for (size_t i = 0; real && i < done->n; i++) {
		size_t n = strlen(done->item[i]);
		known |= !strncmp(real, done->item[i], n) &&
			 (real[n] == '/' || !real[n]);
	}
	if (rc == 0 && !known)
		rc = changes_add_sources(now, folder, &w->files, p);
	if (rc == 0 && !known && names_add(done, real) < 0)
		rc = problem_no_memory(p);
	free(real);
	free(folder);
	return rc;
}

/* Watches the INI and the plugins of all arms, including arms that price a
 * decode pool; and with --make the sources here and beside them. */
static int watch_files(struct watcher *w, struct problem *p)
{
	const struct study_round *r = w->round;
	const char *ini =
	    r->config.cfg.path ? r->config.cfg.path : w->line->arg[0];
	struct changes now = {0};
	struct names done = {0};
	int rc = 0, out_of_space = changes_add(&now, ini, &w->files) < 0;
	for (size_t i = 0; i < r->config.n_arms; i++)
		out_of_space |= changes_add(&now, r->config.arm[i].plugin_path,
					    &w->files) < 0;
	if (command_of(w)) {
		rc = add_beside(w, &now, &done, ".", p);
		if (rc == 0 && !strcmp(ini, w->line->arg[0]))
			rc = add_beside(w, &now, &done, ini, p);
		for (size_t i = 0; rc == 0 && i < r->config.n_arms; i++)
			rc = add_beside(w, &now, &done,
					r->config.arm[i].plugin_path, p);
	}
	if (rc == 0 && out_of_space)
		rc = problem_no_memory(p);
	names_free(&done);
	changes_free(&w->files);
	w->files = now;
	return rc;
}

/* ---- metrics ---- */

static const struct before *find_before(const struct watcher *w,
					const char *arm)
{
	for (size_t i = 0; i < w->n_before; i++)
		if (!strcmp(w->before[i].arm, arm))
			return &w->before[i];
	return NULL;
}

/* Four digits, because the change is told in percent. */
static int decimals_of(double value)
{
	double size = fabs(value);
	return size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
}

static void print_cell(const char *name, double was, double is)
{
	if (isnan(was) || isnan(is) || was == is)
		printf("  %s %.*f%s", name, decimals_of(is), is,
		       was == is ? " (=)" : "");
	else
		printf("  %s %.*f -> %.*f (%+.1f %%)", name, decimals_of(was),
		       was, decimals_of(is), is, 100 * (is / was - 1));
}

/* Prints the means; or if they are the same, the first figure of the table that
 * has changed. */
static void print_changes(const struct before *b, const struct arm_result *a)
{
	static const struct {
		const char *metric, *name;
	} mean[] = {{"mean_ttft_ms", "TTFT"},
		    {"mean_tpot_ms", "TPOT"},
		    {"mean_e2el_ms", "E2EL"}};
	const struct metric *first = NULL;
	int in_means = 0;
	for (size_t i = 0; i < n_metrics; i++) {
		double was = metric_value(&metric[i], &b->outcome);
		double is = metric_value(&metric[i], &a->record->outcome);
		if (!metric[i].headline || was == is ||
		    (isnan(was) && isnan(is)))
			continue;
		if (!first)
			first = &metric[i];
		for (size_t k = 0; k < 3; k++)
			in_means |= !strcmp(metric[i].name, mean[k].metric);
	}
	if (!first)
		printf("  unchanged");
	else if (!in_means)
		print_cell(first->name, metric_value(first, &b->outcome),
			   metric_value(first, &a->record->outcome));
	else
		printf("  mean ms:");
	for (size_t k = 0; in_means && k < 3; k++) {
		const struct metric *m = metric_find(mean[k].metric);
		print_cell(mean[k].name, metric_value(m, &b->outcome),
			   metric_value(m, &a->record->outcome));
	}
}

/* Prints one line for the arm. */
static void print_arm(const struct watcher *w, const struct arm_result *a,
		      int width)
{
	const struct before *b = find_before(w, a->name);
	printf("  %-*s", width, a->name);
	if (a->error)
		printf("  failed");
	else if (!b || b->failed)
		printf("  %s", b ? "works again" : "new");
	else
		print_changes(b, a);
	putchar('\n');
}

static void forget_before(struct watcher *w)
{
	for (size_t i = 0; i < w->n_before; i++)
		free(w->before[i].arm);
	free(w->before);
	w->before = NULL;
	w->n_before = 0;
}

static void remember(struct watcher *w, const struct study *s)
{
	forget_before(w);
	w->before = calloc(s->n, sizeof *w->before);
	for (size_t i = 0; w->before && i < s->n; i++) {
		struct before *b = &w->before[w->n_before];
		b->arm = strdup(s->arm[i].name);
		b->outcome = s->arm[i].record->outcome;
		b->failed = s->arm[i].error != NULL;
		w->n_before += b->arm != NULL;
	}
}

/* ---- a run ---- */

static void print_reasons(const struct cmdline *line,
			  const struct findings *found)
{
	struct document d = {.in = IN_ALL};
	findings_reasons(found, &d);
	document_text(&d, line->all ? IN_FULL : IN_SHORT, stdout);
	document_free(&d);
}

/* A study_document_fn.  On standard output the full results come once, and
 * after that only the changes; a file gets the results of the last run. */
static void document(void *user, const struct cmdline *line,
		     const struct findings *found, FILE *f)
{
	struct watcher *w = user;
	const struct study *s = &found->study;
	int has_file = line->output && strcmp(line->output, "-");
	if (has_file || !w->shown)
		study_document(NULL, line, found, f);
	if (w->shown) {
		int width = 0;
		for (size_t i = 0; i < s->n; i++)
			if ((int)strlen(s->arm[i].name) > width)
				width = (int)strlen(s->arm[i].name);
		for (size_t i = 0; i < s->n; i++)
			print_arm(w, &s->arm[i], width);
		if (!has_file)
			print_reasons(line, found);
	}
	w->shown = 1;
}

static int run_once(struct watcher *w)
{
	struct study_round *r = w->round;
	struct problem p = {0};
	int rc = study_round_open(r, w->line, w->max_arms, &p);
	/* If the INI is broken, the watched files stay those of the last good
	 * one. */
	if (rc == 0)
		rc = watch_files(w, &p);
	if (rc == 0)
		rc = study_round_run(r, document, w, &p);
	fflush(stdout);
	if (rc == 0) {
		remember(w, &r->found.study);
		w->code = findings_code(&r->found);
	}
	w->interrupted = findings_interrupted(&r->found);
	if (rc < 0 && !w->interrupted)
		w->code = print_error(&p);
	study_round_free(r);
	return rc;
}

/* Builds, with the command of --make.  Returns 0 if the plugins are up to date,
 * or -1 after it has said why they are not. */
static int build(struct watcher *w)
{
	struct problem p = {0};
	if (!command_of(w))
		return 0;
	int rc = shell_run(command_of(w), &w->interrupted, &p);
	changes_built(&w->files);
	if (rc == 0 || w->interrupted)
		return rc;
	w->code = p.code;
	say("--make: %s; nothing is run until a file changes", p.text);
	return -1;
}

/* Reads how many runs; < 0: until a signal comes.  Returns -1 with *p filled in
 * if text is not a number. */
static int count_runs(const char *text, long *runs, struct problem *p)
{
	char *end;
	*runs = *text ? strtol(text, &end, 10) : -1;
	return *text && (*end || *runs < 0)
		   ? problem_set(p, EXIT_USAGE,
				 "--watch=%s: not how many times to run again, "
				 "as in --watch=3",
				 text)
		   : 0;
}

/* Says which sources are looked at. */
static int check_sources(const struct watcher *w, struct problem *p)
{
	size_t n = changes_sources(&w->files);
	if (!command_of(w))
		return 0;
	if (n == 0)
		return problem_set(p, EXIT_USAGE,
				   "--make: no source file here nor beside %s; "
				   "start it in the folder of the sources",
				   w->line->arg[0]);
	print_note(w->line, "--make: %zu source file%s watched", n,
		   n == 1 ? " is" : "s are");
	return 0;
}

static int check_options(const struct watcher *w, long *runs, struct problem *p)
{
	const struct study_options *o = w->line->own;
	if (!o->watch)
		return problem_set(p, EXIT_USAGE,
				   "--make builds for --watch; add --watch");
	return count_runs(o->watch, runs, p);
}

int cmd_watch(const struct cmdline *line, size_t max_arms)
{
	struct watcher w = {.line = line, .max_arms = max_arms};
	struct problem p;
	long runs_left = 0;
	w.round = calloc(1, sizeof *w.round);
	if ((w.round ? check_options(&w, &runs_left, &p)
		     : problem_no_memory(&p)) < 0 ||
	    watch_files(&w, &p) < 0 || check_sources(&w, &p) < 0) {
		changes_free(&w.files);
		free(w.round);
		return print_error(&p);
	}
	for (;;) {
		if (build(&w) == 0)
			run_once(&w);
		if (w.interrupted || runs_left == 0)
			break;
		printf("changed: %s\n", changes_wait(&w.files)->path);
		fflush(stdout);
		runs_left -= runs_left > 0;
	}
	forget_before(&w);
	changes_free(&w.files);
	free(w.round);
	if (w.interrupted)
		end_by_signal(w.interrupted);
	return w.code;
}
