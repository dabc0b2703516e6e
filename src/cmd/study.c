/* study.c -- Runs a study: options, order of the steps, exit code. */
#include "cmd/study.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "arm/provenance.h"
#include "base/text.h"
#include "base/names.h"
#include "cmd/cmd.h"
#include "cost/strict.h"
#include "report/progress.h"
#include "report/results/other_tools.h"
#include "study/fail_if.h"

#define STUDY_OPTION(...) OPTION_OF(struct study_options, __VA_ARGS__)
const struct option_def study_option[N_STUDY_OPTIONS] = {
    STUDY_OPTION(OUTPUT, "write-requests", "FILE", write_requests,
		 "one CSV line per request and arm"),
    STUDY_OPTION(OUTPUT, "write-steps", "FILE", write_steps,
		 "one CSV line per step and arm, with its breakdown"),
    STUDY_OPTION(OUTPUT, "write-transfers", "FILE", write_transfers,
		 "one CSV line per copy of KV between a GPU and its host"),
    STUDY_OPTION(OUTPUT, "write-scaling", "FILE", write_scaling,
		 "one CSV line per decision of [autoscaler]"),
    STUDY_OPTION(OUTPUT, "write-replicas", "FILE", write_replicas,
		 "one CSV line per replica that came, went or died"),
    STUDY_OPTION(
	OUTPUT, "write-sessions", "FILE", write_sessions,
	"one CSV line per session: how long it lasted, and its critical path"),
    STUDY_OPTION(OUTPUT, "perfetto", "FILE", perfetto,
		 "write the timeline as Chrome trace events"),
    STUDY_OPTION(OUTPUT, "html", "FILE", html,
		 "one self-contained page: tables, figures, all numbers"),
    STUDY_OPTION(
	OUTPUT, "plot", "FIGURE=FILE", plot,
	"write a figure of that page as .svg or .png: ttft (if only FILE is "
	"given), tpot, e2el, step-batch, step-context, batch, kv, replicas, "
	"replica-queue, replica-kv, replica-hits; or why-ttft, why-tpot, "
	"why-e2el, which say why two arms differ; .png needs rsvg-convert"),
    STUDY_OPTION(CHOICE, "strict", "[=CLASS]", strict, STRICT_HELP,
		 .choices = strict_choice),
    STUDY_OPTION(
	FLAG, "provenance", NULL, provenance,
	"add paths, hashes of plugins, host and time of day to the results"),
    STUDY_OPTION(INT, "jobs", "N", jobs,
		 "arms that run at once; 0: one for each core", .max = 4096),
    JOB_LIMITS(struct study_options, , "an arm fails", "an arm"),
    STUDY_OPTION(FLAG, "in-process", NULL, in_process,
		 "no child processes, for debuggers; a crash ends the program"),
    STUDY_OPTION(TEXT, "watch", "[=N]", watch,
		 "run again whenever the INI or a plugin changes (N times), "
		 "and print how the metrics changed"),
    STUDY_OPTION(
	TEXT, "make", "COMMAND", make,
	"with --watch: build the plugins with this command first, and again "
	"whenever a source file changes, here or beside the INI or a plugin"),
    STUDY_OPTION(TEXT, "warm-up", "N|SECONDSs|mser", warm_up,
		 "simulate the first N requests, or those of the first seconds "
		 "(60s), or those before TTFT is steady (mser), and leave them "
		 "out of the figures"),
    STUDY_OPTION(
	TEXT, "seeds", "N|LOW..HIGH", seeds,
	"run under N seeds, and print confidence intervals for the "
	"differences, or of one arm for its means; LOW..HIGH needs --until"),
    STUDY_OPTION(TEXT, "until", "METRIC=PERCENT%", until,
		 "with --seeds LOW..HIGH: add seeds until half of the 95 % "
		 "interval is within this share of the (first arm's) mean at "
		 "two numbers of seeds in a row"),
    STUDY_OPTION(FLAG, "all-pairs", NULL, all_pairs,
		 "with --seeds: differences of all pairs of arms, not only to "
		 "the first"),
    STUDY_OPTION(FLAG, "unpaired", NULL, unpaired,
		 "with --seeds: other seeds for every arm, so that differences "
		 "are between independent samples"),
    STUDY_OPTION(FLAG, "why", NULL, why,
		 "say why arms differ; takes several times as long as the run; "
		 "--html implies it"),
    STUDY_OPTION(TEXT, "ablate", "ARM.KNOB=A,B,...", ablate,
		 "run this arm, and one more for each value of the knob"),
    STUDY_OPTION(
	LIST, "factorial", "ARM.KNOB=A,B", factorial,
	"run an arm under every combination of two values of 2 to 8 knobs, and "
	"print the effects of the knobs and of their interactions; repeatable"),
    STUDY_OPTION(INT, "order", "N", order,
		 "with --factorial: interactions of up to N knobs", .min = 1,
		 .max = 8),
    STUDY_OPTION(TEXT, "leave-one-out", "ARM=FROM,TO", leave_one_out,
		 "run an arm under preset TO, set one knob after another back "
		 "to its value in FROM, and rank them"),
    STUDY_OPTION(TEXT, "swap", "A,B", swap,
		 "run arm A once more for each part of a step's time (decode "
		 "attention ...), with this part priced by B, and print how "
		 "latencies and capacity change; implies --why"),
    STUDY_OPTION(
	LIST, "fail-if", "METRIC>LIMIT", fail_if,
	"exit with 1 if an arm's figure is above (>) or below (<) the limit: "
	"500, or +0.5 or +2% compared with the first arm; repeatable"),
};

