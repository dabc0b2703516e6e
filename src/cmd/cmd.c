/* cmd.c -- what commands say, in one way. */
#include <config.h>
#include "cmd/cmd.h"
#include <stdarg.h>
#include <stdio.h>
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

static void host_log(const sc_host *h, int32_t level, const char *text)
{
	const struct cmdline *c = h->ctx;
	static const char *const word[] = {"debug", "info", "warning"};
	if (level >= 1 && !c->quiet)
		fprintf(stderr, "stepcost: %s: %s\n",
			word[level < 2 ? level : 2], text);
}

static const void *host_extension(const sc_host *h, const char *id)
{
	(void)h, (void)id;
	return NULL;
}

sc_host command_host(const struct cmdline *c)
{
	return (sc_host){.size = sizeof(sc_host),
			 .abi_minor = SC_ABI_MINOR,
			 .ctx = (void *)(uintptr_t)c,
			 .log = host_log,
			 .extension = host_extension};
}
