/* checks_bits.c -- Checks that the same step gives the same bits, in any order
 * and from any instance. */
#include "plugin/checks_bits.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/arrays.h"
#include "stepcost/sum.h"

int check_same_bits(struct subject *s, struct problem *p)
{
	sc_result *r = subject_ask_all(s, &s->a, p);
	int rc = r ? 0 : -1;
	for (size_t i = s->steps->n; rc == 0 && i-- > 0;)
		rc = subject_ask_again(s, &s->a, i, &r[i], p) < 0
			 ? -1
			 : subject_ask_again(s, &s->a, i, &r[i], p);
	free(r);
	return rc;
}

int check_interleaved(struct subject *s, struct problem *p)
{
	struct cost b = {0};
	sc_result *r = subject_ask_all(s, &s->a, p);
	int rc = r ? subject_create(s, &b, p) : -1;
	for (size_t i = 0; rc == 0 && i < s->steps->n; i++) {
		rc = subject_ask_again(s, &s->a, i, &r[i], p);
		size_t other = s->steps->n - 1 - i;
		if (rc == 0)
			rc = subject_ask_again(s, &b, other, &r[other], p);
	}
	if (b.p)
		subject_destroy(s, &b);
	free(r);
	return rc;
}

struct thread {
	struct cost cost;
	const struct steps *steps;
	const sc_result *alone;
	size_t odd_one; /* the first step with another result */
	int backwards, odd;
};

static void *in_thread(void *user)
{
	struct thread *t = user;
	struct problem p;
	size_t n = t->steps->n;
	for (size_t round = 0; round < 3 && !t->odd; round++)
		for (size_t i = 0; i < n && !t->odd; i++) {
			size_t k = t->backwards ? n - 1 - i : i;
			const sc_result *r =
			    cost_eval(&t->cost, &t->steps->item[k].step, &p);
			if (memcmp(r ? r : &cost_blank, &t->alone[k],
				   sizeof *r)) {
				t->odd = 1;
				t->odd_one = k;
			}
		}
	return NULL;
}

int check_threads(struct subject *s, struct problem *p)
{
	struct thread t[2] = {{.steps = s->steps},
			      {.steps = s->steps, .backwards = 1}};
	pthread_t id[2];
	sc_result *r = subject_ask_all(s, &s->a, p);
	int rc = r ? 0 : -1, n = 0;
	for (int i = 0; i < 2 && rc == 0; i++) {
		t[i].alone = r;
		rc = subject_create(s, &t[i].cost, p);
	}
	watch_enter(s->watch, JOB_IN_EVAL, s->plugin->p.name);
	while (rc == 0 && n < 2)
		if (pthread_create(&id[n], NULL, in_thread, &t[n]) == 0)
			n++;
		else
			rc = problem_set(p, EXIT_USAGE, "no thread");
	while (n)
		pthread_join(id[--n], NULL);
	watch_leave(s->watch);
	for (int i = 0; i < 2 && rc == 0; i++)
		if (t[i].odd) {
			subject_note_step(s,
					  &s->steps->item[t[i].odd_one].step);
			rc = problem_set(p, EXIT_SAYS_NO,
					 "other bits than when asked alone");
		}
	for (int i = 0; i < 2; i++)
		if (t[i].cost.p)
			subject_destroy(s, &t[i].cost);
	free(r);
	return rc;
}

/* Reverses the requests, or shifts them by one. */
static void permute(struct owned_step *to, const sc_step *from, int shift)
{
	owned_step_from(to, from);
	uint32_t np = to->n_prefill, nd = to->n_decode;
	for (uint32_t i = 0; i < np; i++) {
		uint32_t k = shift ? (i + 1) % np : np - 1 - i;
		to->prefill_new[i] = from->prefill_new[k];
		to->prefill_ctx[i] = from->prefill_ctx[k];
	}
	for (uint32_t i = 0; i < nd; i++)
		to->decode_ctx[i] =
		    from->decode_ctx[shift ? (i + 1) % nd : nd - 1 - i];
}

int check_permuted(struct subject *s, struct problem *p)
{
	/* static: only this check runs in the process */
	static struct owned_step permuted;
	for (size_t i = 0; i < s->steps->n; i++)
		for (int shift = 0; shift < 2; shift++) {
			sc_step base = s->steps->item[i].step, other;
			sc_result a, b;
			int rc = subject_ask(s, &s->a, &base, &a, p);
			permute(&permuted, &base, shift);
			other = owned_step_step(&permuted);
			other.step_index = base.step_index;
			other.n_sampled = base.n_sampled;
			if (rc == ANSWER_PRICED)
				rc = subject_ask(s, &s->a, &other, &b, p);
			if (rc == ANSWER_PRICED &&
			    answers_compare(&a, &b, p) < 0)
				rc = -1;
			if (rc < 0) {
				subject_note_step(s, &base);
				return -1;
			}
		}
	return 0;
}

