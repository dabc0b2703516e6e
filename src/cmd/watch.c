/* watch.c -- `run` and `compare` with --watch: once more whenever the INI
 * or a plugin changes, and what that did to the metrics: edit, build, see.
 * Plugins are loaded in the arms' processes alone, so a new file is what runs.
 */
#include <config.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "cmd/cmd.h"
#include "cmd/study.h"
#include "record/metrics.h"
#include "report/results.h"
#include "study/study.h"

/* What a run left, to be compared to. */
struct before {
	char *arm;
	struct outcome outcome;
	int failed;
};
struct watched {
	char *path;
	struct stat is; /* zero: it is not there                             */
};
struct watcher {
	const struct cmdline *line;
	size_t max_arms;
	struct before *before;
	size_t n_before;
	struct watched *file; /* the INI first                               */
	size_t n_files;
	long runs_left; /* < 0: until interrupted                            */
	int code, signal_caught;
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

static void add_file(struct watcher *v, const char *path)
{
	struct watched *file =
	    realloc(v->file, (v->n_files + 1) * sizeof *v->file);
	for (size_t i = 0; i < v->n_files && file; i++)
		if (path && !strcmp(file[i].path, path))
			path = NULL; /* two arms of one plugin               */
	if (file)
		v->file = file;
	if (!file || !path)
		return;
	char *copy = strdup(path);
	if (copy)
		file[v->n_files++] = (struct watched){copy, look(copy)};
}

static void forget_files(struct watcher *v)
{
	for (size_t i = 0; i < v->n_files; i++)
		free(v->file[i].path);
	v->n_files = 0;
}

/* Returns what has changed, once it has been at rest for a moment: linkers
 * write a file bit by bit. */
static const char *wait_for_change(struct watcher *v)
{
	static const struct timespec moment = {.tv_nsec = 100000000};
	const char *changed = NULL;
	for (int resting = 0; !changed || resting < 2; resting++) {
		nanosleep(&moment, NULL);
		for (size_t i = 0; i < v->n_files; i++) {
			struct stat now = look(v->file[i].path);
			if (!differs(&now, &v->file[i].is))
				continue;
			v->file[i].is = now;
			changed = v->file[i].path;
			resting = 0;
		}
	}
	return changed;
}

/* ---- metrics ---- */

static const struct before *find_before(const struct watcher *v,
					const char *arm)
{
	for (size_t i = 0; i < v->n_before; i++)
		if (!strcmp(v->before[i].arm, arm))
			return &v->before[i];
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

static void print_changes(const struct watcher *v, const struct arm_result *a)
{
	const struct before *b = find_before(v, a->name);
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

static void forget_before(struct watcher *v)
{
	for (size_t i = 0; i < v->n_before; i++)
		free(v->before[i].arm);
	free(v->before);
	v->before = NULL;
	v->n_before = 0;
}

static void remember(struct watcher *v, const struct study *s)
{
	forget_before(v);
	v->before = calloc(s->n, sizeof *v->before);
	for (size_t i = 0; v->before && i < s->n; i++) {
		struct before *b = &v->before[v->n_before];
		b->arm = strdup(s->arm[i].name);
		b->outcome = s->arm[i].record->outcome;
		b->failed = s->arm[i].error != NULL;
		v->n_before += b->arm != NULL;
	}
}

/* ---- a run ---- */

static void report(struct watcher *v, const struct study *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->arm[i].error)
			fprintf(stderr, "stepcost: %s\n", s->arm[i].error);
	if (v->n_before == 0)
		results_text(&s->results, stdout);
	else
		for (size_t i = 0; i < s->n; i++)
			print_changes(v, &s->arm[i]);
	fflush(stdout);
	remember(v, s);
	v->code = study_code(s);
}

static int run_once(struct watcher *v)
{
	struct config c;
	struct study s = {0};
	struct problem p = {0};
	struct study_options o = *(const struct study_options *)v->line->own;
	o.write_requests = o.write_steps = o.perfetto = o.html = o.plot = NULL;
	o.why = 0;
	int rc = open_config(&c, v->line, &p);
	if (rc == 0) {
		size_t n = v->max_arms && v->max_arms < c.n_arms ? v->max_arms
								 : c.n_arms;
		/* A broken INI leaves the files of the last good one. */
		forget_files(v);
		add_file(v, v->line->arg[0]);
		for (size_t i = 0; i < n; i++)
			add_file(v, c.arm[i].plugin_path);
		rc = study_run(&s, v->line->command->name, &c, n, &o, NULL,
			       NULL, &p);
	}
	if (rc == 0)
		report(v, &s);
	else if (!s.arms.interrupted)
		v->code = complain(&p);
	v->signal_caught = s.arms.interrupted;
	study_free(&s);
	config_free(&c);
	return rc;
}

int cmd_watch(const struct cmdline *line, size_t max_arms)
{
	const struct study_options *o = line->own;
	struct watcher v = {
	    .line = line, .max_arms = max_arms, .runs_left = -1};
	if (*o->watch) {
		char *end;
		v.runs_left = strtol(o->watch, &end, 10);
		if (*end || v.runs_left < 0) {
			const struct problem p = {EXIT_USAGE,
						  "--watch=N: how many times"};
			return complain(&p);
		}
	}
	add_file(&v, line->arg[0]);
	while (run_once(&v), !v.signal_caught && v.runs_left != 0) {
		printf("changed: %s\n", wait_for_change(&v));
		v.runs_left -= v.runs_left > 0;
	}
	forget_before(&v);
	forget_files(&v);
	free(v.file);
	if (v.signal_caught) {
		signal(v.signal_caught, SIG_DFL);
		raise(v.signal_caught);
	}
	return v.code;
}