/* ---- standard error ---- */

static int said_before(const struct study *s, size_t i)
{
	const struct problem *mine = s->job[i].problem;
	for (size_t k = 0; k < i; k++)
		if (!strcmp(s->job[k].problem->text, mine->text))
			return 1;
	return 0;
}

/* An error that all arms share is printed once, without the name of an arm. */
static void print_study_errors(const struct study *s)
{
	size_t same = 0;
	for (size_t i = 0; i < s->n; i++)
		same +=
		    !strcmp(s->job[i].problem->text, s->job[0].problem->text);
	for (size_t i = 0; i < s->n; i++) {
		const struct job *j = &s->job[i];
		pass_on_captured_stderr(j);
		if (!j->complaint)
			continue;
		if (j->problem->code == EXIT_PLUGIN || same < s->n)
			say("%s", j->complaint);
		else if (!said_before(s, i))
			print_error(j->problem);
	}
}

/* The notes of the study's own runs are already printed. */
static void say_rejections(const struct seeds *s, const struct cmdline *line)
{
	for (size_t i = 0; s->n_seeds && i < s->study->n; i++) {
		struct rejections r = seeds_rejections(s, i);
		char text[REJECTIONS_LINE];
		for (int why = 0; why < N_REJECTIONS; why++)
			if (rejections_line(&r, (enum rejection)why, text,
					    sizeof text))
				print_note(line, "arm %s, other seeds: %s",
					   s->study->job[i].name, text);
	}
}

/* ---- a round ---- */

/* Returns a line of JSON; the caller frees it.  NULL: not wanted. */
static char *host_facts(const struct study_options *o, const struct config *c)
{
	struct text t = {0};
	FILE *m = o->provenance ? text_begin(&t) : NULL;
	if (!m)
		return NULL;
	provenance_host(m, c->cfg.path);
	return text_end(&t);
}

/* Computes why arms differ and the effect of each part by itself; swap: the
 * indices of both arms, or NULL. */
