/* sweep.c -- The command `sweep`: computes many points of a configuration into
 * a store, here or as a job array on a cluster. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/outfile.h"
#include "cmd/cmd.h"
#include "cmd/sweep/sweep_rows.h"
#include "cmd/sweep/sweep_slurm.h"
#include "report/results/outside.h"
#include "report/identity.h"
#include "report/sweep/sweep_pareto_rows.h"
#include "report/sweep/sweep_progress.h"
#include "store/rows.h"
#include "study/seeds.h"
#include "capacity/deployment.h"
#include "sweep/run.h"
#include "sweep/shard.h"

struct options {
	struct plan_source plan;
	int64_t seeds;
	const char *slo, *warm_up;
	double rate, precision;
	const char *store;
	struct slurm_options array;
	int retry;
	int64_t jobs;
	double answer_limit_s, memory_limit_gib;
	int in_process;
};
static const struct options defaults = {
    .seeds = 1,
    .precision = SEARCH_PRECISION,
    .answer_limit_s = JOB_ANSWER_LIMIT_S,
    .memory_limit_gib = JOB_MEMORY_LIMIT_GIB,
};

static const struct option_def option[] = {
    OPTION(
	LIST, "axis", "SECTION.KEY=VALUES", plan.axis,
	"a,b,c or FROM:TO:STEP or FROM:TO:*FACTOR; repeatable: their product"),
    OPTION(TEXT, "store", "FILE.db", store,
	   "SQLite; rows that it has are not computed again", .required = 1),
    OPTION(LIST, "zip", "A,B", plan.zip,
	   "vary these axes together, value by value; repeatable"),
    OPTION(TEXT, "points", "FILE.csv", plan.points,
	   "one point a row, columns named by keys; instead of --axis"),
    OPTION(TEXT, "where", "EXPR", plan.where,
	   "only points for which this holds, over axes and keys of CONFIG"),
    OPTION(INT, "seeds", "N", seeds,
	   "runs of each point: the seed of the configuration and the numbers "
	   "after it",
	   .min = 1, .max = 1e6),
    OPTION(TEXT, "warm-up", "N|SECONDSs|mser", warm_up,
	   "as of run: leave the requests at the beginning out of the figures"),
    OPTION(TEXT, "capacity", "METRIC=MS,...", slo,
	   "find the highest request rate within these bounds, as `capacity` "
	   "does"),
    OPTION(NUMBER, "rate", "R", rate, "with --capacity: requests/s to serve",
	   .max = MOST_RATE),
    OPTION(NUMBER, "precision", "X", precision,
	   "with --capacity: half the width of a rate's interval, relative",
	   .min = 0.002, .max = 0.5),
    OPTION(FLAG, "retry", NULL, retry,
	   "compute rows again that failed because of their plugin"),
    OPTION(TEXT, "shard", "[I/N]", array.shard,
	   "only every Nth point, from point I on; I may be "
	   "SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX"),
    OPTION(INT, "shards", "N", array.shards, "N of --shard, of --slurm",
	   .min = 1, .max = 1e6),
    OPTION(TEXT, "slurm", "DIR", array.folder,
	   "run as a Slurm job array; DIR, which the nodes share, holds the "
	   "shards"),
    OPTION(TEXT, "slurm-options", "'OPTION ...'", array.sbatch,
	   "options of sbatch, for the job script"),
    OPTION(FLAG, "slurm-dry-run", NULL, array.dry_run,
	   "print script and command, and submit nothing"),
    OPTION(INT, "jobs", "N", jobs,
	   "workers that run at once; 0: one for each core", .max = 4096),
    JOB_LIMITS(struct options, , "a row fails", "a worker"),
    OPTION(FLAG, "in-process", NULL, in_process,
	   "no child processes: for debuggers; a crash ends it all"),
};

/* For --slurm without --shards. */
enum { DEFAULT_SHARDS = 4 };

/* One sweep, from the command line to its exit code. */
struct slurm_command {
	const struct cmdline *c;
	const struct options *o;
	struct shard shard;
	struct sweep sweep;
	struct sweep_counts counts;
	int interrupted;
};

