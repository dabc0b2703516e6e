/* sweep_slurm.c -- Runs shards as a job array and waits for their end. */
#include "cmd/sweep/sweep_slurm.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/printable.h"
#include "base/problem.h"
#include "base/text.h"
#include "report/sweep/sweep_progress.h"
#include "store/merge.h"
#include "sweep/run.h"

enum { POLL_S = 1 };

/* ---- before submitting ---- */

/* fresh: the plan differs from the one in the folder, so that all shards must
 * be computed again.  Returns how many are wanted. */
static int64_t unfinished(const struct slurm_work *e, int fresh,
			  unsigned char *wanted)
{
	int64_t n = 0;
	for (int64_t i = 0; i < e->slurm->shards; i++) {
		wanted[i] = fresh || !slurm_is_finished(e->slurm, e->sweep, i);
		n += wanted[i];
	}
	return n;
}

/* Makes sure, before submitting, that the store can be written and belongs to
 * this study. */
static int check_store(const struct slurm_work *e, struct problem *p)
{
	const struct slurm *l = e->slurm;
	struct store *store = store_open(e->store, STORE_WRITE, p);
	if (!store)
		return -1;
	int rc = store_begin(store, l->study, l->axis->item, l->axis->n, p);
	if (store_close(store, rc == 0 ? p : NULL) < 0)
		rc = -1;
	return rc;
}

/* Shows script and command to a person: names may control a terminal. */
static int dry_run(const struct slurm_work *e, unsigned char *wanted,
		   struct problem *p)
{
	struct text t;
	memset(wanted, 1, (size_t)e->slurm->shards);
	char *command = slurm_command(e->slurm, wanted);
	FILE *f = command ? text_begin(&t) : NULL;
	if (f) {
		slurm_script(f, e->slurm);
		fprintf(f, "\n%s\n", command);
	}
	char *shown = f ? text_end(&t) : NULL;
	if (shown)
		printable_text(stdout, shown, strlen(shown));
	free(command);
	free(shown);
	return shown ? 0 : problem_no_memory(p);
}

/* ---- waiting ---- */

struct waiting {
	struct slurm_work *e;
	int quiet;
	struct sweep_progress progress;
	sigset_t wanted, before;
	int lost; /* squeue did not answer, and the user was told */
};

static void begin_waiting(struct waiting *w)
{
	sigemptyset(&w->wanted);
	sigaddset(&w->wanted, SIGINT);
	sigaddset(&w->wanted, SIGTERM);
	sigprocmask(SIG_BLOCK, &w->wanted, &w->before);
	sweep_progress_begin(&w->progress, w->quiet, NULL);
}

static void end_waiting(struct waiting *w)
{
	const struct sweep_counts none = {0};
	sweep_progress_end(&w->progress, &none);
	sigprocmask(SIG_SETMASK, &w->before, NULL);
}

/* Adds up the progress that the tasks wrote next to their stores. */
static struct sweep_counts gather(const struct slurm_work *e)
{
	struct sweep_counts sum = {.all = sweep_rows(e->sweep, 0, 0)};
	for (int64_t i = 0; i < e->slurm->shards; i++) {
		uint64_t done, refused, failed;
		char *path = slurm_shard_path(e->slurm, i, ".progress");
		FILE *f = path ? fopen(path, "re") : NULL;
		if (f && fscanf(f,
				"%" SCNu64 " of %*u rows, %" SCNu64
				" refused, %" SCNu64,
				&done, &refused, &failed) == 3) {
			sum.done += done;
			sum.refused += refused;
			sum.failed += failed;
		}
		if (f)
			fclose(f);
		free(path);
	}
	return sum;
}

static void tell_lost(struct waiting *w, const struct problem *why)
{
	if (!w->lost && !w->quiet)
		fprintf(stderr, "stepcost: %s; asking again\n", why->text);
	w->lost = 1;
}

/* Waits until squeue no longer knows the job.  Returns 0, or -1 with *p filled
 * in if a signal came. */
static int wait_for(struct slurm_work *e, const char *id, int quiet,
		    struct problem *p)
{
	const struct timespec a_while = {.tv_sec = POLL_S};
	struct waiting w = {.e = e, .quiet = quiet};
	struct problem why;
	int known, signal_number = -1;
	begin_waiting(&w);
	while ((known = slurm_knows(id, &why)) != 0) {
		if (known < 0)
			tell_lost(&w, &why);
		else
			w.lost = 0;
		const struct sweep_counts c = gather(e);
		sweep_progress_show(&w.progress, &c, p);
		signal_number = sigtimedwait(&w.wanted, NULL, &a_while);
		if (signal_number > 0)
			break;
	}
	if (signal_number > 0) {
		slurm_cancel(id);
		e->interrupted = signal_number;
	}
	end_waiting(&w);
	return e->interrupted ? problem_set(p, 128 + SIGINT,
					    "interrupted; job %s is cancelled, "
					    "finished points are in %s",
					    id, e->slurm->folder)
			      : 0;
}

/* ---- the whole sweep ---- */

static int put_together(const struct slurm_work *e, struct problem *p)
{
	size_t n = (size_t)e->slurm->shards;
	char **shard = calloc(n + 1, sizeof *shard);
	struct merge_result r;
	int rc = shard ? 0 : problem_no_memory(p);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		shard[i] = slurm_shard_path(e->slurm, (int64_t)i, "");
		rc = shard[i] ? 0 : problem_no_memory(p);
	}
	if (rc == 0)
		rc =
		    store_merge(e->store, (const char *const *)shard, n, &r, p);
	for (size_t i = 0; shard && i < n; i++)
		free(shard[i]);
	free(shard);
	return rc;
}

