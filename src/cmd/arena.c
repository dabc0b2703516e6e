/* arena.c -- The command `arena`: ranks cost models on sets of measured steps
 * and serving runs. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "arena/arena.h"
#include "base/text.h"
#include "cmd/output/command_files.h"
#include "cmd/pricing.h"
#include "cmd/step_set.h"
#include "keys/arena_keys.h"
#include "keys/datafile.h"
#include "keys/keys.h"
#include "plugin/loader.h"
#include "report/arena/arena.h"
#include "report/progress.h"
#include "validate/measured/aliases.h"

struct options {
	struct pricing_options pricing;
	struct names with;
	const char *store, *html;
	int64_t jobs;
};
static const struct options defaults = {.pricing = PRICING_DEFAULTS};

static const struct option_def option[] = {
    OPTION(LIST, "with", "PLUGIN", with,
	   "one more arm: the name or the file of a plugin; repeatable"),
    OPTION(TEXT, "store", "FILE", store,
	   "keep simulations of measured runs in this CSV file, and simulate "
	   "only what it lacks"),
    OPTION(OUTPUT, "html", "FILE", html,
	   "write a page; default: [arena] output"),
    OPTION(INT, "jobs", "N", jobs,
	   "arms at once; 0: as many as there are cores", .max = 4096),
    PRICING_OPTIONS,
};

struct work {
	struct cmdline line; /* with the arms of --with, and etc/arena.ini */
	const char *config[2];
	char *shipped;
	struct names set;
	char *arms;
	struct ini ini, aliases;
	struct arena_keys keys;
	struct names sets, runs;
	struct arena arena;
	struct stored stored;
	struct command_files files;
	int plugin_failed, signal;
};

/* ---- the arms ---- */

/* Adds an arm with the plugin's name. */
static int add_plugin(struct work *x, const char *plugin, struct names *names,
		      struct problem *p)
{
	int is_file = strchr(plugin, '/') || strstr(plugin, ".so");
	char *name = is_file ? plugin_name(plugin, p) : strdup(plugin);
	char *setting = NULL;
	if (!name)
		return is_file ? -1 : problem_no_memory(p);
	const char *before = is_file && !strchr(plugin, '/') ? "./" : "";
	int rc = asprintf(&setting, "--with cost_model:%s.plugin=%s%s", name,
			  before, plugin) < 0
		     ? -1
		     : 0;
	if (rc == 0)
		rc = names_add(&x->set, setting) < 0 ||
			     names_add(names, name) < 0
			 ? -1
			 : 0;
	free(setting);
	free(name);
	return rc < 0 ? problem_no_memory(p) : 0;
}

/* The arms of the command line, else of [arena], and those of --with behind
 * them. */
static int choose_arms(struct work *x, const struct cmdline *c,
		       struct problem *p)
{
	const struct options *o = c->own;
	const char *wanted = c->arms ? c->arms : x->keys.arms;
	struct names names = {0};
	int rc = 0;
	if (*(wanted ? wanted : ""))
		rc = names_add(&names, wanted);
	for (size_t i = 0; rc == 0 && i < c->set.n; i++)
		rc = names_add(&x->set, c->set.item[i]);
	rc = rc < 0 ? problem_no_memory(p) : 0;
	for (size_t i = 0; rc == 0 && i < o->with.n; i++)
		rc = add_plugin(x, o->with.item[i], &names, p);
	x->line = *c;
	x->line.arg = x->config;
	x->line.set = x->set;
	x->line.arms = NULL;
	if (rc == 0 && wanted && *wanted) {
		size_t bytes;
		FILE *f = text_open(&x->arms, &bytes);
		for (size_t i = 0; f && i < names.n; i++)
			fprintf(f, "%s%s", i ? "," : "", names.item[i]);
		rc = f && fclose(f) == 0 ? 0 : problem_no_memory(p);
		x->line.arms = x->arms;
	}
	names_free(&names);
	return rc;
}

