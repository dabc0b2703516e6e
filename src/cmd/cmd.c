/* cmd.c -- Says what commands have to say, in one way. */
#include <config.h>
#include "cmd/cmd.h"
#include <stdarg.h>
#include <stdio.h>
#include "arm/host.h"
#include "base/names.h"
#include "jobs/jobs.h"

int complain(const struct problem *p)
{
	fprintf(stderr, "stepcost: %s\n", p->text);
	return p->code;
}

int complain_too(int code, const struct problem *p)
{
	int other = complain(p);
	return code > other ? code : other;
}

int complain_of_jobs(const struct jobs *a)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < a->n; i++) {
		const struct job *j = &a->job[i];
		if (!j->complaint)
			continue;
		fprintf(stderr, "stepcost: %s\n", j->complaint);
		code = j->problem->code > code ? j->problem->code : code;
	}
	return code;
}

void note(const struct cmdline *c, const char *fmt, ...)
{
	va_list ap;
	if (c->quiet)
		return;
	fputs("stepcost: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	putc('\n', stderr);
}

void note_lines(const struct cmdline *c, const char *before,
		const struct names *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		note(c, "%s%s%s", before, *before ? ": " : "", lines->item[i]);
}

int open_config(struct config *config, const struct cmdline *c,
		struct problem *p)
{
	if (config_load(config, c->arg[0], c->set.item, c->set.n, c->arms, p) <
	    0)
		return -1;
	for (size_t i = 0; i < config->n_arms; i++)
		if (config->arm[i].shadowed)
			note(c, "%s: %s is not used, an earlier folder has one",
			     config->arm[i].name, config->arm[i].shadowed);
	return 0;
}

sc_host command_host(const struct cmdline *c)
{
	return c->quiet ? host_silent : host_saying(stderr);
}