static int open_sweep(struct slurm_command *e, struct problem *p)
{
	const struct options *o = e->o;
	const struct sweep_request r = {.config = e->c->arg[0],
					.arms = e->c->arms,
					.set = e->c->set,
					.plan = o->plan,
					.seeds = o->seeds,
					.slo = o->slo,
					.warm_up = o->warm_up,
					.slo_option = "--capacity",
					.rate = o->rate,
					.precision = o->precision};
	if (shard_parse(&e->shard, o->array.shard, o->array.shards, p) < 0 ||
	    slurm_options_check(&o->array, p) < 0)
		return -1;
	if (sweep_open(&e->sweep, &r, p) < 0)
		return -1;
	print_config_note(&e->sweep.config, e->c);
	return 0;
}

/* Computes the points of this shard, and shows progress. */
static int compute(struct slurm_command *e, struct store *s, struct problem *p)
{
	const struct options *o = e->o;
	struct sweep_progress progress;
	char *file = NULL;
	if (e->shard.n && asprintf(&file, "%s.progress", o->store) < 0)
		return problem_no_memory(p);
	const struct sweep_how how = {.at_once = (unsigned)o->jobs,
				      .in_process = o->in_process,
				      .answer_limit_s = o->answer_limit_s,
				      .memory_limit_gib = o->memory_limit_gib,
				      .retry = o->retry,
				      .shard = e->shard.i,
				      .shards = e->shard.n,
				      .progress = sweep_progress_show,
				      .user = &progress};
	sweep_progress_begin(&progress, e->c->quiet, file);
	int rc = sweep_run(&e->sweep, s, &how, &e->counts, &e->interrupted, p);
	sweep_progress_end(&progress, &e->counts);
	free(file);
	return rc;
}

/* Points of earlier calls stay in the store. */
static void note_other_points(const struct slurm_command *e, struct store *s)
{
	struct store_counts n;
	struct problem ignored;
	if (store_count(s, &n, &ignored) == 0 &&
	    (uint64_t)n.points > e->counts.points)
		print_note(e->c,
			   "%s: also holds %" PRIu64
			   " points that this command does not ask for",
			   store_path(s),
			   (uint64_t)n.points - e->counts.points);
}

/* Warns of settings outside of the measured steps in the configuration itself;
 * an axis may set another value. */
static void note_outside(const struct slurm_command *e)
{
	const struct config *c = &e->sweep.config;
	char *text = outside_text(c, e->sweep.arms.n, 0);
	if (text)
		print_note(e->c, "outside of steps, unless an axis sets it: %s",
			   text);
	free(text);
}

static void tell_dropped(const struct slurm_command *e)
{
	struct problem p;
	if (!e->counts.dropped.n)
		return;
	damage_say(&e->counts.dropped, e->o->store, "dropped", &p);
	print_error(&p);
}

/* Refuses seeds that changed no row. */
static int check_seeds(const struct slurm_command *e, struct store *s,
		       struct problem *p)
{
	struct reader *r = reader_open(s, NULL, NULL, p);
	int equal = r ? sweep_find_equal_seeds(r, p) : -1;
	reader_close(r);
	return equal > 0 ? seeds_refuse_equal(&e->sweep.config,
					      (size_t)e->o->seeds, p)
			 : equal;
}

/* A text of more rows shows those on the Pareto front of each arm, and those
 * without figures. */
enum { FEW_ROWS = 24 };

/* Chooses these rows in *chosen; sets *n and *of to how many of how many. */
static int choose_rows(struct store *s, struct reader *r,
		       unsigned char **chosen, size_t *n, size_t *of,
		       struct problem *p)
{
	int is_capacity = store_study(s)->mode == STORE_CAPACITY;
	const char *arm[] = {"arm"};
	const struct names by = {arm, 1, 0};
	size_t blank;
	long status = reader_column(r, "status", p);
	int rc = status < 0 || sweep_pareto_rows(
				   r,
				   is_capacity ? "usd_per_million_output_tokens"
					       : "mean_tpot_ms",
				   is_capacity ? "request_rate"
					       : "output_throughput_per_gpu",
				   &by, chosen, &blank, p) < 0
		     ? -1
		     : 1;
	*n = *of = 0;
	while (rc == 1 && (rc = reader_next(r, p)) == 1) {
		const char *is = reader_cell(r, (size_t)status)->text;
		if (is && strcmp(is, store_status_name[STATUS_OK]) != 0)
			(*chosen)[*of] = 1;
		*n += (*chosen)[(*of)++];
	}
	return rc;
}

