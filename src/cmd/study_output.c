/* study_output.c -- Opens and writes the outputs of `run` and `compare`. */
#include "cmd/study_output.h"
#include <stdlib.h>
#include "base/text.h"
#include "cmd/cmd.h"
#include "report/findings.h"
#include "report/results/other_tools.h"
#include "report/results/results.h"

int study_output_open(struct study_output *out, const struct cmdline *line,
		      struct problem *p)
{
	const struct study_options *o = line->own;
	const char *const path[STUDY_LISTS] = {
	    o->write_requests, o->write_steps,    o->write_transfers,
	    o->write_scaling,  o->write_replicas, o->write_sessions,
	    o->perfetto};
	int rc = open_output(&out->document, line, p);
	for (size_t i = 0; rc == 0 && i < STUDY_LISTS; i++)
		rc = outfile_open_if(&out->list[i], path[i], p);
	if (rc == 0)
		rc = outfile_open_if(&out->page, o->html, p);
	return rc == 0 && o->plot ? page_plot_open(&out->plot, o->plot, p) : rc;
}

static int commit_all(struct study_output *out, struct problem *p)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < STUDY_LISTS; i++)
		rc = outfile_commit(&out->list[i], p);
	return rc < 0 || outfile_commit(&out->page, p) < 0 ||
		       outfile_commit(&out->plot.to.to, p) < 0
		   ? -1
		   : outfile_commit(&out->document, p);
}

void study_output_discard(struct study_output *out)
{
	outfile_discard(&out->document);
	for (size_t i = 0; i < STUDY_LISTS; i++)
		outfile_discard(&out->list[i]);
	outfile_discard(&out->page);
	outfile_discard(&out->plot.to.to);
}

void study_document(void *user, const struct cmdline *line,
		    const struct findings *w, FILE *f)
{
	(void)user;
	if (line->format == FORMAT_JSON)
		findings_json(w, f);
	else if (line->format == FORMAT_CSV)
		results_csv(&w->study.results, f);
	else
		findings_text(w, line->all, f);
}

static int write_for_other_tools(const struct findings *w, int format, FILE *to,
				 struct problem *p)
{
	struct text t;
	FILE *m = text_begin(&t);
	int rc = m ? 0 : -1;
	if (m)
		findings_requests(w, m);
	if (m && fclose(m) != 0)
		rc = -1;
	rc = rc == 0 ? results_for_other_tools(&w->study.results, format, t.s,
					       t.n, to, p)
		     : problem_no_memory(p);
	free(t.s);
	return rc;
}

static void (*const write_list[STUDY_LISTS])(const struct findings *,
					     FILE *) = {
    findings_requests, findings_steps,    findings_transfers, findings_scaling,
    findings_replicas, findings_sessions, findings_timeline};

int study_output_write(struct study_output *out, const struct cmdline *line,
		       const struct findings *w, study_document_fn document,
		       void *user, struct problem *p)
{
	char *command = out->page.f ? cmdline_text(line) : NULL;
	for (size_t i = 0; i < STUDY_LISTS; i++)
		if (out->list[i].f)
			write_list[i](w, out->list[i].f);
	int rc = out->page.f ? findings_page(w, command, out->page.f, p) : 0;
	free(command);
	if (rc < 0)
		return -1;
	if (out->plot.figure && page_plot(&out->plot, w, p) < 0)
		return -1;
	if (!is_format_of_other_tools(line->format))
		document(user, line, w, out->document.f);
	else if (write_for_other_tools(w, line->format, out->document.f, p) < 0)
		return -1;
	return commit_all(out, p);
}