static int read_keys(struct work *x, const struct cmdline *c, struct problem *p)
{
	if (!c->n_args && !(x->shipped = datafile_configuration("arena", p)))
		return -1;
	x->config[0] = c->n_args ? c->arg[0] : x->shipped;
	if (config_read(&x->ini, x->config[0], c->set.item, c->set.n, p) < 0 ||
	    knobs_fill(&x->keys, arena_key, arena_n_keys, NULL, &x->ini,
		       "arena", "", p) < 0)
		return -1;
	if (arena_files(&x->sets, &x->ini, "sets") < 0 ||
	    arena_files(&x->runs, &x->ini, "runs") < 0)
		return problem_no_memory(p);
	if (!x->sets.n && !x->runs.n)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: [arena] has neither sets nor runs; name "
		    "measured files: --set arena.sets=STEPS.csv, "
		    "--set arena.runs=RUNS.json",
		    x->config[0]);
	return choose_arms(x, c, p);
}

static double margin_of(const struct arena_keys *k)
{
	return k->margin < 0 ? (double)NAN : k->margin / 100;
}

/* ---- measured steps ---- */

static int score_steps(struct work *x, const char *path, struct problem *p)
{
	const struct options *o = x->line.own;
	const struct step_set_options rows = {.needs_time = 1};
	const struct score_options how = {.time = SCORE_EXACT,
					  .baseline = x->keys.baseline,
					  .margin = margin_of(&x->keys),
					  .strict =
					      strict_of(o->pricing.strict)};
	struct jobs_options jobs = pricing_jobs(&o->pricing, 0);
	struct arena_set *s = arena_add(&x->arena, path, NULL, p);
	jobs.at_once = (unsigned)o->jobs;
	if (!s || open_step_set(&s->set, &x->aliases, &x->line, &path, 1, &rows,
				p) < 0)
		return -1;
	const char *extra = score_extra_arm(&s->set, &how);
	if (open_step_arms(&s->arms, &s->set, &x->aliases, &x->line, extra,
			   &x->arena.shared, p) < 0 ||
	    score_price(&s->score, &s->arms, extra != NULL, &how, &jobs, p) < 0)
		return -1;
	x->plugin_failed |= s->score.plugin_failed;
	x->signal = s->arms.jobs.interrupted;
	return x->signal ? 0 : score_compute(&s->score, &how, p);
}

/* ---- measured runs ---- */

static int add_runs(struct work *x, const struct arena_runs *r,
		    struct problem *p)
{
	static const char *const name[N_RUN_LATENCIES] = {"TTFT", "TPOT",
							  "E2EL"};
	/* No five numbers are fitted to runs. */
	const char *arm =
	    strcmp(x->keys.baseline, "linear") ? x->keys.baseline : "";
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		struct arena_set *s = arena_add(&x->arena, r->path, name[k], p);
		if (!s || runs_score(&s->set, &s->score, r, (enum run_latency)k,
				     arm, margin_of(&x->keys), p) < 0)
			return -1;
		if (!s->set.n)
			arena_drop_last(&x->arena);
	}
	return 0;
}

static int score_runs(struct work *x, const char *path, struct problem *p)
{
	const struct options *o = x->line.own;
	struct progress_meter bar;
	struct arena_runs *r = &x->arena.runs[x->arena.n_runs++];
	const struct runs_options how = {
	    .config = x->line.arg[0],
	    .validate = {.set = x->set.item,
			 .n_set = x->set.n,
			 .arms = x->line.arms,
			 .beside = &x->arena.shared,
			 .jobs = (unsigned)o->jobs,
			 .in_process = o->pricing.in_process,
			 .progress = progress_show,
			 .progress_user = &bar},
	    .stored = o->store ? &x->stored : NULL};
	progress_begin(&bar, x->line.quiet);
	int rc = runs_simulate(r, path, &x->aliases, &how, p);
	progress_end(&bar);
	x->signal = r->v.interrupted;
	if (rc == 0 && o->store)
		print_note(&x->line, "%s: %zu of %zu simulations were stored",
			   path, r->n_known, r->v.row_replays.n * r->v.n_arms);
	x->plugin_failed |= r->v.plugin_failed;
	return rc < 0 || x->signal ? rc : add_runs(x, r, p);
}