static int explain_all(const struct cmdline *line, const size_t *swap,
		       struct findings *w, struct problem *p)
{
	int some = 0; /* arms with latencies */
	for (size_t i = 0; i < w->study.n; i++)
		some |= arm_has_latencies(&w->study.arm[i]);
	for (size_t i = 0; i < w->study.n; i++) {
		const struct arm_result *a = &w->study.arm[i];
		if (!a->error && a->record->log_cut)
			print_note(
			    line,
			    "arm %s: too many steps to keep in memory; there "
			    "is no attribution (--why)",
			    a->name);
		else if (some && !a->error && !arm_has_latencies(a))
			print_note(line,
				   "arm %s: no request completed; there is no "
				   "attribution (--why)",
				   a->name);
	}
	if (w->study.n < 2)
		return 0;
	int rc = explain_run(&w->explain, &w->study, swap, p);
	return rc == 0 && swap ? swap_run(&w->swap, &w->study, swap, p) : rc;
}

/* why: some output needs the reasons why arms differ. */
static int run_all(const struct cmdline *line, const struct study_options *o,
		   const struct config *c, size_t n, int why,
		   struct findings *w, struct problem *p)
{
	struct progress_meter progress;
	size_t swap[2];
	if (o->swap && swap_parse(c, n, o->swap, swap, p) < 0)
		return -1;
	struct seeds_plan seeds = {.unpaired = o->unpaired,
				   .all_pairs = o->all_pairs};
	if (seeds_plan(&seeds, o->seeds, o->until, p) < 0)
		return -1;
	progress_begin(&progress, line->quiet);
	int rc = study_run(&w->study, line->command->name, c, n, o,
			   progress_show, &progress, p);
	if (rc == 0 && seeds.low > 1)
		rc = seeds_run(&w->seeds, &w->study, &seeds, p);
	if (rc == 0 && seeds.low > 1 && !seeds_vary(&w->seeds))
		rc = seeds_refuse_equal(c, seeds.low, p);
	progress_end(&progress);
	if (rc == 0 && w->variants.n_factors &&
	    effects_compute(&w->effects, &w->study, &w->seeds,
			    w->variants.n_factors, (unsigned)o->order) < 0)
		rc = problem_no_memory(p);
	if (rc == 0 && why)
		rc = explain_all(line, o->swap ? swap : NULL, w, p);
	return rc;
}

int study_round_run(struct study_round *r, study_document_fn document,
		    void *user, struct problem *p)
{
	const struct cmdline *line = r->line;
	const struct study_options *o = line->own;
	struct findings *w = &r->found;
	struct study_output out = {0};
	char *host = host_facts(o, &r->config);
	int rc = study_output_open(&out, line, p);
	int why = o->why || o->html || o->swap || page_plot_is_why(&out.plot);
	if (rc == 0)
		rc = run_all(line, &r->options, &r->config, r->n_arms, why, w,
			     p);
	w->study.results.provenance = host;
	if (rc == 0) {
		pass_on_notes(line, &w->study.arms, STREAM_SAID);
		print_study_errors(&w->study);
		say_rejections(&w->seeds, line);
		for (size_t i = 0; i < w->seeds.n_batches; i++)
			print_job_errors(&w->seeds.arms[i]);
		print_job_errors(&w->explain.arms);
		print_job_errors(&w->explain.split.arms);
		print_job_errors(&w->swap.arms);
	}
	if (rc == 0 && study_has_results(&w->study))
		rc = study_output_write(&out, line, w, document, user, p);
	study_output_discard(&out);
	w->study.results.provenance = NULL;
	free(host);
	return rc;
}

static int make_variants(struct variants *v, const struct cmdline *line,
			 struct problem *p)
{
	const struct study_options *o = line->own;
	struct ini c = {0};
	if (!!o->ablate + !!o->leave_one_out + !!o->factorial.n > 1)
		return problem_set(p, EXIT_USAGE,
				   "--ablate, --leave-one-out or --factorial: "
				   "one of them");
	int rc = config_read(&c, line->arg[0], line->set.item, line->set.n, p);
	if (rc == 0 && o->ablate)
		rc = variants_ablate(v, &c, o->ablate, p);
	else if (rc == 0 && o->factorial.n)
		rc = variants_factorial(v, &c, o->factorial.item,
					o->factorial.n, p);
	else if (rc == 0)
		rc = variants_leave_one_out(v, &c, o->leave_one_out, p);
	ini_free(&c);
	return rc;
}

