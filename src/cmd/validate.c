/* validate.c -- Scores predictions against measured serving runs. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "cmd/cmd.h"
#include "cmd/output/command_files.h"
#include "cmd/thresholds.h"
#include "cmd/validate_page.h"
#include "keys/datafile.h"
#include "record/recorder.h"
#include "report/progress.h"
#include "report/validation/explain.h"
#include "report/validation/validation.h"
#include "validate/measured/aliases.h"
#include "validate/measured/facts.h"
#include "validate/measured/lengths.h"
#include "validate/measured/measured_read.h"
#include "validate/measured/protocol_name.h"
#include "validate/measured/rules.h"
#include "validate/measured/served.h"
#include "validate/score/scores.h"

struct options {
	struct names measured;
	const char *since, *aliases, *rows, *write_requests, *html, *plot;
	struct names fail_above;
	const char *lengths, *facts, *write_errors, *explain;
	int leave_out; /* 0, or 1 + enum fold_by */
	int flags;     /* 0, or 1 + index of flag_choice[] */
	int64_t jobs;
	int in_process;
};

static const char *const flag_choice[] = {"sound", "all", NULL};

static const struct option_def option[] = {
    OPTION(
	LIST, "measured", "FILE", measured,
	"measured runs: CSV, or JSON of vllm bench serve or inference-perf; "
	"repeatable; or the page /metrics of a vLLM, as a file or an address"),
    OPTION(TEXT, "since", "METRICS", since,
	   "with a page /metrics: an earlier page of the same server; only "
	   "requests served after it count"),
    OPTION(TEXT, "aliases", "FILE", aliases,
	   "names of columns, models and GPUs in the file; added to "
	   "etc/measured.ini"),
    OPTION(CHOICE, "flags", "ROWS", flags,
	   "all: include rows with a flag that marks a doubtful run",
	   .choices = flag_choice),
    OPTION(TEXT, "lengths", "FILE", lengths,
	   "CSV workload,input_tokens,output_tokens: lengths for rows without "
	   "lengths"),
    OPTION(TEXT, "facts", "FILE", facts,
	   "CSV with a column id: its cells take the place of cells of the "
	   "measured row; how prefill and decode apart were launched"),
    OPTION(OUTPUT, "rows", "FILE", rows, "one CSV line per row and arm"),
    OPTION(OUTPUT, "write-requests", "FILE", write_requests,
	   "one CSV line per simulated request and arm"),
    OPTION(OUTPUT, "write-errors", "FILE", write_errors,
	   "write one CSV line per measured figure: the file of errors that "
	   "gives support and intervals"),
    OPTION(CHOICE, "leave-out", "KIND", leave_out,
	   "the folds of these errors; rules of --aliases give the rows of a "
	   "fold coefficients that were not fitted to it",
	   .choices = fold_by_name),
    OPTION(TEXT, "explain", "ROW", explain,
	   "simulate nothing; print how the row of that id was launched, the "
	   "rules that hold for it and its settings"),
    OPTION(OUTPUT, "html", "FILE", html,
	   "write a page with predicted over measured times"),
    OPTION(OUTPUT, "plot", "FILE", plot,
	   "draw predicted over measured E2E latency as .svg or .png; .png "
	   "needs rsvg-convert"),
    OPTION(LIST, "fail-above", "METRIC=PERCENT", fail_above,
	   "exit code 1 if an arm's mean error of e2e, ttft or tpot is higher"),
    OPTION(INT, "jobs", "N", jobs,
	   "simulations at once; 0: as many as there are cores", .max = 4096),
    OPTION(FLAG, "in-process", NULL, in_process,
	   "no child processes: for debuggers"),
};

/* ---- thresholds ---- */

/* Returns how many arms are above a threshold, and prints each. */
static int failures(const struct cmdline *c, const struct validation *v)
{
	const struct options *o = c->own;
	int n = 0;
	for (size_t i = 0; i < o->fail_above.n; i++) {
		struct threshold t;
		if (threshold_parse(o->fail_above.item[i], &t, NULL) < 0)
			continue;
		for (size_t k = 0; k < v->n_arms; k++) {
			struct error_summary e =
			    validation_summary(v, k, t.metric, ROWS_OWN);
			n += threshold_exceeded(&t, v->arm[k],
						e.n ? e.mean : (double)NAN);
		}
	}
	return n;
}

/* ---- what arms say ---- */

/* Passes on the same messages of an arm only once for many runs. */
static void pass_on_once(void *user, const struct job *j)
{
	struct names *said = user;
	char *words = NULL;
	size_t before = said->n;
	if (!j->captured_stderr ||
	    asprintf(&words, "%s %s", j->name, j->captured_stderr) < 0)
		return;
	if (names_add_new(said, words) == 0 && said->n > before)
		pass_on_captured_stderr(j);
	free(words);
}