/* ---- the command ---- */

/* Refuses to write the page that the configuration names over another file: a
 * configuration may come from a stranger. */
static int check_page(const char *path, struct problem *p)
{
	static const char begin[] = "<!doctype html>";
	char is[sizeof begin] = "";
	struct stat st;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	FILE *f = fopen(path, "re");
	int is_page = f && fgets(is, sizeof is, f) && !strcmp(is, begin);
	if (f)
		fclose(f);
	return is_page ? 0
		       : problem_set(p, EXIT_USAGE,
				     "[arena] output = %s: is there, and is no "
				     "page; --html writes over it",
				     path);
}

static int open_all(struct work *x, const struct cmdline *c, struct problem *p)
{
	const struct options *o = c->own;
	char *own =
	    !o->html && *x->keys.output
		? ini_resolve_key(&x->ini, "arena", "output", x->keys.output)
		: NULL;
	const struct command_paths to = {.page = o->html ? o->html : own};
	int rc = own ? check_page(own, p) : 0;
	if (rc == 0)
		rc = command_files_open(&x->files, c, &to, p);
	if (rc == 0 && o->store)
		rc = stored_open(&x->stored, o->store, p);
	free(own);
	return rc;
}

/* Scores all arms on all sets of steps and files of runs, and ranks them. */
static int compute(struct work *x, const struct cmdline *c, struct problem *p)
{
	int rc = read_keys(x, c, p);
	if (rc == 0)
		rc = open_all(x, c, p);
	if (rc == 0)
		rc = aliases_read(&x->aliases, NULL, p);
	if (rc == 0)
		rc = arena_make(&x->arena, x->sets.n, x->runs.n, p);
	for (size_t i = 0; rc == 0 && !x->signal && i < x->sets.n; i++)
		rc = score_steps(x, x->sets.item[i], p);
	for (size_t i = 0; rc == 0 && !x->signal && i < x->runs.n; i++)
		rc = score_runs(x, x->runs.item[i], p);
	return rc < 0 || x->signal ? rc : arena_judge(&x->arena, p);
}

static int write_all(struct work *x, const struct cmdline *c, struct problem *p)
{
	struct command_files *w = &x->files;
	if (c->format == FORMAT_JSON)
		arena_json(&x->arena, w->result.f);
	else if (c->format == FORMAT_CSV)
		arena_csv(&x->arena, w->result.f);
	if (command_files_want_document(w, c))
		arena_document(&x->arena, &w->document);
	return command_files_commit(w, c, p);
}

static void free_work(struct work *x)
{
	command_files_discard(&x->files);
	arena_free(&x->arena);
	stored_free(&x->stored);
	ini_free(&x->aliases);
	ini_free(&x->ini);
	names_free(&x->sets);
	names_free(&x->runs);
	names_free(&x->set);
	free(x->arms);
	free(x->shipped);
}

static int run(const struct cmdline *c)
{
	struct work x = {0};
	struct problem p;
	int rc = compute(&x, c, &p);
	if (rc == 0 && !x.signal)
		rc = write_all(&x, c, &p);
	int signal = x.signal;
	int code = rc < 0            ? print_error(&p)
		   : x.plugin_failed ? EXIT_PLUGIN
				     : EXIT_DONE;
	free_work(&x);
	if (signal)
		raise(signal);
	return code;
}

const struct command command_arena = {
    .name = "arena",
    .args = "[CONFIG]",
    .summary = "rank cost models on measured steps and serving runs",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .max_args = 1,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
