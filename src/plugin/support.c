/* support.c -- Lets child processes create instances for a model. */
#include "plugin/support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cost/cost.h"
#include "plugin/loader.h"
#include "plugin/schema.h"

const sc_hardware plugin_support_gpu = {
    .size = sizeof plugin_support_gpu,
    .sm_count = 132,
    .name = "h100",
    .peak_flops = {[SC_FP32] = 6.7e13,
		   [SC_FP16] = 9.895e14,
		   [SC_BF16] = 9.895e14,
		   [SC_FP8] = 1.979e15,
		   [SC_INT8] = 1.979e15,
		   [SC_FP4] = 1.979e15,
		   [SC_INT4] = 1.979e15},
    .mem_bandwidth = 3.35e12,
    .mem_bytes = 8e10,
    .l2_bytes = 5e7,
    .link_bandwidth = 4.5e11,
    .link_latency_us = 1,
    .net_bandwidth = 5e10,
    .net_latency_us = 5,
};

struct question {
	const char *file;
	const sc_setup *setup;
};
/* What the child tells. */
struct reply {
	int32_t code;
	char why[sizeof((struct plugin_support *)0)->why];
};

static int32_t create(const struct plugin *m, const sc_setup *setup,
		      struct problem *why, struct problem *p)
{
	const struct ini none = {0};
	struct cost c = {0};
	void *knobs = knobs_new(&m->p, &none, "", p);
	if (!knobs)
		return SC_ENOMEM;
	cost_create(&c, &m->p, setup, knobs, why);
	int32_t code = c.code;
	cost_destroy(&c);
	free(knobs);
	return code;
}

/* Creates an instance of a plugin for the model in a child process; the reply
 * says whether that worked. */
static int ask(struct job *j, struct problem *p)
{
	const struct question *q = j->user;
	struct reply *r = j->shared;
	struct problem why = {0};
	struct plugin m = {0};
	watch_enter(j->watch, JOB_IN_LOAD, j->name);
	int rc = plugin_open(&m, q->file, p);
	if (watch_leave(j->watch) < 0)
		return -1;
	if (rc < 0)
		return rc;
	watch_enter(j->watch, JOB_IN_CREATE, j->name);
	r->code = create(&m, q->setup, &why, p);
	if (watch_leave(j->watch) < 0)
		return -1;
	snprintf(r->why, sizeof r->why, "%.*s", (int)sizeof r->why - 1,
		 why.text);
	watch_enter(j->watch, JOB_IN_UNLOAD, j->name);
	plugin_close(&m);
	return watch_leave(j->watch);
}

/* Reads from the job's reply whether the plugin supports the model. */
static void take(struct plugin_support *s, const struct job *j)
{
	const struct reply *r = j->shared;
	const char *why =
	    j->problem->code == EXIT_DONE ? r->why : j->problem->text;
	if (j->problem->code == EXIT_DONE && r->code == SC_OK) {
		s->is = SUPPORT_YES;
		return;
	}
	s->is = j->problem->code == EXIT_DONE && r->code == SC_ENODATA
		    ? SUPPORT_WITH_TABLES
		    : SUPPORT_NO;
	/* "NAME: create: why" */
	size_t n = strlen(s->name);
	if (!strncmp(why, s->name, n) && !strncmp(why + n, ": create: ", 10))
		why += n + 10;
	snprintf(s->why, sizeof s->why, "%.*s", (int)sizeof s->why - 1, why);
}

/* Lists the plugins that are asked. */
static size_t list(const struct installed *l, const sc_setup *setup,
		   struct question *q, struct plugin_support *s,
		   struct job *job)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct plugin_query *of = &l->plugin[i];
		if (of->problem.code != EXIT_DONE ||
		    of->about.is.capabilities & SC_CAP_DOES_IO)
			continue;
		q[n] = (struct question){of->file, setup};
		s[n] = (struct plugin_support){.name = of->about.is.name};
		job[n] = (struct job){.name = of->about.is.name,
				      .plugin = of->about.is.name,
				      .user = &q[n]};
		n++;
	}
	return n;
}

int plugin_support_ask(struct plugin_support **s, const struct installed *l,
		       const sc_setup *setup, struct problem *p)
{
	const struct jobs_options how = {.answer_limit_s = JOB_ANSWER_LIMIT_S,
					 .memory_limit_gib =
					     JOB_MEMORY_LIMIT_GIB,
					 .shared_bytes = sizeof(struct reply)};
	struct jobs all = {0};
	struct question *q = calloc(l->n + 1, sizeof *q);
	struct job *job = calloc(l->n + 1, sizeof *job);
	size_t n = 0;
	*s = calloc(l->n + 1, sizeof **s);
	int rc = q && job && *s ? 0 : problem_no_memory(p);
	if (rc == 0) {
		n = list(l, setup, q, *s, job);
		rc = jobs_run(&all, job, n, ask, &how, p);
	}
	for (size_t i = 0; rc == 0 && i < n; i++)
		take(&(*s)[i], &job[i]);
	jobs_free(&all);
	free(q), free(job);
	if (rc == 0)
		return (int)n;
	free(*s);
	*s = NULL;
	return -1;
}
