/* conformance.c -- Runs the checks in child processes, and shrinks a failing
 * step. */
#include "plugin/conformance.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/text.h"
#include "cost/steps.h"
#include "jobs/jobs.h"
#include "plugin/ask.h"
#include "plugin/checks.h"
#include "plugin/checks_effects.h"
#include "plugin/dso.h"
#include "plugin/file_checks.h"
#include "plugin/schema.h"

enum { NOTES = 4000 };
/* Limits of the search for the smallest step: for one answer, as a share of the
 * answer limit; in total; and in total if a step takes long because no answer
 * comes. */
static const double short_answer = 0.1, shrink_s = 30, shrink_late_s = 3;

/* In memory that a child shares with its parent. */
struct report {
	int refused; /* 1: create() refuses, and did not fail */
	char notes[NOTES];
};

struct conformance {
	const sc_setup *setup;
	const char *knobs;
	double answer_limit_s;
	const char *file;
	struct plugin_description about;
	struct steps grid;
	verdict_fn say;
	void *user;
};

/* One check with one preset. */
struct check_run {
	const struct conformance *c;
	const struct check *check;
	const char *preset;
	const struct steps *steps;
	struct steps own; /* the check's own steps, if it has any */
};

/* ---- in the child ---- */

/* Returns the knobs of a trial: of the preset, and those that the caller
 * gives. */
static struct ini check_run_knobs(const struct check_run *t, struct problem *p)
{
	struct ini cfg = {0};
	char *text;
	if (asprintf(&text, "[check]\n%s%s\n%s", *t->preset ? "preset = " : "",
		     t->preset, t->c->knobs) < 0) {
		problem_no_memory(p);
		return cfg;
	}
	int rc = ini_read(&cfg, text, strlen(text), p);
	free(text);
	return rc < 0 ? (struct ini){0} : cfg;
}

/* Redirects standard error to memory.  Returns the descriptor, or -1. */
static int capture_complaints(void)
{
	int fd = memfd_create("complaints", MFD_CLOEXEC);
	return fd >= 0 && dup2(fd, STDERR_FILENO) >= 0 ? fd : -1;
}

static int run_on(struct subject *s, const struct check_run *t,
		  struct report *r, struct problem *p)
{
	int rc = subject_create(s, &s->a, p);
	r->refused =
	    rc < 0 && (s->a.code == SC_EUNSUP || s->a.code == SC_ENODATA);
	if (rc == 0)
		rc = t->check->run(s, p);
	subject_destroy(s, &s->a);
	return rc;
}

static int open_plugin(const struct conformance *c, struct plugin *m,
		       struct job *j, struct problem *p)
{
	watch_enter(j->watch, JOB_IN_LOAD, c->about.is.name);
	int rc = plugin_open(m, c->file, p);
	if (m->p.capabilities & SC_CAP_DOES_IO)
		watch_does_io(j->watch);
	watch_leave(j->watch);
	return rc;
}

/* The job_fn of a trial. */
static int check_run_once(struct job *j, struct problem *p)
{
	const struct check_run *t = j->user;
	struct report *r = j->shared;
	struct plugin m;
	struct ini cfg = check_run_knobs(t, p);
	/* Side effects are tested by one check only. */
	j->watch->looks_away = t->check->run != check_leaves_alone;
	if (open_plugin(t->c, &m, j, p) < 0)
		return -1;
	void *knobs = knobs_new(&m.p, &cfg, "check", p);
	struct subject s = {.plugin = &m,
			    .setup = t->c->setup,
			    .knobs = knobs,
			    .steps = t->steps,
			    .watch = j->watch,
			    .at = j->live,
			    .notes = fmemopen(r->notes, NOTES, "w"),
			    .said = -1};
	/* A plugin that runs a program may print messages for the user. */
	if (!(m.p.capabilities & SC_CAP_DOES_IO))
		s.said = capture_complaints();
	watch_take_stock(j->watch, NULL, 0);
	int rc = knobs && s.notes ? run_on(&s, t, r, p) : -1;
	if (rc == 0)
		/* a refused step has left a message */
		p->code = EXIT_DONE;
	if (s.notes)
		fclose(s.notes);
	free(knobs);
	ini_free(&cfg);
	plugin_close(&m);
	return rc;
}

