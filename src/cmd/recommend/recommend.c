/* recommend.c -- The command `recommend`: which configuration serves a workload
 * best within latency bounds, and whether another cost model says so, too. */
#include <inttypes.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/output/command_files.h"
#include "cmd/recommend/emit.h"
#include "cmd/recommend/options.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"
#include "report/recommend/recommend_progress.h"
#include "capacity/deployment.h"

struct options {
	struct recommend_request is; /* without what every command has        */
	struct recommend_words words;
	const char *html, *emit;
	int prints_ini;
	int64_t jobs;
};
static const struct options defaults = {
    .is = {.precision = 0.02,
	   .answer_limit_s = JOB_ANSWER_LIMIT_S,
	   .memory_limit_gib = JOB_MEMORY_LIMIT_GIB}};

static const char *const serve_choice[] = {"aggregated", "disaggregated", NULL};
static const char *const objective_choice[] = {"rate", "usd", "gpus", "energy",
					       NULL};

static const struct option_def option[] = {
    OPTION(TEXT, "slo", "METRIC=MS,...", is.slo,
	   "bounds to meet: " BOUND_LATENCIES ", goodput=SHARE", .required = 1),
    OPTION(TEXT, "gpus", "N", is.gpus,
	   "GPUs there are; with a comma of each kind of --hardware",
	   .required = 1),
    OPTION(NUMBER, "rate", "R", is.rate,
	   "requests/s to serve: then the fewest GPUs that do; without: the "
	   "most requests/s",
	   .min = 1e-6, .max = MOST_RATE),
    OPTION(TEXT, "model", "NAME", words.model,
	   "the model, of etc/models, in place of CONFIG's"),
    OPTION(TEXT, "engine", "PRESET", words.engine,
	   "the engine: a value of engine.preset; without a CONFIG vllm-0.24"),
    OPTION(TEXT, "input-tokens", "LENGTHS", words.input_tokens,
	   "lengths of prompts, as workload.input_tokens: a number or a "
	   "distribution"),
    OPTION(TEXT, "input", "LENGTHS", words.input_tokens,
	   "short for --input-tokens; without a CONFIG --output N is "
	   "--output-tokens"),
    OPTION(TEXT, "output-tokens", "LENGTHS", words.output_tokens,
	   "lengths of answers, as workload.output_tokens"),
    OPTION(FLAG, "print-ini", NULL, prints_ini,
	   "write the configuration that the options stand for, and end"),
    OPTION(TEXT, "hardware", "A,B", is.hardware,
	   "kinds of GPU to choose from, of etc/hardware"),
    OPTION(TEXT, "models", "A,B", is.models,
	   "forms of the model to choose from (bf16, fp8), of etc/models"),
    OPTION(LIST, "search", "SECTION.KEY=VALUES", is.search,
	   "values to try, as --axis of sweep; in place of the key's own"),
    OPTION(
	LIST, "fix", "KEYS", is.fix,
	"keys to leave as configured; workload.num_requests: no longer runs"),
    OPTION(TEXT, "points", "FILE.csv", is.points,
	   "the configurations, one a row, columns named by keys; no others"),
    OPTION(CHOICE, "serve", "HOW", is.serve,
	   "only replicas that do both, or only prefill and decode apart",
	   .choices = serve_choice),
    OPTION(CHOICE, "objective", "NAME", is.objective,
	   "prefer requests/s, requests per USD, or per GPU; with --rate the "
	   "least USD, GPUs, or joules of a token",
	   .choices = objective_choice),
    OPTION(TEXT, "front", "[=X,Y]", is.front,
	   "also run lower rates, and list the Pareto front of two figures; "
	   "default output_throughput_per_gpu,output_throughput_per_user"),
    OPTION(
	OUTPUT, "html", "FILE", html,
	"write a page with the winners and the Pareto front; implies --front"),
    OPTION(TEXT, "emit", "DIR", emit,
	   "write scripts that start the winners, and their INIs, into that "
	   "folder"),
    OPTION(NUMBER, "precision", "X", is.precision,
	   "by which a challenger's rate must be higher", .min = 0.002,
	   .max = 0.5),
    OPTION(INT, "budget", "N", is.budget,
	   "at most about N simulations of an arm's race", .min = 1,
	   .max = 1e12),
    OPTION(FLAG, "one-draw", NULL, is.one_draw,
	   "search the winners, too, on one draw of requests; no interval"),
    OPTION(INT, "jobs", "N", jobs,
	   "workers that run at once; 0: one for each core", .max = 4096),
    JOB_LIMITS(struct options, is., "a configuration fails", "a worker"),
    OPTION(FLAG, "in-process", NULL, is.in_process,
	   "no child processes: for debuggers; a crash ends it all"),
};

