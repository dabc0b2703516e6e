/* study.c -- Runs a study as the command line asks, and writes its outputs. */
#include <config.h>
#include "cmd/study.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "arm/provenance.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "cost/breakdown.h"
#include "report/findings.h"
#include "report/page.h"
#include "report/progress.h"
#include "report/results.h"
#include "study/findings.h"

#define AT(field) offsetof(struct study_options, field)
const struct option_def study_option[N_STUDY_OPTIONS] = {
    {"write-requests", "FILE", OPTION_TEXT, AT(write_requests),
     "one CSV line per request and arm", NULL, 0, 0, 0},
    {"write-steps", "FILE", OPTION_TEXT, AT(write_steps),
     "one CSV line per step and arm, with its breakdown", NULL, 0, 0, 0},
    {"perfetto", "FILE", OPTION_TEXT, AT(perfetto),
     "the timeline as Chrome trace events", NULL, 0, 0, 0},
    {"html", "FILE", OPTION_TEXT, AT(html),
     "one self-contained page: tables, figures, all numbers", NULL, 0, 0, 0},
    {"plot", "FIGURE=FILE", OPTION_TEXT, AT(plot),
     "a figure of that page as .svg or .png, through gnuplot: ttft (if only "
     "a FILE is named), tpot, e2el, step-batch, step-context, batch, kv",
     NULL, 0, 0, 0},
    {"strict", "[=clamped|substituted|fallback]", OPTION_CHOICE, AT(strict),
     "a lookup of that class or worse is an error; without a class: fallback",
     provenance_name + SC_CLAMPED, 0, 0, 0},
    {"provenance", NULL, OPTION_FLAG, AT(provenance),
     "add paths, hashes of plugins, host and time of day to the results", NULL,
     0, 0, 0},
    {"jobs", "N", OPTION_INT, AT(jobs),
     "arms at once; 0: as many as there are cores", NULL, 0, 4096, 0},
    {"answer-limit", "SECONDS", OPTION_NUMBER, AT(answer_limit_s),
     "an arm ends when its plugin takes longer for one call; 0: no limit", NULL,
     0, 1e6, 0},
    {"memory-limit", "GIB", OPTION_NUMBER, AT(memory_limit_gib),
     "address space of an arm; 0: no limit", NULL, 0, 1e6, 0},
    {"in-process", NULL, OPTION_FLAG, AT(in_process),
     "no child processes: for debuggers; a crash ends it all", NULL, 0, 0, 0},
    {"watch", "[=N]", OPTION_TEXT, AT(watch),
     "run again whenever the INI or a plugin changes (N times), and print what "
     "that did to the metrics",
     NULL, 0, 0, 0},
    {"seeds", "N", OPTION_INT, AT(seeds),
     "the same under N seeds, with intervals for the differences", NULL, 1,
     1000, 0},
    {"unpaired", NULL, OPTION_FLAG, AT(unpaired),
     "with --seeds: every arm under seeds of its own, differences between "
     "independent sets",
     NULL, 0, 0, 0},
    {"why", NULL, OPTION_FLAG, AT(why),
     "say why arms differ, which takes several times as long as running them; "
     "--html implies it",
     NULL, 0, 0, 0},
    {"ablate", "ARM.KNOB=A,B,...", OPTION_TEXT, AT(ablate),
     "that arm, and one more for each value of the knob", NULL, 0, 0, 0},
    {"leave-one-out", "ARM=FROM,TO", OPTION_TEXT, AT(leave_one_out),
     "an arm under preset TO, with one knob after another as in FROM, ranked",
     NULL, 0, 0, 0},
};

/* Files are opened before anything runs, so that a path that cannot be
 * written is known at once, and appear when all of it has gone well. */
struct outputs {
	struct outfile document, requests, steps, timeline, page;
};

static int open_one(struct outfile *o, const char *path, struct problem *p)
{
	return path ? outfile_open(o, path, p) : 0;
}

