#include <config.h>
#include "cmd_study.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "explain.h"
#include "outfile.h"
#include "progress.h"
#include "provenance.h"
#include "recorder.h"
#include "study.h"

/* Files are opened before anything runs, so that a path that cannot be
 * written is known at once, and appear when all of it has gone well. */
struct outputs {
	struct outfile document, requests, steps, timeline;
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
		       open_one(&out->timeline, o->perfetto, p) < 0
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
}

/* ---- standard error ------------------------------------------------------ */

static int said_before(const struct study *s, size_t i)
{
	const struct problem *mine = s->job[i].problem;
	for (size_t k = 0; k < i; k++)
		if (!strcmp(s->job[k].problem->text, mine->text))
			return 1;
	return 0;
}

/* What is wrong with all arms is said once, and not of one of them. */
static void complain_of_arms(const struct study *s)
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

static void complain_of_pairs(const struct explain *e)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->pair[i].error)
			fprintf(stderr, "stepcost: %s\n", e->pair[i].error);
}

/* Notes of an arm, unless the arm before it had the same ones. */
static void pass_on_notes(const struct study *s, const struct cmdline *line)
{
	char *before = NULL;
	for (size_t i = 0; i < s->n; i++) {
		char *text = NULL, *rest, *next;
		size_t size = 0;
		if (getdelim(&text, &size, '\0', s->job[i].stream[SAID]) < 0) {
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

/* ---- results ------------------------------------------------------------- */

static void write_json(const struct study *s, const struct explain *e, FILE *f)
{
	struct jw j;
	jw_start(&j, f);
	jw_object(&j, NULL);
	results_json(&s->results, &j);
	if (e->n)
		explain_json(e, &j);
	jw_end(&j);
	jw_finish(&j);
}

static void write_text(const struct study *s, const struct explain *e, FILE *f)
{
	results_text(&s->results, f);
	explain_text(e, f);
}

static void write_document(const struct cmdline *line, struct study *s,
			   const struct explain *e, FILE *f)
{
	const struct study_options *o = line->own;
	char *host = NULL;
	size_t size;
	FILE *m = o->provenance ? open_memstream(&host, &size) : NULL;
	if (m) {
		provenance_host(m, s->results.config->cfg.path);
		fclose(m);
	}
	s->results.provenance = host;
	if (line->format == FORMAT_JSON)
		write_json(s, e, f);
	else if (line->format == FORMAT_CSV)
		results_csv(&s->results, f);
	else
		write_text(s, e, f);
	s->results.provenance = NULL;
	free(host);
}

static void write_timeline(const struct study *s, FILE *f)
{
	const struct config *c = s->results.config;
	const char **name = calloc(s->n, sizeof *name);
	for (size_t i = 0; name && i < s->n; i++)
		name[i] = s->job[i].name;
	if (name)
		recorder_timeline_begin(f, name, (uint32_t)s->n,
					(uint32_t)c->engine_keys.replicas);
	study_join(s, TIMELINE, f);
	recorder_timeline_end(f);
	free(name);
}

static void write_all(const struct cmdline *line, struct study *s,
		      const struct explain *e, struct outputs *out)
{
	if (out->requests.f) {
		recorder_requests_head(out->requests.f);
		study_join(s, REQUESTS, out->requests.f);
	}
	if (out->steps.f) {
		recorder_steps_head(out->steps.f);
		study_join(s, STEPS, out->steps.f);
	}
	if (out->timeline.f)
		write_timeline(s, out->timeline.f);
	write_document(line, s, e, out->document.f);
}

static int run_all(const struct cmdline *line, const struct config *c, size_t n,
		   struct study *s, struct problem *p)
{
	struct progress progress;
	progress_begin(&progress, line->quiet);
	int rc = study_run(s, line->command->name, c, n, line->own,
			   progress_show, &progress, p);
	progress_end(&progress);
	return rc;
}

/* Both of a command's jobs; either may fail or be interrupted. */
struct both {
	struct study study;
	struct explain explain;
};

static int with_outputs(const struct cmdline *line, const struct config *c,
			size_t n, struct both *b, struct problem *p)
{
	const struct study_options *o = line->own;
	struct outputs out = {0};
	struct study *s = &b->study;
	int rc = open_outputs(&out, line, o, p);
	if (rc == 0)
		rc = run_all(line, c, n, s, p);
	if (rc == 0 && n > 1 && !o->no_attribution)
		rc = explain_run(&b->explain, s, p);
	if (rc == 0) {
		pass_on_notes(s, line);
		complain_of_arms(s);
		complain_of_pairs(&b->explain);
	}
	if (rc == 0 && study_has_results(s)) {
		write_all(line, s, &b->explain, &out);
		rc = commit_outputs(&out, p);
	}
	discard_outputs(&out);
	return rc;
}

static int exit_code(const struct both *b)
{
	int of_arms = study_code(&b->study);
	int of_pairs = explain_code(&b->explain);
	return of_arms > of_pairs ? of_arms : of_pairs;
}

int cmd_study(const struct cmdline *line, size_t max_arms)
{
	struct problem p = {0};
	struct config c;
	struct both b = {0};
	int rc = open_config(&c, line, &p);
	size_t n = max_arms && max_arms < c.n_arms ? max_arms : c.n_arms;
	if (rc == 0)
		rc = with_outputs(line, &c, n, &b, &p);
	int code = rc == 0 ? exit_code(&b) : p.code;
	int signal_caught = b.study.arms.interrupted
				? b.study.arms.interrupted
				: b.explain.arms.interrupted;
	explain_free(&b.explain);
	study_free(&b.study);
	config_free(&c);
	if (signal_caught) {
		/* All is cleaned up: end as the signal would have it. */
		signal(signal_caught, SIG_DFL);
		raise(signal_caught);
	}
	return rc == 0 ? code : complain(&p);
}