/* ---- in the parent ---- */

static struct jobs_options options(double limit_s)
{
	return (struct jobs_options){.answer_limit_s = limit_s,
				     .memory_limit_gib = JOB_MEMORY_LIMIT_GIB,
				     .shared_bytes = sizeof(struct report),
				     .live_bytes = sizeof(struct owned_step)};
}

static void say(struct conformance *c, enum verdict_is is, const char *preset,
		const char *check, const char *why, const char *notes)
{
	const struct verdict v = {is, preset, check, why, notes};
	c->say(c->user, &v);
}

static void check_file(struct conformance *c, const struct dso *d)
{
	struct file_finding found[N_FILE_CHECKS];
	file_checks(d, c->about.is.capabilities, found);
	for (int i = 0; i < N_FILE_CHECKS; i++)
		say(c, found[i].is, "", found[i].check, found[i].why, "");
}

/* Returns the error without the arm, and the step that shows it. */
static char *describe(const struct job *j)
{
	const struct owned_step *at = j->live;
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	fputs(j->problem->text, f);
	if (j->status->has_step && at->n_prefill <= OWNED_STEP_MOST &&
	    at->n_decode <= OWNED_STEP_MOST) {
		sc_step step = owned_step_step(at);
		fputs("\nstep,decode,prefill,sampled: ", f);
		steps_write_row(f, &step);
	}
	return text_end(&t);
}

/* Runs one trial.  Returns NULL if it succeeded, else a text that the caller
 * frees. */
static char *try(struct check_run *t, double limit_s, struct report *out)
{
	struct job job = {.name = t->preset, .user = t};
	struct jobs_options o = options(limit_s);
	struct jobs a;
	struct problem p = {0};
	char *why = NULL;
	if (jobs_run(&a, &job, 1, check_run_once, &o, &p) < 0)
		why = strdup(p.text);
	else if (job.problem->code != EXIT_DONE)
		why = describe(&job);
	if (out && job.shared)
		*out = *(struct report *)job.shared;
	jobs_free(&a);
	return why;
}

static double now_s(void)
{
	return 1e-9 * (double)clock_now_ns();
}

/* Tries single steps in place of the check's own. */
struct reducing {
	struct check_run *t;
	char *why; /* from the last step that failed */
	double until_s;
};

static int still_shows(void *user, const struct owned_step *s)
{
	struct reducing *r = user;
	struct given_step one = {.step = owned_step_step(s)};
	struct steps alone = {.item = &one, .n = 1};
	const struct steps *before = r->t->steps;
	if (now_s() >= r->until_s)
		return -1;
	r->t->steps = &alone;
	char *why = try(r->t, short_answer * r->t->c->answer_limit_s, NULL);
	r->t->steps = before;
	if (!why)
		return 0;
	free(r->why);
	r->why = why;
	return 1;
}

/* Returns the text of the smallest step that fails the trial, if a single step
 * can.  Takes ownership of `why`, the text of the first one. */
static char *reduce(struct check_run *t, char *why,
		    const struct owned_step *first)
{
	double from = now_s();
	struct reducing r = {t, why, from + shrink_s};
	struct owned_step *s = malloc(sizeof *s);
	if (s) {
		*s = *first;
		int shows = still_shows(&r, s);
		if (now_s() - from > short_answer * t->c->answer_limit_s)
			r.until_s = from + shrink_late_s;
		if (shows > 0)
			owned_step_shrink(s, still_shows, &r);
	}
	free(s);
	return r.why;
}