static int open_outputs(struct outputs *out, const struct cmdline *line,
			const struct study_options *o, struct problem *p)
{
	return outfile_open(&out->document, line->output, p) < 0 ||
		       open_one(&out->requests, o->write_requests, p) < 0 ||
		       open_one(&out->steps, o->write_steps, p) < 0 ||
		       open_one(&out->timeline, o->perfetto, p) < 0 ||
		       open_one(&out->page, o->html, p) < 0
		   ? -1
		   : 0;
}

static int commit_one(struct outfile *o, struct problem *p)
{
	return o->f ? outfile_commit(o, p) : 0;
}

static int commit_outputs(struct outputs *out, struct problem *p)
{
	return commit_one(&out->requests, p) < 0 ||
		       commit_one(&out->steps, p) < 0 ||
		       commit_one(&out->timeline, p) < 0 ||
		       commit_one(&out->page, p) < 0 ||
		       commit_one(&out->document, p) < 0
		   ? -1
		   : 0;
}

static void discard_outputs(struct outputs *out)
{
	outfile_discard(&out->document);
	outfile_discard(&out->requests);
	outfile_discard(&out->steps);
	outfile_discard(&out->timeline);
	outfile_discard(&out->page);
}

/* ---- standard error ---- */

static int said_before(const struct study *s, size_t i)
{
	const struct problem *mine = s->job[i].problem;
	for (size_t k = 0; k < i; k++)
		if (!strcmp(s->job[k].problem->text, mine->text))
			return 1;
	return 0;
}

/* What is wrong with all arms is said once, and not of one of them. */
static void complain_of_study(const struct study *s)
{
	size_t same = 0;
	for (size_t i = 0; i < s->n; i++)
		same +=
		    !strcmp(s->job[i].problem->text, s->job[0].problem->text);
	for (size_t i = 0; i < s->n; i++) {
		const struct job *j = &s->job[i];
		if (!j->complaint)
			continue;
		if (j->problem->code == EXIT_PLUGIN || same < s->n)
			fprintf(stderr, "stepcost: %s\n", j->complaint);
		else if (!said_before(s, i))
			complain(j->problem);
	}
}

/* Notes of an arm, unless the arm before it had the same ones. */
static void pass_on_notes(const struct study *s, const struct cmdline *line)
{
	char *before = NULL;
	for (size_t i = 0; i < s->n; i++) {
		char *text = NULL, *rest, *next;
		size_t size = 0;
		if (getdelim(&text, &size, '\0',
			     s->job[i].stream[STREAM_SAID]) < 0) {
			free(text);
			text = strdup("");
		}
		if (text && (!before || strcmp(before, text))) {
			char *copy = strdup(text);
			for (rest = copy; (next = strsep(&rest, "\n"));)
				if (*next && s->n == 1)
					note(line, "%s", next);
				else if (*next)
					note(line, "arm %s: %s", s->job[i].name,
					     next);
			free(copy);
		}
		free(before);
		before = text;
	}
	free(before);
}

/* ---- results ---- */

static void write_document(const struct cmdline *line, const struct findings *w,
			   FILE *f)
{
	if (line->format == FORMAT_JSON)
		findings_json(w, f);
	else if (line->format == FORMAT_CSV)
		results_csv(&w->study.results, f);
	else
		findings_text(w, f);
}

static int write_all(const struct cmdline *line, const struct findings *w,
		     struct outputs *out, struct problem *p)
{
	if (out->requests.f)
		findings_requests(w, out->requests.f);
	if (out->steps.f)
		findings_steps(w, out->steps.f);
	if (out->timeline.f)
		findings_timeline(w, out->timeline.f);
	if (out->page.f && findings_page(w, out->page.f, p) < 0)
		return -1;
	const struct study_options *o = line->own;
	if (o->plot && page_plot(&w->study, o->plot, p) < 0)
		return -1;
	write_document(line, w, out->document.f);
	return commit_outputs(out, p);
}

/* ---- doing it ---- */

/* A line of JSON; free() it.  NULL: not wanted. */
static char *host_facts(const struct study_options *o, const struct config *c)
{
	char *text = NULL;
	size_t size;
	FILE *m = o->provenance ? open_memstream(&text, &size) : NULL;
	if (!m)
		return NULL;
	provenance_host(m, c->cfg.path);
	fclose(m);
	return text;
}