/* ---- files ---- */

static enum fold_by fold_by(const struct cmdline *c)
{
	const struct options *o = c->own;
	return o->leave_out ? (enum fold_by)(o->leave_out - 1) : FOLD_BY_MODEL;
}

static void write_data(const struct cmdline *c, const struct validation *v,
		       FILE *f)
{
	if (c->format == FORMAT_CSV) {
		validation_csv(v, f);
	} else if (c->format == FORMAT_JSON) {
		struct jw j = jw_document(f);
		jw_text(&j, "schema", "stepcost validation 1");
		jw_text(&j, "stepcost", PACKAGE_VERSION);
		validation_json(v, &j);
		jw_finish(&j);
	}
}

enum { ROWS, REQUESTS, ERRORS }; /* the lists */

static int open_all(struct command_files *w, const struct cmdline *c,
		    struct problem *p)
{
	const struct options *o = c->own;
	const struct command_paths to = {
	    .page = o->html,
	    .plot = o->plot,
	    .list = {[ROWS] = o->rows,
		     [REQUESTS] = o->write_requests,
		     [ERRORS] = o->write_errors}};
	return command_files_open(w, c, &to, p);
}

static int write_errors(const struct cmdline *c, const struct validation *v,
			FILE *f, struct problem *p)
{
	int rc = 0;
	scored_write_head(f);
	for (size_t k = 0; rc == 0 && k < v->n_arms; k++) {
		struct scored scored;
		rc = validation_scores(v, k, fold_by(c), &scored, p);
		if (rc == 0)
			validation_write_scores(v, k, &scored, f);
		scored_free(&scored);
	}
	return rc;
}

static int write_all(struct command_files *w, const struct cmdline *c,
		     const struct validation *v, struct problem *p)
{
	FILE *rows = w->list[ROWS].f, *errors = w->list[ERRORS].f;
	if (w->plot.to.f && validation_plot(v, fold_by(c), &w->plot, p) < 0)
		return -1;
	if (errors && write_errors(c, v, errors, p) < 0)
		return -1;
	write_data(c, v, w->result.f);
	if (rows)
		validation_csv(v, rows);
	if (command_files_want_document(w, c))
		validation_document(v, fold_by(c), &w->document);
	return command_files_commit(w, c, p);
}

/* ---- the command ---- */

/* Returns the model of etc/models that the run names, or NULL. */
static const char *model_of_run(const struct row_replay *t)
{
	const char *key = "model.config=";
	for (size_t i = 0; i < t->n_settings; i++)
		if (!strncmp(t->setting[i], key, strlen(key)))
			return t->setting[i] + strlen(key);
	return NULL;
}

/* own: CONFIG as it is.  Says which model is simulated if CONFIG names one and
 * the run another. */
static void compare_models(const struct ini *own, const struct row_replay *t)
{
	struct model model = {0};
	struct problem unused;
	const struct ini_item *item = ini_find(own, "model", "config");
	const char *of_run = model_of_run(t);
	const struct measured_row *row = &t->file->row[t->row[0]];
	if (item && of_run && !strchr(of_run, '/') &&
	    model_load(&model, own, &unused) == 0 &&
	    strcmp(model.name, of_run) != 0)
		say(ini_by_option(item)
			? "%s model.config=%s is simulated, not the model of "
			  "the run, %s"
			: "%s: config = %s is not used: the run is of %s; "
			  "--set model.config=NAME is",
		    item->at, item->value, served_id(row, SERVED_MODEL));
	model_free(&model);
}

/* Compares the model of the configuration with that of the run.  With several
 * runs there is nothing to compare: each has a model of its own. */
static void say_model(const struct cmdline *c, const struct validation *v)
{
	struct ini own = {0};
	struct problem unused;
	if (v->row_replays.n == 1 && !v->refused[0] &&
	    config_read(&own, c->arg[0], c->set.item, c->set.n, &unused) == 0)
		compare_models(&own, v->row_replays.row_replay);
	ini_free(&own);
}

static int simulate_file(const struct cmdline *c, const struct measured *m,
			 const struct ini *aliases, struct validation *v,
			 FILE *requests, struct problem *p)
{
	const struct options *o = c->own;
	struct names said = {0};
	struct progress_meter bar;
	struct validate_options how = {.set = c->set.item,
				       .n_set = c->set.n,
				       .arms = c->arms,
				       .jobs = (unsigned)o->jobs,
				       .in_process = o->in_process,
				       .all_flags = o->flags == 2,
				       .requests = requests,
				       .done = pass_on_once,
				       .done_user = &said,
				       .progress = progress_show,
				       .progress_user = &bar};
	if (validation_open(v, c->arg[0], m, aliases, &how, p) < 0)
		return -1;
	say_model(c, v);
	if (requests) {
		fputs("id,", requests);
		recorder_requests_head(requests);
	}
	progress_begin(&bar, c->quiet);
	int rc = validation_run(v, &how, p);
	progress_end(&bar);
	names_free(&said);
	return rc;
}

