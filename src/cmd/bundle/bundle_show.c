/* bundle_show.c -- The command `bundle show`: what a bundle has. */
#include <string.h>
#include "base/file/outfile.h"
#include "cmd/bundle/contents.h"
#include "cmd/cmd.h"

static void show(const struct bundle_head *h, const struct archive *a, FILE *f)
{
	fputs("command: stepcost", f);
	for (size_t i = 0; i < h->words.n; i++)
		fprintf(f, " %s", h->words.item[i]);
	fprintf(f, "\nfolder: %s\nresults: %s\nmade by commit: %s\n", h->folder,
		h->results_sha256, *h->commit ? h->commit : "not known");
	for (size_t i = 0; i < a->n; i++)
		fprintf(f, "%10zu  %s\n", a->item[i].n, a->item[i].name);
}

static int run(const struct cmdline *c)
{
	struct archive a = {0};
	struct bundle_head h = {0};
	struct outfile out = {0};
	struct problem p;
	int rc = archive_open(&a, c->arg[0], &p);
	if (rc == 0)
		rc = bundle_head_read(&h, &a, c->arg[0], &p);
	if (rc == 0)
		rc = open_output(&out, c, &p);
	if (rc == 0)
		show(&h, &a, out.f);
	rc = outfile_end(&out, rc, &p);
	bundle_head_free(&h);
	archive_free(&a);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

const struct command command_bundle_show = {
    .name = "bundle show",
    .args = "FILE.stepcost",
    .summary = "what a bundle has: its command and its files",
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    .formats = WRITES_TEXT,
    .run = run,
};