static int run_all(const struct cmdline *line, const struct config *c, size_t n,
		   struct findings *w, struct problem *p)
{
	const struct study_options *o = line->own;
	struct progress progress;
	progress_begin(&progress, line->quiet);
	int rc = study_run(&w->study, line->command->name, c, n, o,
			   progress_show, &progress, p);
	if (rc == 0 && o->seeds > 1)
		rc = seeds_run(&w->seeds, &w->study, (size_t)o->seeds,
			       o->unpaired, p);
	progress_end(&progress);
	for (size_t i = 0; rc == 0 && (o->why || o->html) && i < n; i++)
		if (!w->study.arm[i].error && w->study.arm[i].record->log_cut)
			note(line,
			     "arm %s: too many steps to keep: no "
			     "attribution",
			     w->study.arm[i].name);
	if (rc == 0 && n > 1 && (o->why || o->html))
		rc = explain_run(&w->explain, &w->study, p);
	return rc;
}

static int with_outputs(const struct cmdline *line, const struct config *c,
			size_t n, struct findings *w, struct problem *p)
{
	struct outputs out = {0};
	char *host = host_facts(line->own, c);
	int rc = open_outputs(&out, line, line->own, p);
	if (rc == 0)
		rc = run_all(line, c, n, w, p);
	w->study.results.provenance = host;
	if (rc == 0) {
		pass_on_notes(&w->study, line);
		complain_of_study(&w->study);
		complain_of_jobs(&w->seeds.arms);
		complain_of_jobs(&w->explain.arms);
	}
	if (rc == 0 && study_has_results(&w->study))
		rc = write_all(line, w, &out, p);
	discard_outputs(&out);
	w->study.results.provenance = NULL;
	free(host);
	return rc;
}

/* The INI with --set, before its arms are looked at. */
static int load_plain(struct ini *c, const struct cmdline *line,
		      struct problem *p)
{
	if (ini_load(c, line->arg[0], p) < 0)
		return -1;
	for (size_t i = 0; i < line->set.n; i++)
		if (ini_override(c, line->set.item[i], p) < 0)
			return -1;
	return 0;
}

static int make_variants(struct variants *v, const struct cmdline *line,
			 struct problem *p)
{
	const struct study_options *o = line->own;
	struct ini c = {0};
	if (o->ablate && o->leave_one_out)
		return problem_set(p, EXIT_USAGE,
				   "--ablate or --leave-one-out, not both");
	int rc = load_plain(&c, line, p);
	if (rc == 0 && o->ablate)
		rc = variants_ablate(v, &c, o->ablate, p);
	else if (rc == 0)
		rc = variants_leave_one_out(v, &c, o->leave_one_out, p);
	ini_free(&c);
	return rc;
}

/* The configuration with the arms that the options make of it. */
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
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < line->set.n; i++)
		with.set.item[i] = line->set.item[i];
	for (size_t i = 0; i < v->n_set; i++)
		with.set.item[line->set.n + i] = v->set[i];
	with.arms = v->arms;
	int rc = open_config(c, &with, p);
	free(with.set.item);
	return rc;
}

int cmd_study(const struct cmdline *line, size_t max_arms)
{
	struct problem p = {0};
	struct config c;
	struct findings w = {0};
	const struct study_options *o = line->own;
	int rc = o->ablate || o->leave_one_out
		     ? open_variants(&c, &w.variants, line, &p)
		     : open_config(&c, line, &p);
	size_t n = max_arms && max_arms < c.n_arms ? max_arms : c.n_arms;
	if (rc == 0)
		rc = with_outputs(line, &c, n, &w, &p);
	int code = rc == 0 ? findings_code(&w) : p.code;
	int signal_caught = findings_interrupted(&w);
	findings_free(&w);
	config_free(&c);
	if (signal_caught) {
		/* All is cleaned up: end as the signal would have it. */
		signal(signal_caught, SIG_DFL);
		raise(signal_caught);
	}
	return rc == 0 ? code : complain(&p);
}
