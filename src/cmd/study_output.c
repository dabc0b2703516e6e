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
	const struct command_paths to = {
	    .page = o->html,
	    .list = {o->write_requests, o->write_steps, o->write_transfers,
		     o->write_scaling, o->write_replicas, o->write_sessions,
		     o->perfetto}};
	int rc = command_files_open(&out->files, line, &to, p);
	return rc == 0 && o->plot ? page_plot_open(&out->plot, o->plot, p) : rc;
}

void study_output_discard(struct study_output *out)
{
	command_files_discard(&out->files);
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
	struct command_files *to = &out->files;
	char *command = to->page.f ? cmdline_text(line) : NULL;
	for (size_t i = 0; i < STUDY_LISTS; i++)
		if (to->list[i].f)
			write_list[i](w, to->list[i].f);
	int rc = to->page.f ? findings_page(w, command, to->page.f, p) : 0;
	free(command);
	if (rc < 0)
		return -1;
	if (out->plot.figure && page_plot(&out->plot, w, p) < 0)
		return -1;
	if (!is_format_of_other_tools(line->format))
		document(user, line, w, to->result.f);
	else if (write_for_other_tools(w, line->format, to->result.f, p) < 0)
		return -1;
	return outfile_commit(&out->plot.to.to, p) < 0
		   ? -1
		   : command_files_commit(to, line, p);
}