/* Opens the configuration with the arms that the options add. */
static int open_variants(struct config *c, struct variants *v,
			 const struct cmdline *line, struct problem *p)
{
	struct cmdline with = *line;
	*c = (struct config){0};
	if (make_variants(v, line, p) < 0)
		return -1;
	with.set.n = line->set.n + v->n_set;
	with.set.item = calloc(with.set.n + 1, sizeof *with.set.item);
	if (!with.set.item)
		return problem_no_memory(p);
	for (size_t i = 0; i < line->set.n; i++)
		with.set.item[i] = line->set.item[i];
	for (size_t i = 0; i < v->n_set; i++)
		with.set.item[line->set.n + i] = v->set[i];
	with.arms = v->arms;
	int rc = open_config(c, &with, p);
	if (rc == 0)
		rc = variants_mark_inert(v, c, p);
	free(with.set.item);
	return rc;
}

int study_round_open(struct study_round *r, const struct cmdline *line,
		     size_t max_arms, struct problem *p)
{
	const struct study_options *o = line->own;
	*r = (struct study_round){.line = line, .options = *o};
	r->options.keep_requests = is_format_of_other_tools(line->format);
	int rc = o->ablate || o->leave_one_out || o->factorial.n
		     ? open_variants(&r->config, &r->found.variants, line, p)
		     : open_config(&r->config, line, p);
	r->n_arms = max_arms && max_arms < r->config.n_arms ? max_arms
							    : r->config.n_arms;
	return rc;
}

void study_round_free(struct study_round *r)
{
	findings_free(&r->found);
	config_free(&r->config);
}

void end_by_signal(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

/* Checks the bounds of --fail-if before anything runs. */
static int check_bounds(const struct study_options *o, size_t n_arms,
			struct problem *p)
{
	struct fail_if f;
	for (size_t i = 0; i < o->fail_if.n; i++) {
		if (fail_if_parse(&f, o->fail_if.item[i], p) < 0)
			return -1;
		if (f.against != FAIL_IF_VALUE && n_arms < 2)
			return problem_set(
			    p, EXIT_USAGE,
			    "--fail-if %s: there is one arm, and "
			    "no other to compare it with",
			    f.text);
	}
	return 0;
}

/* Prints a line for each bound that an arm breaks.  Returns EXIT_SAYS_NO if
 * there is one, otherwise EXIT_DONE. */
static int judge_bounds(const struct study_options *o, const struct results *r)
{
	struct problem p;
	struct fail_if f;
	char line[FAIL_IF_LINE];
	int code = EXIT_DONE;
	for (size_t i = 0; i < o->fail_if.n; i++) {
		if (fail_if_parse(&f, o->fail_if.item[i], &p) < 0)
			return print_error(&p);
		for (size_t arm = 0; arm < r->n; arm++)
			if (fail_if_broken(&f, r, arm, line)) {
				say("%s", line);
				code = EXIT_SAYS_NO;
			}
	}
	return code;
}

int cmd_study(const struct cmdline *line, size_t max_arms)
{
	const struct study_options *o = line->own;
	struct problem p = {0};
	struct study_round r;
	int rc = study_round_open(&r, line, max_arms, &p);
	if (rc == 0)
		rc = check_bounds(o, r.n_arms, &p);
	if (rc == 0)
		rc = study_round_run(&r, study_document, NULL, &p);
	int code = rc == 0 ? findings_code(&r.found) : p.code;
	if (rc == 0 && code == EXIT_DONE)
		code = judge_bounds(o, &r.found.study.results);
	int interrupted = findings_interrupted(&r.found);
	study_round_free(&r);
	if (interrupted)
		end_by_signal(interrupted);
	return rc == 0 ? code : print_error(&p);
}