static int tell_unfinished(const struct slurm_work *e,
			   const unsigned char *wanted, int64_t n,
			   struct problem *p)
{
	int64_t first = 0;
	while (!wanted[first])
		first++;
	return problem_set(p, EXIT_SAYS_NO,
			   "%" PRId64 " of %" PRId64
			   " shards are unfinished; the first is %" PRId64
			   ": %s/shard-%" PRId64
			   ".out may say why; the same command submits them "
			   "again",
			   n, e->slurm->shards, first, e->slurm->folder, first);
}

/* Waits for a running job; without one, submits the unfinished shards. */
static int submit_and_wait(struct slurm_work *e, const char *plan,
			   unsigned char *wanted, int quiet, struct problem *p)
{
	char id[SLURM_ID];
	int runs = 0;
	if (slurm_make_folder(e->slurm, p) < 0)
		return -1;
	int same = slurm_has_plan(e->slurm, plan);
	slurm_job(e->slurm, id);
	if (*id && (runs = slurm_knows(id, p)) < 0)
		return -1;
	if (runs && !same)
		return problem_set(p, EXIT_USAGE,
				   "%s: job %s still computes another plan; "
				   "wait for it, or take another folder",
				   e->slurm->folder, id);
	if (runs && wait_for(e, id, quiet, p) < 0)
		return -1;
	if (!unfinished(e, !same, wanted))
		return 0;
	if (slurm_submit(e->slurm, plan, wanted, p) < 0)
		return -1;
	slurm_job(e->slurm, id);
	if (!quiet)
		fprintf(stderr, "stepcost: submitted job %s\n", id);
	return wait_for(e, id, quiet, p);
}

static int run_shards(struct slurm_work *e, int is_dry, int quiet,
		      struct problem *p)
{
	unsigned char *wanted = calloc((size_t)e->slurm->shards + 1, 1);
	char *plan = slurm_plan(e->sweep, e->slurm);
	int rc = wanted && plan ? 0 : problem_no_memory(p);
	int64_t n = 0;
	if (rc == 0 && is_dry) {
		rc = dry_run(e, wanted, p);
	} else if (rc == 0) {
		rc = check_store(e, p);
		if (rc == 0)
			rc = submit_and_wait(e, plan, wanted, quiet, p);
		if (rc == 0 && (n = unfinished(e, 0, wanted)) > 0)
			rc = tell_unfinished(e, wanted, n, p);
		if (rc == 0)
			rc = put_together(e, p);
	}
	free(wanted), free(plan);
	return rc;
}

/* ---- the options ---- */

int slurm_options_check(const struct slurm_options *o, struct problem *p)
{
	if (o->shards && !o->shard && !o->folder)
		return problem_set(p, EXIT_USAGE,
				   "--shards %" PRId64
				   ": needs --shard or --slurm",
				   o->shards);
	if (o->shard && o->folder)
		return problem_set(p, EXIT_USAGE,
				   "--slurm submits the shards; --shard is for "
				   "its tasks");
	if (!o->folder && (o->sbatch || o->dry_run))
		return problem_set(p, EXIT_USAGE, "%s: needs --slurm DIR",
				   o->sbatch ? "--slurm-options"
					     : "--slurm-dry-run");
	if (o->folder && (!*o->folder || o->folder[strcspn(o->folder, "\r\n")]))
		return problem_set(
		    p, EXIT_USAGE, "--slurm: %s; a line of the job names it",
		    *o->folder ? "a newline in the name of a folder"
			       : "the name of the folder is empty");
	if (o->sbatch && strchr(o->sbatch, '\n'))
		return problem_set(p, EXIT_USAGE,
				   "--slurm-options: must be one line");
	return 0;
}

/* Returns the absolute form of a path that need not exist.  NULL with *p filled
 * in on an error. */
static char *absolute_path(const char *path, struct problem *p)
{
	char *here = *path == '/' ? strdup("") : getcwd(NULL, 0), *whole = NULL;
	if (!here ||
	    asprintf(&whole, "%s%s%s", here, *here ? "/" : "", path) < 0)
		problem_no_memory(p);
	free(here);
	return whole;
}

/* Builds the command of a task: this command without the options about shards
 * and results. */
static int command_words(const struct cmdline *c, struct names *word,
			 struct problem *p)
{
	static const char *const not_for_tasks[] = {
	    "store",         "shards",        "slurm",
	    "slurm-options", "slurm-dry-run", "output",
	    "quiet",         "format",        NULL};
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	if (n <= 0)
		return problem_set(p, EXIT_USAGE, "/proc/self/exe: %s",
				   strerror(errno));
	path[n] = '\0';
	return names_add(word, path) < 0 ||
		       names_add(word, c->command->name) < 0 ||
		       names_add(word, c->arg[0]) < 0 ||
		       cmdline_words(c, not_for_tasks, word) < 0
		   ? problem_no_memory(p)
		   : 0;
}

int sweep_on_slurm(struct slurm_work *e, const struct cmdline *c,
		   const struct slurm_options *o, struct problem *p)
{
	struct slurm *l = e->slurm;
	char *folder = absolute_path(o->folder, p);
	l->folder = folder;
	l->options = o->sbatch;
	int rc = folder ? command_words(c, &l->word, p) : -1;
	if (rc == 0)
		rc = run_shards(e, o->dry_run, c->quiet, p);
	names_free(&l->word);
	free(folder);
	return rc;
}
