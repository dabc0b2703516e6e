/* pricer.c -- Starts arms that price, and asks them. */
#include "oracle/pricer.h"
#include "oracle/batch.h"
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- in the child ---- */

/* Writes what the arm is into its slot, for the first line of the oracle. */
static void describe(struct pricer_slot *s, const struct arm *a)
{
	size_t at = 0;
	snprintf(s->version, sizeof s->version, "%s", a->plugin.p.version);
	snprintf(s->model, sizeof s->model, "%s",
		 a->model.name ? a->model.name : "");
	snprintf(s->hardware, sizeof s->hardware, "%s",
		 a->setup.hardware->name ? a->setup.hardware->name : "");
	s->tp = (int)a->parallel.tp;
	s->ep = (int)a->parallel.ep;
	s->pp = (int)a->parallel.pp;
	s->dp = (int)a->parallel.dp;
	for (uint32_t i = 0; i < a->setup.n_tables; i++) {
		const char *set = a->setup.table[i]->set;
		if (set && !strstr(s->tables, set) &&
		    at + strlen(set) + 2 < sizeof s->tables)
			at += (size_t)snprintf(s->tables + at,
					       sizeof s->tables - at, "%s%s",
					       at ? "," : "", set);
	}
}

/* Prices the question in the slot, or writes there why it is refused. */
static int price(struct pricer_slot *s, struct arm *a, struct problem *p)
{
	const sc_step *step = &s->question.step;
	const sc_result *r;
	struct problem why = {0};
	int rc = batch_price(a, step, &r, &why);
	s->refusal = why;
	if (rc == 0 && step->n_prefill + step->n_decode)
		s->price = (struct oracle_price){
		    *r, floor_mark(&a->cost.floor, step, r)};
	else if (rc == 0)
		s->price = (struct oracle_price){.result = cost_blank};
	if (rc < 0)
		*p = why;
	return rc < 0 ? -1 : 0;
}

/* The loop of an arm's child: a byte from the parent asks for the question in
 * the slot, a byte back says that it is answered. */
static int work(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct arm_process *is = ctx;
	struct pricer_slot *s = (struct pricer_slot *)is->slot;
	char byte = 1;
	(void)j;
	describe(s, a);
	fflush(is->said);
	while (write(is->child_fd, &byte, 1) == 1) {
		ssize_t got;
		while ((got = read(is->child_fd, &byte, 1)) < 0 &&
		       errno == EINTR)
			;
		if (got != 1)
			break;
		if (price(s, a, p) < 0)
			return -1;
	}
	return 0;
}

/* ---- in the parent ---- */

static int start(struct pricer *r, size_t i, const struct config *c,
		 struct problem *p)
{
	r->arm[i] = (struct arm_process){
	    .config = c,
	    .arm = i,
	    .slot_bytes = sizeof(struct pricer_slot),
	    .shown_at = offsetof(struct pricer_slot, columns),
	    .work = work};
	return arm_process_start(&r->arm[i], &r->children, &r->child[i], p);
}

/* Waits for the arm's answer. */
static int await(struct pricer *r, size_t i, struct problem *p)
{
	struct arm_process *a = &r->arm[i];
	char byte;
	for (;;) {
		struct pollfd at[2] = {
		    {.fd = a->fd, .events = POLLIN},
		    {.fd = r->children.signals, .events = POLLIN}};
		poll(at, 2, 50);
		if (at[0].revents && read(a->fd, &byte, 1) == 1)
			return 0;
		if (at[0].revents == 0 && at[1].revents == 0) {
			children_look(&r->children);
		} else {
			if (children_wait(&r->children, 0, p) < 0)
				return -1;
			children_look(&r->children);
		}
		if (a->is_dead)
			return problem_set(
			    p, a->code ? a->code : EXIT_PLUGIN, "%s",
			    a->failure ? a->failure : "the arm is gone");
	}
}

int pricer_open(struct pricer *r, const struct config *c, double answer_limit_s,
		double memory_limit_gib, struct problem *p)
{
	*r = (struct pricer){.n = c->n_arms < PRICER_ARMS ? c->n_arms
							  : PRICER_ARMS};
	r->children = (struct children){.child = r->child,
					.n = (unsigned)r->n,
					.answer_limit_s = answer_limit_s,
					.memory_limit_gib = memory_limit_gib,
					.ended = arm_process_ended};
	for (size_t i = 0; i < r->n; i++)
		r->arm[i].fd = -1;
	if (children_open(&r->children, p) < 0)
		return -1;
	for (size_t i = 0; i < r->n; i++)
		if (start(r, i, c, p) < 0)
			return -1;
	for (size_t i = 0; i < r->n; i++)
		if (await(r, i, p) < 0)
			return -1;
	return 0;
}

const struct oracle_price *pricer_price(struct pricer *r, size_t arm,
					const struct question *q,
					struct problem *p)
{
	struct arm_process *a = &r->arm[arm];
	struct pricer_slot *s = pricer_slot(r, arm);
	const char byte = 1;
	if (a->is_dead) {
		problem_set(p, EXIT_PLUGIN, "%s",
			    a->failure ? a->failure : "the arm is gone");
		return NULL;
	}
	s->question = *q;
	s->question.id = NULL;
	s->question.arm = NULL;
	if (write(a->fd, &byte, 1) != 1 || await(r, arm, p) < 0) {
		if (a->is_dead || p->code >= 128)
			return NULL;
		await(r, arm, p);
		return NULL;
	}
	if (s->refusal.code != EXIT_DONE) {
		*p = s->refusal;
		return NULL;
	}
	return &s->price;
}

void pricer_close(struct pricer *r)
{
	struct problem p;
	for (size_t i = 0; i < r->n; i++)
		if (r->arm[i].fd >= 0) {
			close(r->arm[i].fd);
			r->arm[i].fd = -1;
		}
	children_close(&r->children, -1, &p);
	for (size_t i = 0; i < r->n; i++)
		arm_process_close(&r->arm[i], &r->child[i]);
}