/* Returns 1 if the promise is kept, or declared as not kept. */
static int judge(struct conformance *c, struct check_run *t,
		 const struct job *j)
{
	const struct report *r = j->shared;
	uint32_t declared = c->about.is.capabilities & t->check->unless;
	char *why = NULL, *notes = NULL;
	if (j->problem->code != EXIT_DONE)
		why = describe(j);
	if (why && !declared && j->status->has_step)
		why = reduce(t, why, j->live);
	if (why && declared &&
	    asprintf(&notes, "declared: %s\n%s", why, r->notes) < 0)
		notes = NULL;
	int good = !why || declared;
	say(c, good ? VERDICT_OK : VERDICT_NOT_OK, t->preset, t->check->name,
	    why ? why : "",
	    notes      ? notes
	    : declared ? "declared, but false on the grid\n"
		       : r->notes);
	free(notes);
	free(why);
	return good;
}

static int own_steps(struct steps *s, const char *rows, struct problem *p)
{
	char *text;
	if (asprintf(&text, "step,decode,prefill\n%s", rows) < 0)
		return problem_no_memory(p);
	FILE *f = fmemopen(text, strlen(text), "r");
	int rc = f ? steps_read(s, f, "the steps to try", NULL, p)
		   : problem_no_memory(p);
	if (f)
		fclose(f);
	free(text);
	return rc;
}

/* Checks that an instance can be created.  Returns 0, or 1 if not with this
 * preset, after reporting it. */
static int check_create(struct conformance *c, const char *preset)
{
	static const char name[] = "create()";
	static const struct steps none;
	struct check_run t = {
	    .c = c, .check = &check_list[0], .preset = preset, .steps = &none};
	struct report *r = calloc(1, sizeof *r);
	char *why = r ? try(&t, c->answer_limit_s, r) : NULL;
	int good = r && !why, refused = why && r->refused;
	say(c,
	    good                 ? VERDICT_OK
	    : refused && *preset ? VERDICT_SKIP
				 : VERDICT_NOT_OK,
	    preset, name, why ? why : "",
	    refused && !*preset ? "nothing was checked: --config takes a "
				  "model, hardware and knobs that it prices\n"
				: "");
	free(why);
	free(r);
	return !good;
}

/* Runs some checks of one preset, at_once at a time (0: one per core).  *bad
 * counts the broken promises. */
static int run_trials(struct conformance *c, struct check_run *t, size_t n,
		      unsigned at_once, size_t *bad, struct problem *p)
{
	struct job *job = calloc(n + 1, sizeof *job);
	struct jobs_options o = options(c->answer_limit_s);
	struct jobs a = {0};
	o.at_once = at_once;
	for (size_t i = 0; job && i < n; i++)
		job[i] = (struct job){.name = t[i].preset, .user = &t[i]};
	int rc = job ? jobs_run(&a, job, n, check_run_once, &o, p)
		     : problem_no_memory(p);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (c->about.is.capabilities & t[i].check->skip)
			say(c, VERDICT_SKIP, t[i].preset, t[i].check->name,
			    "declared", "");
		else
			*bad += !judge(c, &t[i], &job[i]);
	jobs_free(&a);
	free(job);
	return rc;
}

static int new_trials(struct conformance *c, const char *preset,
		      struct check_run *t, struct problem *p)
{
	for (size_t i = 0; i < check_count; i++) {
		const char *rows = check_list[i].steps;
		t[i] = (struct check_run){.c = c,
					  .check = &check_list[i],
					  .preset = preset,
					  .steps = rows ? &t[i].own : &c->grid};
		if (rows && own_steps(&t[i].own, rows, p) < 0)
			return -1;
	}
	return 0;
}

/* The first check is of the grid itself: if it fails, all others would fail for
 * the same reason.  The last check measures time, with nothing else running. */
static int check_preset(struct conformance *c, const char *preset,
			struct problem *p)
{
	if (check_create(c, preset))
		return 0;
	struct check_run *t = calloc(check_count, sizeof *t);
	size_t bad = 0, last = check_count - 1;
	int rc = t ? new_trials(c, preset, t, p) : problem_no_memory(p);
	if (rc == 0)
		rc = run_trials(c, t, 1, 1, &bad, p);
	if (rc == 0 && bad)
		say(c, VERDICT_SKIP, preset, "all else",
		    "the grid could not be priced", "");
	if (rc == 0 && !bad)
		rc = run_trials(c, t + 1, last - 1, 0, &bad, p);
	if (rc == 0 && !bad)
		rc = run_trials(c, t + last, 1, 1, &bad, p);
	for (size_t i = 0; t && i < check_count; i++)
		steps_free(&t[i].own);
	free(t);
	return rc;
}

