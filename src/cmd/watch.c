/* watch.c -- Runs `run` and `compare` again whenever the INI or a plugin
 * changes, and prints how the metrics changed: edit, build, see.  Only the
 * arms' processes load plugins, so a run always uses the new file. */
#include <config.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "cmd/cmd.h"
#include "cmd/study.h"
#include "record/metrics.h"
#include "report/findings.h"

/* The results of the last run, for comparison. */
struct before {
	char *arm;
	struct outcome outcome;
	int failed;
};
struct watched {
	char *path;
	struct stat is; /* zero: the file does not exist */
};
struct files {
	struct watched *file;
	size_t n;
};
struct watcher {
	const struct cmdline *line;
	size_t max_arms;
	struct before *before;
	size_t n_before;
	struct files files; /* the INI first */
	int shown;          /* 1: the full results were printed once */
	int code;           /* of the last run */
	int interrupted;    /* the signal, or 0 */
};

/* ---- files ---- */

static struct stat look(const char *path)
{
	struct stat is = {0};
	if (stat(path, &is) < 0)
		memset(&is, 0, sizeof is);
	return is;
}

static int differs(const struct stat *a, const struct stat *b)
{
	return a->st_ino != b->st_ino || a->st_size != b->st_size ||
	       a->st_mtim.tv_sec != b->st_mtim.tv_sec ||
	       a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

static int add_file(struct files *f, const char *path,
		    const struct files *known)
{
	struct stat is = look(path);
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->file[i].path, path))
			return 0; /* two arms share a plugin */
	/* Keeps the state from before the file was read, because it may have
	 * changed since. */
	for (size_t i = 0; i < known->n; i++)
		if (!strcmp(known->file[i].path, path))
			is = known->file[i].is;
	struct watched *file = realloc(f->file, (f->n + 1) * sizeof *file);
	if (file)
		f->file = file;
	char *copy = file ? strdup(path) : NULL;
	if (!copy)
		return -1;
	file[f->n++] = (struct watched){copy, is};
	return 0;
}

static void free_files(struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->file[i].path);
	free(f->file);
	*f = (struct files){0};
}

/* Watches the INI and the plugins of all arms, including arms that price a
 * decode pool. */
static int watch_files(struct watcher *w, const struct study_round *r,
		       struct problem *p)
{
	struct files now = {0};
	int rc = add_file(&now, w->line->arg[0], &w->files);
	for (size_t i = 0; rc == 0 && i < r->config.n_arms; i++)
		rc = add_file(&now, r->config.arm[i].plugin_path, &w->files);
	free_files(&w->files);
	w->files = now;
	return rc < 0 ? problem_no_memory(p) : 0;
}

/* Returns the changed file after it has been stable for a moment, because
 * linkers write a file in pieces. */
static const char *wait_for_change(struct files *f)
{
	static const struct timespec moment = {.tv_nsec = 100000000};
	const char *changed = NULL;
	for (int resting = 0; !changed || resting < 2; resting++) {
		nanosleep(&moment, NULL);
		for (size_t i = 0; i < f->n; i++) {
			struct stat now = look(f->file[i].path);
			if (!differs(&now, &f->file[i].is))
				continue;
			f->file[i].is = now;
			changed = f->file[i].path;
			resting = 0;
		}
	}
	return changed;
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

static int print_change(const struct metric *m, const struct before *b,
			const struct arm_result *a)
{
	double was = metric_value(m, &b->outcome);
	double is = metric_value(m, &a->record->outcome);
	if (was == is || (isnan(was) && isnan(is)))
		return 0;
	printf("  %-16s %-24s %14.*f -> %.*f", a->name, m->name, m->decimals,
	       was, m->decimals, is);
	if (was != 0 && !isnan(was) && !isnan(is))
		printf("  %+.2f %%", 100 * (is / was - 1));
	putchar('\n');
	return 1;
}

static void print_changes(const struct watcher *w, const struct arm_result *a)
{
	const struct before *b = find_before(w, a->name);
	int any = 0;
	if (a->error) {
		printf("  %-16s failed\n", a->name);
		return;
	}
	if (!b || b->failed) {
		printf("  %-16s %s\n", a->name, b ? "works again" : "new");
		return;
	}
	for (size_t i = 0; i < n_metrics; i++)
		if (metric[i].headline)
			any |= print_change(&metric[i], b, a);
	if (!any)
		printf("  %-16s unchanged\n", a->name);
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
		for (size_t i = 0; i < s->n; i++)
			print_changes(w, &s->arm[i]);
		if (!has_file)
			findings_text_details(found, stdout);
	}
	w->shown = 1;
}

static int run_once(struct watcher *w)
{
	struct study_round r;
	struct problem p = {0};
	int rc = study_round_open(&r, w->line, w->max_arms, &p);
	/* If the INI is broken, the watched files stay those of the last good
	 * one. */
	if (rc == 0)
		rc = watch_files(w, &r, &p);
	if (rc == 0)
		rc = study_round_run(&r, document, w, &p);
	fflush(stdout);
	if (rc == 0) {
		remember(w, &r.found.study);
		w->code = findings_code(&r.found);
	}
	w->interrupted = findings_interrupted(&r.found);
	if (rc < 0 && !w->interrupted)
		w->code = complain(&p);
	study_round_free(&r);
	return rc;
}

/* Reads how many runs; < 0: until a signal comes.  Returns -1 with *p filled in
 * if text is not a number. */
static int count_runs(const char *text, long *runs, struct problem *p)
{
	char *end;
	*runs = *text ? strtol(text, &end, 10) : -1;
	return *text && (*end || *runs < 0)
		   ? problem_set(p, EXIT_USAGE, "--watch=N: how many times")
		   : 0;
}

int cmd_watch(const struct cmdline *line, size_t max_arms)
{
	const struct study_options *o = line->own;
	struct watcher w = {.line = line, .max_arms = max_arms};
	const struct study_round no_arms = {0};
	struct problem p;
	long runs_left;
	if (count_runs(o->watch, &runs_left, &p) < 0 ||
	    watch_files(&w, &no_arms, &p) < 0)
		return complain(&p);
	while (run_once(&w), !w.interrupted && runs_left != 0) {
		printf("changed: %s\n", wait_for_change(&w.files));
		runs_left -= runs_left > 0;
	}
	forget_before(&w);
	free_files(&w.files);
	if (w.interrupted)
		end_by_signal(w.interrupted);
	return w.code;
}