static int validate_file(const struct cmdline *c, const struct measured *m,
			 const struct ini *aliases)
{
	struct validation v = {0};
	struct command_files w = {0};
	struct problem p;
	int rc = open_all(&w, c, &p);
	if (rc == 0)
		rc = simulate_file(c, m, aliases, &v, w.list[REQUESTS].f, &p);
	int signal = v.interrupted;
	if (rc == 0 && !signal)
		rc = write_all(&w, c, &v, &p);
	int code = rc < 0            ? print_error(&p)
		   : v.plugin_failed ? EXIT_PLUGIN
		   : failures(c, &v) ? EXIT_SAYS_NO
				     : EXIT_DONE;
	command_files_discard(&w);
	validation_free(&v);
	if (signal)
		raise(signal);
	return code;
}

static int no_such_row(const char *id, const struct measured *m,
		       struct problem *p)
{
	struct names all = {0};
	char list[300], hint[100];
	for (size_t i = 0; i < m->n; i++)
		if (m->row[i].id)
			names_add(&all, m->row[i].id);
	problem_set(p, EXIT_USAGE,
		    "--explain %s: no measured row has that id%s; ids are: %s",
		    id, nearest_of(id, &all, hint),
		    names_join(&all, list, sizeof list));
	names_free(&all);
	return -1;
}

static int explain_row(const struct cmdline *c, const struct measured *m,
		       const struct ini *aliases)
{
	const struct options *o = c->own;
	struct row_replays t = {0};
	struct outfile out = {0};
	struct problem p;
	int rc = row_replays_plan(&t, m, aliases, o->flags == 2, &p);
	if (rc == 0)
		rc = open_output(&out, c, &p);
	if (rc == 0 && !explain_rows(&t, m, aliases, o->explain, out.f))
		rc = no_such_row(o->explain, m, &p);
	rc = outfile_end(&out, rc, &p);
	row_replays_free(&t);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

static int give_lengths(struct measured *m, const char *path, struct problem *p)
{
	struct length_samples l = {0};
	int rc = lengths_read(&l, path, p);
	if (rc == 0 && lengths_fill(&l, m) < 0)
		rc = problem_no_memory(p);
	lengths_free(&l);
	return rc;
}

static int lay_facts(struct measured *m, const char *path,
		     const struct ini *aliases, struct problem *p)
{
	size_t laid = 0;
	int rc = facts_read(m, path, aliases, &laid, p);
	if (rc == 0 && !laid)
		rc = problem_set(p, EXIT_USAGE,
				 "--facts %s: no measured row has one of its "
				 "ids",
				 path);
	return rc;
}

/* Returns how many of the files are pages of metrics. */
static size_t pages(const struct options *o)
{
	size_t n = 0;
	for (size_t i = 0; i < o->measured.n; i++)
		n += (size_t)is_page(o->measured.item[i]);
	return n;
}

/* A page has one run, and neither its requests nor its steps. */
static int check_page(const struct options *o, struct problem *p)
{
	if (o->measured.n > 1)
		return problem_set(
		    p, EXIT_USAGE,
		    "--measured: give one page of metrics, and "
		    "nothing else; --since takes an earlier one");
	if (o->lengths || o->facts || o->rows || o->write_requests ||
	    o->write_errors || o->leave_out || o->flags)
		return problem_set(p, EXIT_USAGE,
				   "--measured %s: with a page of metrics only "
				   "--since, --fail-above, --html, --plot, "
				   "--jobs and the options of all commands "
				   "have a meaning",
				   o->measured.item[0]);
	return 0;
}

static int run_page(const struct cmdline *c, const struct options *o)
{
	struct problem p;
	const struct page_options how = {.page = o->measured.item[0],
					 .since = o->since,
					 .html = o->html,
					 .plot = o->plot,
					 .fail_above = &o->fail_above,
					 .jobs = o->jobs,
					 .in_process = o->in_process};
	return check_page(o, &p) < 0 ? print_error(&p) : validate_page(c, &how);
}

/* Names the parts of the files that are not compared. */
static int read_runs(struct measured *m, const char *given,
		     const struct ini *aliases, struct problem *p)
{
	char *path = datafile_shipped(given);
	int rc =
	    path ? measured_read(m, path, aliases, p) : problem_no_memory(p);
	free(path);
	return rc;
}

static void say_left_out(struct measured *m)
{
	size_t n = measured_keep_means(m);
	if (n)
		say("percentiles of %zu result%s without lengths and arrivals "
		    "of requests (input_lens, output_lens and start_times) are "
		    "not compared, because all requests would be of mean "
		    "length; --save-detailed of `vllm bench serve` "
		    "writes them, --lengths FILE gives lengths",
		    n, n == 1 ? "" : "s");
	for (size_t i = 0; i < m->n; i++)
		if (m->row[i].load_is_unknown && !m->row[i].n_requests)
			say("%s:%" PRIu64 ": it says neither the rate nor the "
			    "number of clients: all requests are sent at once; "
			    "a CSV of measured runs has columns request_rate "
			    "and concurrency",
			    m->row[i].file, m->row[i].line);
	for (size_t i = 0; i < m->n; i++)
		if (m->row[i].n_failed)
			say("%s:%" PRIu64 ": %" PRIu64 " failed request%s left "
			    "out",
			    m->row[i].file, m->row[i].line, m->row[i].n_failed,
			    m->row[i].n_failed == 1 ? "" : "s");
}

/* Notes how many rows of a file could have the settings of a known launch, but
 * lack the column that tells (validate/measured/launch.h). */
static void say_without_launch(const struct cmdline *c,
			       const struct measured *m, const char *path,
			       const struct ini *aliases)
{
	const struct measured_row *first = NULL;
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct measured_row *r = &m->row[i];
		if (r->file != path || !r->launch_lacks)
			continue;
		first = first ? first : r;
		n++;
	}
	const char *protocol = first ? protocol_name(first, aliases) : NULL;
	if (first)
		print_note(c,
			   "%s: %zu row%s of the kind of a known launch, but "
			   "the column %s is empty (line %" PRIu64
			   "), so none is taken: protocol %s",
			   path, n, n == 1 ? " is" : "s are",
			   first->launch_lacks, first->line,
			   protocol ? protocol : "unknown");
}