/* Checks more than the host itself requires. */
static int check_schema(const sc_plugin *d, struct problem *p)
{
	for (uint32_t i = 0; i < d->n_knobs; i++) {
		const sc_knob *k = d->knob[i];
		int has_unit = *k->unit || k->type == SC_KNOB_TEXT;
		const char *bad = !has_unit         ? "unit"
				  : !*k->help       ? "help"
				  : k->min > k->max ? "range"
						    : NULL;
		for (uint32_t o = 0; o < i; o++)
			if (d->knob[o]->offset == k->offset)
				bad = "place in the block of its own";
		if (bad)
			return problem_set(p, EXIT_SAYS_NO, "knob %s has no %s",
					   k->name, bad);
	}
	for (uint32_t i = 0; i < d->n_presets; i++)
		for (uint32_t o = 0; o < i; o++)
			if (!strcmp(d->preset[i]->name, d->preset[o]->name))
				return problem_set(p, EXIT_SAYS_NO,
						   "two presets are called %s",
						   d->preset[i]->name);
	return 0;
}

/* Reports the declarations.  Returns 1 if there is nothing more to check. */
static int introduce(struct conformance *c)
{
	const sc_plugin *d = &c->about.is;
	struct problem p = {0};
	char *notes = NULL;
	int rc = plugin_ask(&c->about, c->file, c->answer_limit_s, &p);
	if (rc == 0) {
		rc = check_schema(d, &p);
		if (asprintf(&notes,
			     "%s %s: %s\nABI %u.%u, %u knobs, %u presets\n"
			     "%s%s%s",
			     d->name, d->version, d->summary, d->abi_major,
			     d->abi_minor, d->n_knobs, d->n_presets,
			     d->id ? "" : "no id: results cannot name it\n",
			     d->licence ? "" : "no licence\n",
			     d->citation ? "" : "no citation\n") < 0)
			notes = NULL;
	}
	say(c, rc < 0 ? VERDICT_NOT_OK : VERDICT_OK, "",
	    "loads, and its schema", p.text, notes ? notes : "");
	free(notes);
	return rc < 0;
}

static int check_all(struct conformance *c, const struct dso *d,
		     struct problem *p)
{
	if (introduce(c))
		return 0;
	check_file(c, d);
	int rc = check_preset(c, "", p);
	for (uint32_t i = 0; rc == 0 && i < c->about.is.n_presets; i++)
		rc = check_preset(c, c->about.is.preset[i]->name, p);
	return rc;
}

/* Checks that the file exists and is named as plugins are. */
static int check_path(const char *file, struct problem *p)
{
	if (access(file, R_OK) != 0)
		return problem_set(p, EXIT_USAGE,
				   "there is no file %s; build it first", file);
	char *name = plugin_name(file, p);
	free(name);
	return name ? 0 : -1;
}

int conformance_run(const char *file, const sc_setup *setup, const char *knobs,
		    double answer_limit_s, verdict_fn say_to, void *user,
		    struct problem *p)
{
	struct conformance c = {.file = file,
				.setup = setup,
				.knobs = knobs,
				.answer_limit_s = answer_limit_s,
				.say = say_to,
				.user = user};
	struct dso d = {0};
	char *grid = check_grid();
	int rc = grid ? own_steps(&c.grid, grid, p) : problem_no_memory(p);
	free(grid);
	if (rc == 0)
		rc = check_path(file, p);
	if (rc == 0 && dso_read(&d, file, p) < 0) {
		rc = p->code == EXIT_PLUGIN ? 0 : -1;
		if (rc == 0)
			say(&c, VERDICT_NOT_OK, "", "a shared object", p->text,
			    "");
	} else if (rc == 0) {
		rc = check_all(&c, &d, p);
	}
	steps_free(&c.grid);
	dso_free(&d);
	plugin_description_free(&c.about);
	return rc;
}
