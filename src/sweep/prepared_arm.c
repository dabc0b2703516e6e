/* prepared_arm.c -- Takes a worker from one point to the next. */
#include "sweep/prepared_arm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "sim/simulation.h"

enum { NEVER_SET = UINT32_MAX };

int prepared_arm_open(struct prepared_arm *b, struct pool_worker *w,
		      const struct plan *plan, struct config *c,
		      size_t shared_bytes, struct problem *p)
{
	*b = (struct prepared_arm){.worker = w,
				   .plan = plan,
				   .config = c,
				   .shared_bytes = shared_bytes,
				   .host = host_writing(NULL)};
	b->at = calloc(plan->n_axes + 1, sizeof *b->at);
	if (!b->at)
		return problem_no_memory(p);
	for (size_t a = 0; a < plan->n_axes; a++)
		b->at[a] = NEVER_SET;
	return 0;
}

/* ---- the point ---- */

static int set_axis(struct prepared_arm *b, const struct plan_axis *x,
		    const char *value, struct problem *p)
{
	struct ini *cfg = &b->config->cfg;
	char section[256];
	const char *key = x->name + x->dot + 1;
	snprintf(section, sizeof section, "%.*s", (int)x->dot, x->name);
	b->pending |= config_parts(section, key);
	if (*value)
		return ini_put(cfg, section, key, value, b->plan->option, p);
	ini_drop(cfg, section, key);
	return 0;
}

static int set_axes(struct prepared_arm *b, size_t point, struct problem *p)
{
	const struct plan *l = b->plan;
	for (size_t a = 0; a < l->n_axes; a++) {
		uint32_t at = l->at[point * l->n_axes + a];
		if (at == b->at[a])
			continue;
		if (set_axis(b, &l->axis[a], plan_value(l, point, a), p) < 0)
			return -1;
		b->at[a] = at;
	}
	return 0;
}

/* An arm that was prepared for one pool cannot become one for two. */
static void leave_if_apart_changed(struct prepared_arm *b)
{
	if (!b->is_prepared || b->config->is_apart == b->was_apart)
		return;
	arm_work_close(&b->work);
	b->is_prepared = 0;
}

int prepared_arm_prepare(struct prepared_arm *b, size_t point,
			 struct problem *p)
{
	struct config *c = b->config;
	if (set_axes(b, point, p) < 0)
		return -1;
	unsigned parts = b->pending;
	b->pending = CONFIG_ALL;
	if (parts && config_renew(c, parts, p) < 0)
		return -1;
	leave_if_apart_changed(b);
	b->was_apart = c->is_apart;
	int rc = b->is_prepared ? arm_prepare_again(&b->work.arm, parts, p)
				: arm_prepare(&b->work.arm, c, b->worker->group,
					      &b->host, p);
	b->is_prepared = 1;
	if (rc == 0)
		b->pending = 0;
	b->renewed = parts;
	return rc;
}

/* ---- the instance ---- */

void prepared_arm_warn(char out[STORE_WARNING], size_t n_line, const char *line)
{
	size_t n = strlen(out);
	/* The pools of one configuration may say the same. */
	if (memmem(out, n, line, n_line))
		return;
	snprintf(out + n, STORE_WARNING - n, "%s%.*s", n ? "; " : "",
		 (int)n_line, line);
}

/* Takes the warnings of cost models; other messages are dropped. */
static void take_warnings(const char *said, char out[STORE_WARNING])
{
	static const char begin[] = "warning: ";
	const size_t n_begin = sizeof begin - 1;
	while (said && *said) {
		size_t n = strcspn(said, "\n");
		if (!strncmp(said, begin, n_begin))
			prepared_arm_warn(out, n - n_begin, said + n_begin);
		said += n + (said[n] == '\n');
	}
}

int prepared_arm_create(struct prepared_arm *b, char warning[STORE_WARNING],
			struct problem *p)
{
	FILE *f = text_open(&b->said, &b->said_bytes);
	b->host.ctx = f;
	int rc = arm_work_create(&b->work, b->worker->watch, p);
	b->host.ctx = NULL;
	if (f && fclose(f) == 0)
		take_warnings(b->said, warning);
	free(b->said);
	b->said = NULL;
	return rc;
}

int prepared_arm_destroy(struct prepared_arm *b, int is_created, int rc,
			 struct problem *p)
{
	/* A plugin that refused may have done something forbidden as well. */
	if ((rc == 0 || !is_created) && arm_work_look(&b->work, p) < 0)
		rc = -1;
	arm_work_destroy(&b->work);
	return rc;
}

void *prepared_arm_step_memory(struct prepared_arm *b, struct problem *p)
{
	size_t bytes = simulation_step_bytes(&b->work.arm.engine);
	void *at = b->worker->shared;
	if (bytes > b->shared_bytes) {
		if (bytes > b->step_bytes) {
			free(b->step_memory);
			b->step_memory = malloc(bytes);
			b->step_bytes = b->step_memory ? bytes : 0;
		}
		at = b->step_memory;
	}
	if (at)
		memset(at, 0, bytes);
	else
		problem_no_memory(p);
	return at;
}

void prepared_arm_close(struct prepared_arm *b)
{
	if (b->is_prepared)
		arm_work_close(&b->work);
	free(b->step_memory), free(b->at);
	*b = (struct prepared_arm){0};
}

/* ---- the state of a worker ---- */

void *prepared_arm_of(struct pool_worker *w, size_t size,
		      const struct plan *plan, struct config *c,
		      size_t shared_bytes, struct problem *p)
{
	if (w->own)
		return w->own;
	w->own = calloc(1, size);
	if (!w->own) {
		problem_no_memory(p);
		return NULL;
	}
	if (prepared_arm_open(w->own, w, plan, c, shared_bytes, p) < 0)
		prepared_arm_leave(w, NULL);
	return w->own;
}

void prepared_arm_leave(struct pool_worker *w, void *user)
{
	(void)user;
	if (w->own)
		prepared_arm_close(w->own);
	free(w->own);
	w->own = NULL;
}
