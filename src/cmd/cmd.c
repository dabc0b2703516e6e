/* cmd.c -- Writes the messages of all commands in one way. */
#include "cmd/cmd.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/host.h"
#include "base/file/infile.h"
#include "base/printable.h"
#include "report/cite.h"
#include "report/identity.h"

/* ---- standard error ---- */

static void say_list(const char *fmt, va_list ap)
    __attribute__((format(printf, 1, 0)));
static void say_list(const char *fmt, va_list ap)
{
	char *text, least[sizeof((struct problem *)0)->text + 200];
	va_list again;
	va_copy(again, ap);
	/* Without memory a long message is cut, and none is lost. */
	if (vasprintf(&text, fmt, ap) < 0) {
		vsnprintf(least, sizeof least, fmt, again);
		text = NULL;
	}
	va_end(again);
	const char *line = text ? text : least;
	/* In one piece: other processes write to the same file. */
	char piece[1 << 12];
	setvbuf(stderr, piece, _IOFBF, sizeof piece);
	fputs("stepcost: ", stderr);
	printable_line(stderr, line, strlen(line));
	putc('\n', stderr);
	fflush(stderr);
	setvbuf(stderr, NULL, _IONBF, 0);
	free(text);
}

void say(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say_list(fmt, ap);
	va_end(ap);
}

void print_note(const struct cmdline *c, const char *fmt, ...)
{
	va_list ap;
	if (c->quiet)
		return;
	va_start(ap, fmt);
	say_list(fmt, ap);
	va_end(ap);
}

int print_error(const struct problem *p)
{
	say("%s", p->text);
	return p->code;
}

int print_error_too(int code, const struct problem *p)
{
	int other = print_error(p);
	return code > other ? code : other;
}

/* ---- messages of jobs ---- */

/* Returns the next line of *rest, with its length in *n.  NULL: no line is
 * left. */
static const char *next_line(const char **rest, size_t *n)
{
	const char *line = *rest + strspn(*rest, "\r\n");
	*n = strcspn(line, "\r\n");
	*rest = line + *n;
	return *n ? line : NULL;
}

/* A program may complain without end; its first lines tell most. */
void pass_on_captured_stderr(const struct job *j)
{
	enum { LINES = 20, LONGEST = 500 };
	const char *rest = j->captured_stderr, *line;
	uint64_t left_out = j->not_kept;
	size_t n;
	for (int k = 0; rest && (line = next_line(&rest, &n)); k++) {
		size_t shown = k >= LINES ? 0 : n < LONGEST ? n : LONGEST;
		left_out += n - shown;
		if (shown)
			say("arm %s: its standard error: %.*s", j->name,
			    (int)shown, line);
	}
	if (left_out)
		say("arm %s: its standard error: %" PRIu64
		    " more bytes are left out",
		    j->name, left_out);
}

int print_job_errors(const struct jobs *a)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < a->n; i++) {
		const struct job *j = &a->job[i];
		pass_on_captured_stderr(j);
		if (!j->complaint)
			continue;
		say("%s", j->complaint);
		code = j->problem->code > code ? j->problem->code : code;
	}
	return code;
}

void pass_on_notes(const struct cmdline *c, const struct jobs *a,
		   unsigned stream)
{
	char *before = NULL;
	for (size_t i = 0; i < a->n; i++) {
		const struct job *j = &a->job[i];
		char *text = infile_rest(j->stream[stream], NULL);
		const char *rest = text, *line;
		size_t n;
		if (text && before && !strcmp(before, text))
			rest = NULL;
		while (rest && (line = next_line(&rest, &n)))
			if (a->n == 1)
				print_note(c, "%.*s", (int)n, line);
			else
				print_note(c, "arm %s: %.*s", j->name, (int)n,
					   line);
		free(before);
		before = text;
	}
	free(before);
}

/* ---- how commands begin ---- */

int open_output(struct outfile *o, const struct cmdline *c, struct problem *p)
{
	if (outfile_open(o, c->output, p) < 0)
		return -1;
	int rc = c->cite ? outfile_through(o, cite_finish, p)
		 : c->format == FORMAT_JSON
		     ? outfile_through(o, identity_finish, p)
		     : outfile_for_people(o, p);
	if (rc < 0)
		outfile_discard(o);
	return rc;
}

/* What a user should know of a configuration that is in order. */
void print_config_note(const struct config *config, const struct cmdline *c)
{
	for (size_t i = 0; i < config->notes.n; i++)
		print_note(c, "%s", config->notes.item[i]);
	for (size_t i = 0; i < config->n_arms; i++)
		if (config->arm[i].shadowed)
			print_note(
			    c, "%s: %s is not used, an earlier folder has one",
			    config->arm[i].name, config->arm[i].shadowed);
}

int open_config(struct config *config, const struct cmdline *c,
		struct problem *p)
{
	if (config_load(config, c->arg[0], c->set.item, c->set.n, c->arms, p) <
	    0)
		return -1;
	print_config_note(config, c);
	return 0;
}

void print_priced_config_note(const struct config *config,
			      const struct cmdline *c)
{
	struct problem split;
	print_config_note(config, c);
	for (size_t i = 0; i < config->n_arms; i++)
		if (config_check_split(config, i, &split) < 0) {
			print_note(
			    c, "warning: no engine is known to serve this: %s",
			    split.text);
			break;
		}
}

int open_kernels_config(struct config *config, const struct cmdline *c,
			struct problem *p)
{
	if (config_load_kernels(config, c->arg[0], c->set.item, c->set.n,
				c->arms, p) < 0)
		return -1;
	print_priced_config_note(config, c);
	return 0;
}

sc_host command_host(const struct cmdline *c)
{
	return c->quiet ? host_silent : host_saying(stderr);
}