int check_reported_sum(struct subject *s, struct problem *p)
{
	for (size_t i = 0; i < s->steps->n; i++) {
		sc_step step = s->steps->item[i].step;
		sc_result a, b;
		step.decode_ctx_sum = 0;
		int rc = subject_ask(s, &s->a, &step, &a, p);
		if (rc == ANSWER_REFUSED)
			a = cost_blank;
		step.decode_ctx_sum = sc_decode_ctx_sum(&step);
		if (rc >= 0)
			rc = subject_ask(s, &s->a, &step, &b, p);
		if (rc == ANSWER_REFUSED)
			b = cost_blank;
		if (rc < 0 || answers_compare(&a, &b, p) < 0)
			return -1;
	}
	return 0;
}

/* A result with room for fields of later versions of plugin.h. */
struct roomy {
	sc_result is;
	unsigned char slack[COST_SLACK_BYTES];
};

struct batch {
	/* steps of the subject, with the sum of contexts or without */
	sc_step *copy;
	const sc_step **step;
	sc_result **out;
	struct roomy *room;
	uint32_t n, priced; /* refused steps come last */
	struct arrays arrays;
};

static int batch_new(struct batch *b, const struct subject *s, int has_ctx_sum,
		     const sc_result *alone, struct problem *p)
{
	size_t n = s->steps->n;
	b->copy = arrays_add(&b->arrays, n, sizeof *b->copy);
	b->step = arrays_add(&b->arrays, n, sizeof *b->step);
	b->out = arrays_add(&b->arrays, n, sizeof *b->out);
	b->room = arrays_add(&b->arrays, n, sizeof *b->room);
	if (b->arrays.out_of_memory)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++) {
		b->copy[i] = s->steps->item[i].step;
		b->copy[i].decode_ctx_sum =
		    has_ctx_sum ? sc_decode_ctx_sum(&b->copy[i]) : 0;
	}
	for (int refused = 0; refused < 2; refused++)
		for (size_t i = 0; i < n; i++) {
			/* A step that was refused was left blank. */
			int blank =
			    !memcmp(&alone[i], &cost_blank, sizeof *alone);
			if (blank != refused)
				continue;
			b->room[b->n].is = cost_blank;
			b->out[b->n] = &b->room[b->n].is;
			b->step[b->n++] = &b->copy[i];
			b->priced += !refused;
		}
	return 0;
}

static int compare_batch(struct subject *s, struct batch *b, struct problem *p)
{
	struct {
		sc_error is;
		unsigned char slack[COST_SLACK_BYTES];
	} err = {.is = {.size = sizeof err.is}};
	uint32_t done = UINT32_MAX;
	watch_enter(s->watch, JOB_IN_EVAL, s->plugin->p.name);
	int32_t rc = s->a.p->eval_batch(s->a.inst, b->n, b->step, b->out, &done,
					&err.is);
	watch_leave(s->watch);
	if (b->priced == b->n && rc != SC_OK)
		return problem_set(p, EXIT_SAYS_NO,
				   "eval_batch() fails where eval() does not");
	if (b->priced < b->n && (rc == SC_OK || done != b->priced))
		return problem_set(p, EXIT_SAYS_NO,
				   "eval_batch() does not stop at the first "
				   "step that eval() refuses");
	for (uint32_t i = 0; i < b->priced; i++) {
		sc_result one;
		if (subject_ask(s, &s->a, b->step[i], &one, p) != ANSWER_PRICED)
			return -1;
		b->out[i]->size = sizeof one;
		if (answers_compare(&one, b->out[i], p) < 0)
			return -1;
	}
	return 0;
}

/* Checks that eval_batch() gives the same bits as eval(), for all steps
 * together and for each alone. */
static int batches(struct subject *s, int has_ctx_sum, const sc_result *alone,
		   struct problem *p)
{
	struct batch b = {0};
	int rc = batch_new(&b, s, has_ctx_sum, alone, p);
	if (rc == 0)
		rc = compare_batch(s, &b, p);
	/* Ask also for each step by itself. */
	for (uint32_t i = 0; rc == 0 && i < b.priced; i++) {
		*b.out[i] = cost_blank;
		rc = compare_batch(s,
				   &(struct batch){.step = &b.step[i],
						   .out = &b.out[i],
						   .n = 1,
						   .priced = 1},
				   p);
	}
	arrays_free(&b.arrays);
	return rc;
}

int check_batches(struct subject *s, struct problem *p)
{
	if (!s->a.p->eval_batch) {
		fputs("has no eval_batch\n", s->notes);
		return 0;
	}
	sc_result *alone = subject_ask_all(s, &s->a, p);
	int rc = alone ? batches(s, 0, alone, p) : -1;
	if (rc == 0)
		rc = batches(s, 1, alone, p);
	free(alone);
	return rc;
}
