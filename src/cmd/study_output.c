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
	return open_output(&out->document, line, p) < 0 ||
		       outfile_open_if(&out->requests, o->write_requests, p) <
			   0 ||
		       outfile_open_if(&out->steps, o->write_steps, p) < 0 ||
		       outfile_open_if(&out->transfers, o->write_transfers, p) <
			   0 ||
		       outfile_open_if(&out->scaling, o->write_scaling, p) <
			   0 ||
		       outfile_open_if(&out->lifetimes, o->write_replicas, p) <
			   0 ||
		       outfile_open_if(&out->sessions, o->write_sessions, p) <
			   0 ||
		       outfile_open_if(&out->timeline, o->perfetto, p) < 0 ||
		       outfile_open_if(&out->page, o->html, p) < 0 ||
		       (o->plot && page_plot_open(&out->plot, o->plot, p) < 0)
		   ? -1
		   : 0;
}

static int commit_all(struct study_output *out, struct problem *p)
{
	return outfile_commit(&out->requests, p) < 0 ||
		       outfile_commit(&out->steps, p) < 0 ||
		       outfile_commit(&out->transfers, p) < 0 ||
		       outfile_commit(&out->scaling, p) < 0 ||
		       outfile_commit(&out->lifetimes, p) < 0 ||
		       outfile_commit(&out->sessions, p) < 0 ||
		       outfile_commit(&out->timeline, p) < 0 ||
		       outfile_commit(&out->page, p) < 0 ||
		       outfile_commit(&out->plot.to.to, p) < 0 ||
		       outfile_commit(&out->document, p) < 0
		   ? -1
		   : 0;
}

void study_output_discard(struct study_output *out)
{
	outfile_discard(&out->document);
	outfile_discard(&out->requests);
	outfile_discard(&out->steps);
	outfile_discard(&out->transfers);
	outfile_discard(&out->scaling);
	outfile_discard(&out->lifetimes);
	outfile_discard(&out->sessions);
	outfile_discard(&out->timeline);
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

int study_output_write(struct study_output *out, const struct cmdline *line,
		       const struct findings *w, study_document_fn document,
		       void *user, struct problem *p)
{
	char *command = out->page.f ? cmdline_text(line) : NULL;
	if (out->requests.f)
		findings_requests(w, out->requests.f);
	if (out->steps.f)
		findings_steps(w, out->steps.f);
	if (out->transfers.f)
		findings_transfers(w, out->transfers.f);
	if (out->scaling.f)
		findings_scaling(w, out->scaling.f);
	if (out->lifetimes.f)
		findings_replicas(w, out->lifetimes.f);
	if (out->sessions.f)
		findings_sessions(w, out->sessions.f);
	if (out->timeline.f)
		findings_timeline(w, out->timeline.f);
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