/* Names engines that no rule is of: CONFIG's [engine] schedules their rows. */
static void say_unruled(const struct cmdline *c, const struct measured *m,
			const struct ini *aliases)
{
	struct names said = {0};
	for (size_t i = 0; i < m->n; i++) {
		const struct measured_row *r = &m->row[i];
		size_t before = said.n;
		if (!r->engine || rules_get(aliases, r, "arm.engine") ||
		    names_add_new(&said, r->engine) < 0 || said.n == before)
			continue;
		print_note(c,
			   "%s:%" PRIu64 ": no rule is of engine %s: [engine] "
			   "of %s schedules its rows",
			   r->file, r->line, r->engine, c->arg[0]);
	}
	names_free(&said);
}

static void say_assumptions(const struct cmdline *c, const struct measured *m,
			    const struct ini *aliases)
{
	for (size_t i = 0; i < m->n_paths; i++)
		say_without_launch(c, m, m->path[i], aliases);
	say_unruled(c, m, aliases);
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	struct measured m = {0};
	struct ini aliases = {0};
	struct threshold t;
	struct problem p;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < o->fail_above.n; i++)
		rc = threshold_parse(o->fail_above.item[i], &t, &p);
	if (rc == 0 && !o->measured.n)
		rc = problem_set(&p, EXIT_USAGE,
				 "validate needs --measured FILE");
	if (rc == 0 && pages(o))
		return run_page(c, o);
	if (rc == 0 && o->since)
		rc = problem_set(&p, EXIT_USAGE,
				 "--since: only a page of metrics has an "
				 "earlier one");
	if (rc == 0)
		rc = aliases_read(&aliases, o->aliases, &p);
	for (size_t i = 0; rc == 0 && i < o->measured.n; i++)
		rc = read_runs(&m, o->measured.item[i], &aliases, &p);
	if (rc == 0 && o->lengths)
		rc = give_lengths(&m, o->lengths, &p);
	if (rc == 0 && o->facts)
		rc = lay_facts(&m, o->facts, &aliases, &p);
	if (rc == 0) {
		say_left_out(&m);
		say_assumptions(c, &m, &aliases);
	}
	int code = rc < 0       ? print_error(&p)
		   : o->explain ? explain_row(c, &m, &aliases)
				: validate_file(c, &m, &aliases);
	measured_free(&m);
	ini_free(&aliases);
	return code;
}

const struct command command_validate = {
    .name = "validate",
    .args = "CONFIG --measured FILE",
    .summary = "print prediction errors against measured serving runs",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    .has_short = 1,
    OWN_OPTIONS(option, struct options),
    .run = run,
};
