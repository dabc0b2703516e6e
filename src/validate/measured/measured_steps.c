/* measured_steps.c -- Reads logs of engine steps from CSV. */
#include <config.h>
#include "validate/measured/measured_steps.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/infile.h"
#include "validate/measured/aliases.h"

#define BLOCK_TOKENS 16
#define WARM_UP_US 60e6

enum {
	RUN,
	TP,
	TIME,
	RUNNING,
	N_PREFILL,
	N_DECODE,
	PREFILL_TOKENS,
	TOTAL,
	FREE,
	INTERVAL,
	N_REQUIRED,
	MODEL = N_REQUIRED,
	GPU,
	N_NAMES
};
static const char *const name[N_NAMES] = {"run",
					  "tensor_parallel_size",
					  "time_us",
					  "running",
					  "n_prefill",
					  "n_decode",
					  "prefill_tokens",
					  "blocks_total",
					  "blocks_free",
					  "interval_us",
					  "model",
					  "gpu"};

struct reading {
	struct measured_steps *m;
	const struct ini *aliases;
	int at[N_NAMES]; /* cell, -1: none */
	char message[120];
};

static const char *header(struct reading *r, uint32_t n, char *const *cell)
{
	for (int k = 0; k < N_NAMES; k++) {
		r->at[k] = -1;
		for (uint32_t i = 0; i < n; i++) {
			if (!strcmp(alias_of_column(r->aliases, cell[i]),
				    name[k]))
				r->at[k] = (int)i;
		}
		if (r->at[k] < 0 && k < N_REQUIRED) {
			snprintf(r->message, sizeof r->message, "no column %s",
				 name[k]);
			return r->message;
		}
	}
	return NULL;
}

/* The longest known name of a model that the run's name contains. */
static const char *model_in(const struct ini *aliases, const char *run)
{
	const char *found = NULL;
	size_t longest = 0;
	for (size_t i = 0; aliases && i < aliases->n; i++) {
		const struct ini_item *t = &aliases->item[i];
		if (!strcmp(t->section, "model") && strstr(run, t->key) &&
		    strlen(t->key) > longest) {
			longest = strlen(t->key);
			found = t->value;
		}
	}
	return found;
}

static const char *add_run(struct reading *r, char *const *cell, double tp,
			   size_t *index)
{
	struct measured_steps *m = r->m;
	const char *run = cell[r->at[RUN]];
	const char *model = r->at[MODEL] >= 0 ? alias_of(r->aliases, "model",
							 cell[r->at[MODEL]])
					      : model_in(r->aliases, run);
	for (*index = 0; *index < m->n_runs; ++*index)
		if (!strcmp(m->run[*index].name, run))
			return NULL;
	if (!model)
		return "no model is known by a part of the run's name";
	struct step_run *all = realloc(m->run, (m->n_runs + 1) * sizeof *all);
	if (!all)
		return out_of_memory;
	m->run = all;
	all[m->n_runs++] = (struct step_run){
	    .name = strdup(run),
	    .model = strdup(model),
	    .gpu = r->at[GPU] >= 0
		       ? strdup(alias_of(r->aliases, "gpu", cell[r->at[GPU]]))
		       : NULL,
	    .tensor_parallel_size = (uint32_t)tp};
	return NULL;
}

static const char *numbers(struct reading *r, char *const *cell,
			   double v[N_REQUIRED])
{
	for (int k = RUN + 1; k < N_REQUIRED; k++) {
		const char *s = cell[r->at[k]];
		char *end;
		v[k] = *s ? strtod(s, &end) : (double)NAN;
		if ((*s && (*end || !isfinite(v[k]) || v[k] < 0)) ||
		    (!*s && k != INTERVAL)) {
			snprintf(r->message, sizeof r->message,
				 "%s is not a number", name[k]);
			return r->message;
		}
	}
	return NULL;
}

static const char *on_log_row(void *user, uint64_t row, uint32_t n,
			      char *const *cell)
{
	struct reading *r = user;
	struct measured_steps *m = r->m;
	double v[N_REQUIRED];
	size_t run;
	if (!row)
		return header(r, n, cell);
	const char *why = numbers(r, cell, v);
	if (!why && !(v[TP] >= 1 && v[TP] <= 1024))
		why = "tensor_parallel_size is not in [1, 1024]";
	if (!why &&
	    (v[N_DECODE] > MEASURED_STEP_SEQUENCES ||
	     v[N_PREFILL] > MEASURED_STEP_SEQUENCES || v[PREFILL_TOKENS] > 1e8))
		why = "a step cannot be so large";
	if (!why)
		why = add_run(r, cell, v[TP], &run);
	if (why || v[TIME] < WARM_UP_US || !(v[INTERVAL] > 0) ||
	    v[RUNNING] < 1 || v[N_DECODE] + v[N_PREFILL] < 1)
		return why;
	if (m->n == m->cap) {
		size_t cap = m->cap ? 2 * m->cap : 1024;
		struct measured_step *all = realloc(m->step, cap * sizeof *all);
		if (!all)
			return out_of_memory;
		m->step = all;
		m->cap = cap;
	}
	m->step[m->n++] = (struct measured_step){
	    .run = run,
	    .n_prefill = (uint32_t)v[N_PREFILL],
	    .n_decode = (uint32_t)v[N_DECODE],
	    .prefill_tokens = (uint32_t)v[PREFILL_TOKENS],
	    .running = (uint32_t)v[RUNNING],
	    .context = (v[TOTAL] - v[FREE]) * BLOCK_TOKENS / v[RUNNING],
	    .interval_us = v[INTERVAL]};
	return NULL;
}

int measured_steps_read(struct measured_steps *m, const char *path,
			const struct ini *aliases, struct problem *p)
{
	struct reading r = {.m = m, .aliases = aliases};
	*m = (struct measured_steps){0};
	FILE *f = infile_open(path, p);
	if (!f)
		return -1;
	int rc = csv_read(f, path, on_log_row, &r, p);
	fclose(f);
	if (rc == 0 && !m->n)
		rc = problem_set(p, EXIT_INPUT,
				 "%s:1: no steps after the first minute", path);
	return rc;
}

void measured_steps_free(struct measured_steps *m)
{
	for (size_t i = 0; i < m->n_runs; i++) {
		free(m->run[i].name);
		free(m->run[i].model);
		free(m->run[i].gpu);
	}
	free(m->run);
	free(m->step);
	*m = (struct measured_steps){0};
}