/* After a signal: the best that each race had found. */
static void tell_incumbents(const struct recommend *r)
{
	for (size_t i = 0; r->arm && i < r->sweep.arms.n; i++) {
		const struct recommend_arm *a = &r->arm[i];
		struct text t = {0};
		FILE *f = a->race.entry && a->race.best != RACE_NONE
			      ? text_begin(&t)
			      : NULL;
		if (!f)
			continue;
		recommend_point(r, a->entry[a->race.best].point, f);
		fclose(f);
		say("%s: interrupted; the best so far: %s",
		    recommend_arm_name(r, i), t.s);
		free(t.s);
	}
}

static void tell_warnings(const struct recommend *r, const struct cmdline *c)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		for (size_t k = 0; k < r->arm[i].warnings.n; k++)
			print_note(c, "%s: warning: %s",
				   recommend_arm_name(r, i),
				   r->arm[i].warnings.item[k].example);
}

/* What the options stand for: given as CONFIG it gives the same answer. */
static int print_ini(const struct recommend *r, struct outfile *out,
		     struct problem *p)
{
	fputs(r->sweep.configuration, out->f);
	return outfile_commit(out, p);
}

static int open_all(struct command_files *w, const struct cmdline *c,
		    struct problem *p)
{
	const struct options *o = c->own;
	const struct command_paths to = {.page = o->html};
	int rc = command_files_open(w, c, &to, p);
	return rc == 0 && o->emit ? emit_folder(o->emit, p) : rc;
}

/* The result has the same bytes however long it took; so this is no part of
 * it. */
static void tell_effort(const struct recommend *r, const struct cmdline *c,
			double seconds)
{
	print_note(c, "%" PRIu64 " simulations, %.1f s", r->simulations,
		   seconds);
}

static void write_answer(const struct recommend *r, const struct cmdline *c,
			 struct command_files *w)
{
	if (c->format == FORMAT_JSON)
		recommend_json(r, w->result.f);
	else if (c->format == FORMAT_CSV)
		recommend_csv(r, w->result.f);
	if (command_files_want_document(w, c))
		recommend_document(r, w->page.f != NULL, &w->document);
}

/* Searches, and writes the answer and its files. */
static int answer(struct recommend *r, const struct cmdline *c,
		  struct command_files *w, int *code, struct problem *p)
{
	const struct options *o = c->own;
	int64_t began = clock_now_ns();
	int rc = recommend_run(r, p);
	progress_end(r->from->user);
	if (r->interrupted)
		tell_incumbents(r);
	if (rc < 0)
		return -1;
	*code = recommend_code(r);
	tell_warnings(r, c);
	tell_effort(r, c, (double)(clock_now_ns() - began) / 1e9);
	write_answer(r, c, w);
	if (o->emit && emit_winners(r, o->emit, p) < 0)
		return -1;
	return command_files_commit(w, c, p);
}

static int run(const struct cmdline *given)
{
	struct options own = *(const struct options *)given->own, *o = &own;
	struct cmdline mine = *given, *c = &mine;
	mine.own = o;
	recommend_options_read(&own.words, &mine);
	struct recommend_request from = o->is;
	struct recommend r = {0};
	struct command_files w = {0};
	struct problem p = {0};
	struct progress_meter progress;
	char *shipped = NULL;
	from.arms = c->arms;
	from.progress = recommend_progress_show;
	from.user = &progress;
	progress_begin(&progress, c->quiet);
	from.lists_front = from.front != NULL;
	if (o->html && !from.front)
		from.front = "";
	from.at_once = (unsigned)o->jobs;
	int code = EXIT_DONE;
	int rc = recommend_options_apply(&from, &shipped, &o->words, c, &p);
	if (rc == 0)
		rc = recommend_open(&r, &from, &p);
	if (rc == 0 && o->emit)
		rc = emit_check(&r, &p);
	if (rc == 0)
		rc = open_all(&w, c, &p);
	if (rc == 0 && o->prints_ini)
		rc = print_ini(&r, &w.result, &p);
	else if (rc == 0)
		rc = answer(&r, c, &w, &code, &p);
	command_files_discard(&w);
	code = r.interrupted ? 128 + r.interrupted : code;
	recommend_free(&r);
	names_free(&from.set);
	free(shipped);
	return rc < 0 && code < 128 ? print_error(&p) : code;
}

const struct command command_recommend = {
    .name = "recommend",
    .args = "[CONFIG]",
    .summary = "which configuration serves best within latency bounds, per arm",
    .max_args = 1,
    .has_short = 1,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
};
