/* cmd.c -- Says what commands have to say, in one way. */
#include <config.h>
#include "cmd/cmd.h"
#include <stdarg.h>
#include <stdio.h>
#include "arm/host.h"
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

static void say_shadowed(const struct config *config, const struct cmdline *c)
{
	for (size_t i = 0; i < config->n_arms; i++)
		if (config->arm[i].shadowed)
			note(c, "%s: %s is not used, an earlier folder has one",
			     config->arm[i].name, config->arm[i].shadowed);
}

int open_config(struct config *config, const struct cmdline *c,
		struct problem *p)
{
	if (config_load(config, c->arg[0], c->set.item, c->set.n, c->arms, p) <
	    0)
		return -1;
	say_shadowed(config, c);
	return 0;
}

int open_priced_config(struct config *config, const struct cmdline *c,
		       struct problem *p)
{
	struct problem split;
	if (config_load_priced(config, c->arg[0], c->set.item, c->set.n,
			       c->arms, NULL, p) < 0)
		return -1;
	say_shadowed(config, c);
	if (config_check_split(config, &split) < 0)
		note(c, "warning: no engine serves it so: %s", split.text);
	return 0;
}

sc_host command_host(const struct cmdline *c)
{
	return c->quiet ? host_silent : host_saying(stderr);
}
