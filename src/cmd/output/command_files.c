/* command_files.c -- Opens and ends the files that a command writes. */
#include "cmd/output/command_files.h"
#include <stdlib.h>
#include "cmd/cmd.h"

int command_files_open(struct command_files *w, const struct cmdline *c,
		       const struct command_paths *to, struct problem *p)
{
	int rc = open_output(&w->result, c, p);
	for (int i = 0; rc == 0 && i < COMMAND_LISTS; i++)
		rc = outfile_open_if(&w->list[i], to->list[i], p);
	if (rc == 0)
		rc = outfile_open_if(&w->page, to->page, p);
	return rc == 0 && to->plot ? plot_open(&w->plot, to->plot, p) : rc;
}

int command_files_want_document(const struct command_files *w,
				const struct cmdline *c)
{
	return c->format <= FORMAT_TEXT || w->page.f;
}

static int write_document(struct command_files *w, const struct cmdline *c,
			  struct problem *p)
{
	char *command = w->page.f ? cmdline_text(c) : NULL;
	w->document.command = command;
	if (c->format <= FORMAT_TEXT)
		document_text(&w->document, c->all ? IN_FULL : IN_SHORT,
			      w->result.f);
	int rc = w->page.f ? document_html(&w->document, w->page.f, p) : 0;
	free(command);
	return rc;
}

int command_files_commit(struct command_files *w, const struct cmdline *c,
			 struct problem *p)
{
	int rc = w->document.title ? write_document(w, c, p) : 0;
	for (int i = 0; rc == 0 && i < COMMAND_LISTS; i++)
		rc = outfile_commit(&w->list[i], p);
	if (rc == 0)
		rc = outfile_commit(&w->page, p);
	if (rc == 0)
		rc = outfile_commit(&w->plot.to, p);
	return rc == 0 ? outfile_commit(&w->result, p) : rc;
}

void command_files_discard(struct command_files *w)
{
	document_free(&w->document);
	for (int i = 0; i < COMMAND_LISTS; i++)
		outfile_discard(&w->list[i]);
	outfile_discard(&w->page);
	outfile_discard(&w->plot.to);
	outfile_discard(&w->result);
}
