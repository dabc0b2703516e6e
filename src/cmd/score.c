/* score.c -- The command `score`: scores cost models on measured steps. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/output/command_files.h"
#include "cmd/pricing.h"
#include "cmd/step_set.h"
#include "report/score/score.h"
#include "steps/score.h"

struct options {
	struct pricing_options pricing;
	struct names steps, fail_above;
	const char *steps_of, *by, *baseline, *rows, *write_errors, *html,
	    *plot;
	double margin; /* percent; below 0: not given */
	int time;      /* 0, or 1 + enum score_time */
	int flags;     /* 0, or 1 + index of flag_choice[] */
	int64_t jobs;
};
static const struct options defaults = {
    .pricing = PRICING_DEFAULTS, .baseline = "linear", .margin = -1};

static const char *const flag_choice[] = {"sound", "all", NULL};

static const struct option_def option[] = {
    OPTION(LIST, "steps", "FILE", steps,
	   "measured steps: CSV as in doc/score.md; repeatable", .required = 1),
    STEPS_OF_OPTION(struct options, steps_of),
    OPTION(TEXT, "by", "GROUPS", by,
	   "groups of steps: regime, deployment, batch, context, skew, new, "
	   "composition, graph, a column of FILE; parted by commas"),
    OPTION(TEXT, "baseline", "ARM|linear|none", baseline,
	   "the arm that others must beat; linear: five numbers fitted to "
	   "these steps"),
    OPTION(NUMBER, "margin", "PERCENT", margin,
	   "say which pairs differ by at most PERCENT points of mean error",
	   .max = 1000),
    OPTION(CHOICE, "time", "FIGURE", time,
	   "the figure that is scored: exact_us, total_us, exact_us without "
	   "host_us, or energy_j",
	   .choices = score_time_choice),
    OPTION(CHOICE, "flags", "ROWS", flags,
	   "all: include rows with a flag that marks a doubtful time",
	   .choices = flag_choice),
    OPTION(OUTPUT, "rows", "FILE", rows, "write one CSV line per step and arm"),
    OPTION(OUTPUT, "write-errors", "FILE", write_errors,
	   "write one CSV line per step and arm as a file of errors"),
    OPTION(LIST, "fail-above", "FIGURE=PERCENT[:REGIME]", fail_above,
	   "exit code 1 if mean, median, p90, p95, p99, max, bias, log_bias, "
	   "wape or macro_mean of an arm is higher"),
    OPTION(OUTPUT, "html", "FILE", html, "write a page"),
    OPTION(OUTPUT, "plot", "FILE", plot,
	   "draw predicted over measured times as .svg or .png"),
    OPTION(INT, "jobs", "N", jobs,
	   "arms at once; 0: as many as there are cores", .max = 4096),
    PRICING_OPTIONS,
};

/* ---- limits ---- */

struct limit {
	int figure, regime;
	double percent;
};

static int find(const char *const *name, int n, const char *s, size_t length)
{
	for (int i = 0; i < n; i++)
		if (strlen(name[i]) == length && !strncmp(name[i], s, length))
			return i;
	return -1;
}

/* Reads "FIGURE=PERCENT[:REGIME]". */
static int parse_limit(const char *text, struct limit *l, struct problem *p)
{
	size_t n = strcspn(text, "=");
	char *end = NULL;
	l->figure = find(step_figure_name, N_STEP_FIGURES, text, n);
	l->percent = text[n] ? strtod(text + n + 1, &end) : (double)NAN;
	l->regime = REGIME_ALL;
	if (text[n] && *end == ':')
		l->regime =
		    find(step_regime_name, N_REGIMES, end + 1, strlen(end + 1));
	if (l->figure < 0 || l->regime < 0 || !text[n] || end == text + n + 1 ||
	    (*end && *end != ':') || !(l->percent >= 0))
		return problem_set(
		    p, EXIT_USAGE,
		    "--fail-above %s: not "
		    "FIGURE=PERCENT[:REGIME] with 0 or more, "
		    "FIGURE and REGIME as in score --help, as in "
		    "mean=10:decode",
		    text);
	return 0;
}

static int check_limits(const struct options *o, struct problem *p)
{
	struct limit l;
	for (size_t i = 0; i < o->fail_above.n; i++)
		if (parse_limit(o->fail_above.item[i], &l, p) < 0)
			return -1;
	return 0;
}