static int print_rows(const struct slurm_command *e, struct store *s,
		      struct problem *p)
{
	if (e->o->seeds > 1 && !e->counts.failed && check_seeds(e, s, p) < 0)
		return -1;
	struct reader *r = reader_open(s, NULL, NULL, p);
	unsigned char *chosen = NULL;
	size_t n = 0, of = 0;
	int is_short = e->c->format <= FORMAT_TEXT && !e->c->all;
	int rc = r ? 0 : -1;
	if (rc == 0 && is_short)
		rc = choose_rows(s, r, &chosen, &n, &of, p);
	int is_cut = of > FEW_ROWS && n && n < of;
	if (rc == 0)
		rc = sweep_write_rows(e->c, s, r, is_cut ? chosen : NULL, p);
	if (rc == 0 && is_cut)
		print_note(
		    e->c,
		    "%zu of %zu rows are shown: the Pareto front of each arm, "
		    "and rows without figures; --all or `stepcost sweep show "
		    "%s` prints all",
		    n, of, store_path(s));
	free(chosen);
	reader_close(r);
	return rc;
}

static int use_store(struct slurm_command *e, struct problem *p)
{
	/* A shard's store may be on a file system that hosts share. */
	struct store *s = store_open(
	    e->o->store, e->shard.n ? STORE_WRITE_ALONE : STORE_WRITE, p);
	if (!s)
		return -1;
	int rc = sweep_note_former(e->c, s, "they are computed again", p);
	if (rc == 0)
		rc = compute(e, s, p);
	tell_dropped(e);
	char *identity = rc == 0 ? identity_text() : NULL;
	if (identity)
		rc = store_set_identity(s, identity, p);
	free(identity);
	if (rc == 0) {
		note_other_points(e, s);
		note_outside(e);
		rc = print_rows(e, s, p);
	}
	if (store_close(s, rc == 0 ? p : NULL) < 0)
		rc = -1;
	return rc;
}

/* ---- on a cluster ---- */

/* Prints the rows of the store, and counts those with an error. */
static int report_store(struct slurm_command *e, struct problem *p)
{
	struct store_counts n;
	struct store *s = store_open(e->o->store, STORE_READ, p);
	if (!s)
		return -1;
	int rc = store_count(s, &n, p);
	if (rc == 0) {
		e->counts.refused = (uint64_t)n.refused;
		e->counts.failed = (uint64_t)n.failed;
		rc = print_rows(e, s, p);
	}
	store_close(s, NULL);
	return rc;
}

static int use_slurm(struct slurm_command *e, struct problem *p)
{
	const struct options *o = e->o;
	struct slurm l = {.shards = o->array.shards ? o->array.shards
						    : DEFAULT_SHARDS,
			  .jobs_given = o->jobs != 0,
			  .study = &e->sweep.study,
			  .axis = &e->sweep.axis};
	struct slurm_work job = {
	    .slurm = &l, .sweep = &e->sweep, .store = o->store};
	int rc = sweep_on_slurm(&job, e->c, &o->array, p);
	e->interrupted = job.interrupted;
	return rc < 0 || o->array.dry_run ? rc : report_store(e, p);
}

static int code_of(const struct slurm_command *e)
{
	return e->counts.failed ? EXIT_PLUGIN : EXIT_DONE;
}

static int run(const struct cmdline *c)
{
	struct slurm_command e = {.c = c, .o = c->own};
	struct problem p = {0};
	int rc = open_sweep(&e, &p);
	if (rc == 0)
		rc = e.o->array.folder ? use_slurm(&e, &p) : use_store(&e, &p);
	sweep_free(&e.sweep);
	if (rc < 0)
		print_error(&p);
	return e.interrupted ? 128 + SIGINT : rc < 0 ? p.code : code_of(&e);
}

const struct command command_sweep = {
    .name = "sweep",
    .args = "CONFIG",
    .summary = "run many points of a configuration under every arm, and keep "
	       "the results in a store",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    .has_short = 1,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
