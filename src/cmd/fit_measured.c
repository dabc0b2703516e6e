/* fit_measured.c -- Fits knobs to measured runs. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/outfile.h"
#include "base/number.h"
#include "cmd/cmd.h"
#include "cmd/fit.h"
#include "plugin/ask.h"
#include "plugin/schema.h"
#include "report/score/fit.h"
#include "validate/fit/calibrate.h"
#include "validate/measured/aliases.h"
#include "validate/measured/measured_read.h"

/* By `--folds`: a run, or a stage of it, is left out. */
static const char *const fold[] = {"run", "stage"};

struct session {
	const struct cmdline *line;
	struct ini aliases;
	struct measured measured;
	struct validation v;
	struct plugin_description about;
	void *start;
	const char *name[64];
	struct calibrate_range range[64]; /* as --knobs has it */
	size_t n;
	char *names; /* name[] points into it */
	int by_stage;
};

/* Reads "=START" and ":LOW..HIGH" behind a name, and ends the name there. */
static int split_knob(char *text, struct calibrate_range *to, struct problem *p)
{
	char *rest = text + strcspn(text, "=:"), *end = rest, sign = *rest;
	*to = (struct calibrate_range){NAN, NAN, NAN};
	*rest = '\0';
	if (sign == '=') {
		to->start = strtod(rest + 1, &end);
		sign = end == rest + 1 ? '?' : *end;
	}
	if (sign == ':') {
		const char *dots = strstr(end + 1, "..");
		to->low = strtod(end + 1, &rest);
		if (!dots || rest == end + 1)
			sign = '?';
		else if (rest[-1] == '.')
			rest--;
		to->high = dots ? strtod(dots + 2, &end) : NAN;
		if (sign == ':')
			sign = to->low < to->high ? *end : '?';
	}
	if (sign)
		return problem_set(p, EXIT_USAGE,
				   "--knobs %s: not NAME[=START][:LOW..HIGH], "
				   "with LOW below HIGH",
				   text);
	return 0;
}

static int find_fold(struct session *s, const char *folds, struct problem *p)
{
	s->by_stage = folds && !strcmp(folds, fold[1]);
	if (folds && !s->by_stage && strcmp(folds, fold[0]) != 0)
		return problem_set(p, EXIT_USAGE,
				   "--folds %s: run or stage, with --measured",
				   folds);
	return 0;
}

static int split_knobs(struct session *s, const char *text, struct problem *p)
{
	char *rest = s->names = strdup(text), *one;
	while (rest && (one = strsep(&rest, ",")) != NULL) {
		if (s->n == 64 || !*one)
			return problem_set(p, EXIT_USAGE,
					   "--knobs: 1 to 64 names");
		if (split_knob(one, &s->range[s->n], p) < 0)
			return -1;
		s->name[s->n++] = one;
	}
	return s->names ? 0 : problem_no_memory(p);
}

/* Shorter stages give the same information and simulate faster. */
static int shorten(struct ini *aliases, double max_stage_s, struct problem *p)
{
	char text[160];
	for (size_t i = 0; i < aliases->n_heads; i++) {
		const char *section = aliases->head[i].section;
		if (strncmp(section, "protocol:", 9))
			continue;
		snprintf(text, sizeof text, "%s.max_stage_s=%g", section,
			 max_stage_s);
		if (ini_override(aliases, text, p) < 0)
			return -1;
	}
	return 0;
}

static int read_files(struct session *s, struct problem *p)
{
	const struct fit_command *o = s->line->own;
	int rc = aliases_read(&s->aliases, o->aliases, p);
	if (rc == 0)
		rc = shorten(&s->aliases, o->max_stage_s, p);
	for (size_t i = 0; rc == 0 && i < o->measured.n; i++)
		rc = measured_read(&s->measured, o->measured.item[i],
				   &s->aliases, p);
	return rc;
}

/* Returns the first run that can be simulated; validation_open() made sure that
 * there is one. */
static const struct config *first_config(const struct session *s)
{
	size_t i = 0;
	while (s->v.refused[i])
		i++;
	return &s->v.config[i];
}

static void on_progress(void *user, const char *what, uint32_t iteration,
			double cost)
{
	print_note(user, "%s: iteration %u, cost %.5f", what, iteration, cost);
}

/* ---- the fragment ---- */

/* Writes the names of the measured files, without their folders. */
static void write_files(FILE *f, const struct measured *m)
{
	for (size_t i = 0; i < m->n_paths; i++) {
		const char *file = strrchr(m->path[i], '/');
		fprintf(f, "%s%s", i ? ", " : "", file ? file + 1 : m->path[i]);
	}
}

static void answer(struct document *d, const struct session *s,
		   const struct calibration *c)
{
	FILE *f = document_write(d);
	if (!f)
		return;
	fprintf(f, "%zu knob%s refitted to %zu %s%s (%zu row%s) of ", c->n,
		c->n == 1 ? "" : "s", c->n_runs, fold[s->by_stage],
		c->n_runs == 1 ? "" : "s", c->n_rows,
		c->n_rows == 1 ? "" : "s");
	write_files(f, &s->measured);
	fputs(c->accepted ? "" : ": NOT ACCEPTED", f);
	document_answered(d);
}