/* Says which arms are above a limit, and returns how many. */
static int count_failures(const struct options *o, const struct score *s)
{
	int n = 0;
	for (size_t i = 0; i < o->fail_above.n; i++) {
		struct limit l;
		if (parse_limit(o->fail_above.item[i], &l, NULL) < 0)
			continue;
		for (size_t k = 0; k < s->n - (size_t)s->has_own_baseline;
		     k++) {
			double v =
			    fabs(s->arm[k].regime[l.regime].of[l.figure]);
			if (100 * v <= l.percent)
				continue;
			say("%s: %s of %s steps is %.2f %%, above %g %%",
			    s->arm[k].name, step_figure_name[l.figure],
			    step_regime_name[l.regime], 100 * v, l.percent);
			n++;
		}
	}
	return n;
}

/* ---- files ---- */

enum { ROWS, ERRORS }; /* the lists */

static int open_all(struct command_files *w, const struct cmdline *c,
		    struct problem *p)
{
	const struct options *o = c->own;
	const struct command_paths to = {
	    .page = o->html,
	    .plot = o->plot,
	    .list = {[ROWS] = o->rows, [ERRORS] = o->write_errors}};
	return command_files_open(w, c, &to, p);
}

static int write_all(struct command_files *w, const struct cmdline *c,
		     const struct score *s, const struct step_arms *arms,
		     struct problem *p)
{
	if (c->format == FORMAT_JSON)
		score_json(s, w->result.f);
	else if (c->format == FORMAT_CSV)
		score_csv(s, w->result.f);
	if (w->list[ROWS].f)
		score_rows(s, w->list[ROWS].f);
	if (w->list[ERRORS].f)
		score_errors(s, arms, w->list[ERRORS].f);
	if (command_files_want_document(w, c))
		score_document(s, &w->document);
	if (w->plot.to.f && score_plot(s, &w->plot, p) < 0)
		return -1;
	return command_files_commit(w, c, p);
}

/* ---- the command ---- */

struct work {
	struct step_set set;
	struct step_arms arms;
	struct score score;
	struct command_files w;
};

/* Reads the steps, prices them with all arms, and scores the prices. */
static int compute(struct work *x, const struct cmdline *c, struct problem *p)
{
	const struct options *o = c->own;
	const struct step_set_options rows = {.steps_of = o->steps_of,
					      .all_flags = o->flags == 2,
					      .needs_time = 1};
	const struct score_options how = {
	    .time = o->time ? (enum score_time)(o->time - 1) : SCORE_EXACT,
	    .baseline = o->baseline,
	    .margin = o->margin < 0 ? (double)NAN : o->margin / 100,
	    .by = o->by,
	    .strict = strict_of(o->pricing.strict)};
	struct jobs_options jobs = pricing_jobs(&o->pricing, 0);
	jobs.at_once = (unsigned)o->jobs;
	struct ini aliases = {0};
	const char *extra = NULL;
	int rc = open_step_set(&x->set, &aliases, c, o->steps.item, o->steps.n,
			       &rows, p);
	if (rc == 0) {
		extra = score_extra_arm(&x->set, &how);
		rc = open_step_arms(&x->arms, &x->set, &aliases, c, extra, NULL,
				    p);
	}
	ini_free(&aliases);
	if (rc < 0 || open_all(&x->w, c, p) < 0 ||
	    score_price(&x->score, &x->arms, extra != NULL, &how, &jobs, p) < 0)
		return -1;
	pass_on_notes(c, &x->arms.jobs, 0);
	for (size_t i = 0; i < x->arms.jobs.n; i++)
		pass_on_captured_stderr(&x->arms.job[i]);
	return score_compute(&x->score, &how, p);
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	struct work x = {0};
	struct problem p;
	int rc = check_limits(o, &p);
	if (rc == 0)
		rc = compute(&x, c, &p);
	int signal = x.arms.jobs.interrupted;
	if (rc == 0 && !signal)
		rc = write_all(&x.w, c, &x.score, &x.arms, &p);
	int code = rc < 0                        ? print_error(&p)
		   : x.score.plugin_failed       ? EXIT_PLUGIN
		   : count_failures(o, &x.score) ? EXIT_SAYS_NO
						 : EXIT_DONE;
	command_files_discard(&x.w);
	score_free(&x.score);
	step_arms_free(&x.arms);
	step_set_free(&x.set);
	if (signal)
		raise(signal);
	return code;
}

const struct command command_score = {
    .name = "score",
    .args = "CONFIG --steps FILE",
    .summary = "score cost models on measured steps",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