static void error_row(struct columns *c, const struct calibration_error *e)
{
	columns_cell(c, 0, 0, "%.2f", 100 * e->metric[RUN_E2EL]);
	columns_cell(c, 0, 1, "%.2f", 100 * e->metric[RUN_TPOT]);
	columns_cell(c, 0, 2, "%.2f", 100 * e->metric[RUN_TTFT]);
}

static void errors(struct document *d, const struct session *s,
		   const struct calibration *is)
{
	static const char *const head[] = {"E2EL", "TPOT", "TTFT"};
	struct columns c = columns_begin(head, 3, "mean absolute error, %%");
	columns_row(&c, "before");
	error_row(&c, &is->before);
	columns_row(&c, "after, on the same");
	error_row(&c, &is->after);
	if (is->n_runs > 1) {
		columns_row(&c, "after, each %s left out", fold[s->by_stage]);
		error_row(&c, &is->left_out);
	}
	document_table(d, &c);
}

/* The document as remarks, then the arm; of a rejected fit it is remarks, too.
 */
static void print_fragment(FILE *f, const struct session *s,
			   const struct calibration *c)
{
	const char *mark = c->accepted ? "" : "; ";
	struct document d = {.in = IN_ALL};
	answer(&d, s, c);
	errors(&d, s, c);
	for (size_t i = 0; i < c->n_alike; i++)
		document_say(&d,
			     "%s is not told apart from %s by these runs, so "
			     "it stays at %g: runs at other rates, or of other "
			     "models, may tell.",
			     c->alike[i].name, c->alike[i].like,
			     c->alike[i].at);
	document_remarks(&d, IN_TEXT, f);
	document_free(&d);
	fit_arm_head(f, first_config(s), mark);
	for (size_t i = 0; i < c->n; i++) {
		char after[NUMBER_SIZE], before[NUMBER_SIZE];
		fprintf(f, "%s%s = %s ; %s before\n", mark,
			c->knob[i].knob->name,
			number_short(after, c->knob[i].after),
			number_short(before, c->knob[i].before));
	}
}

/* Says why a refit is not accepted: too few data, or no gain on runs that it
 * was not fitted to. */
static int refuse(const struct session *s, const struct calibration *c,
		  struct problem *p)
{
	const char *what = fold[s->by_stage];
	if (c->n_runs < 2)
		return problem_set(
		    p, EXIT_USAGE,
		    "too few data: 1 %s; a refit cannot be checked on another "
		    "one (error %.2f %% before, %.2f %% after on the same); %s",
		    what, 100 * c->before.score, 100 * c->after.score,
		    c->n_rows > 1 ? "try --folds stage"
				  : "give more with --measured");
	return problem_set(
	    p, EXIT_SAYS_NO,
	    "not accepted (%zu %ss, %zu knob%s): on the ones left out of the "
	    "fit, the error is %.2f %% before and %.2f %% after",
	    c->n_runs, what, c->n, c->n == 1 ? "" : "s", 100 * c->before.score,
	    100 * c->left_out.score);
}

/* Writes the result, accepted or not.  A rejected one consists of remarks. */
static int report(const struct session *s, const struct calibration *c,
		  struct problem *p)
{
	struct outfile out;
	if (open_output(&out, s->line, p) < 0)
		return -1;
	print_fragment(out.f, s, c);
	if (outfile_commit(&out, p) < 0)
		return -1;
	return c->accepted ? 0 : refuse(s, c, p);
}

/* ---- the command ---- */

static int open_start(struct session *s, struct problem *p)
{
	const struct config *c = first_config(s);
	if (plugin_ask(&s->about, c->arm[0].plugin_path, JOB_ANSWER_LIMIT_S,
		       p) < 0)
		return -1;
	s->start = knobs_new(&s->about.is, &c->cfg, c->arm[0].section, p);
	return s->start ? 0 : -1;
}

static int calibrate_file(struct session *s, struct problem *p)
{
	const struct fit_command *o = s->line->own;
	struct calibration c = {0};
	struct validate_options how = {.set = s->line->set.item,
				       .n_set = s->line->set.n,
				       .arms = s->line->arms,
				       .jobs = (unsigned)o->jobs,
				       .in_process = o->pricing.in_process};
	struct calibrate_options with = {.range = s->range,
					 .validate = &how,
					 .by_stage = s->by_stage,
					 .progress = on_progress,
					 .user = (void *)(uintptr_t)s->line};
	int rc = validation_open(&s->v, s->line->arg[0], &s->measured,
				 &s->aliases, &how, p);
	if (rc == 0)
		rc = open_start(s, p);
	if (rc == 0)
		rc = calibrate(&c, &s->v, 0, &s->about.is, s->start, s->name,
			       s->n, &with, p);
	if (rc == 0)
		rc = report(s, &c, p);
	calibration_free(&c);
	return rc;
}

int fit_measured(const struct cmdline *line)
{
	const struct fit_command *o = line->own;
	struct session s = {.line = line};
	struct problem p;
	int rc = split_knobs(&s, o->knobs, &p);
	if (rc == 0)
		rc = find_fold(&s, o->folds, &p);
	if (rc == 0)
		rc = read_files(&s, &p);
	if (rc == 0)
		rc = calibrate_file(&s, &p);
	int signal = s.v.interrupted;
	int code = rc < 0 ? print_error(&p) : EXIT_DONE;
	free(s.start);
	plugin_description_free(&s.about);
	validation_free(&s.v);
	measured_free(&s.measured);
	ini_free(&s.aliases);
	free(s.names);
	if (signal)
		raise(signal);
	return code;
}
