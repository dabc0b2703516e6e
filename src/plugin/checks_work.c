/* checks_work.c -- Checks that an answer and its parts are plausible, and that
 * more work takes no less time. */
#include "plugin/checks_work.h"
#include <math.h>
#include <string.h>
#include "cost/breakdown.h"

/* ---- promises ---- */

/* Checks that the plugin prices steps.  It may refuse some of them; all only
 * with may_refuse, because it then promised nothing about such steps. */
static int prices(struct subject *s, int may_refuse, struct problem *p)
{
	size_t refused = 0, first = 0;
	for (size_t i = s->steps->n; i-- > 0;) {
		sc_result r;
		int rc = subject_ask(s, &s->a, &s->steps->item[i].step, &r, p);
		if (rc < 0)
			return -1;
		if (rc == ANSWER_REFUSED) {
			refused++;
			first = i;
		}
	}
	if (refused == s->steps->n && refused > 1 && !may_refuse) {
		p->code = EXIT_SAYS_NO;
		return -1; /* with the plugin's own words */
	}
	if (refused) {
		fprintf(s->notes, "refuses %zu of %zu steps: %s: ", refused,
			s->steps->n, p->text);
		subject_note_row(s->notes, &s->steps->item[first].step);
	}
	return 0;
}

int check_prices(struct subject *s, struct problem *p)
{
	return prices(s, 0, p);
}

int check_extremes(struct subject *s, struct problem *p)
{
	return prices(s, 1, p);
}

enum { N_MORE = 12 };

/* Adds work in one of N_MORE ways.  Returns NULL if the way does not apply. */
static const char *more_work(struct owned_step *more, const sc_step *from,
			     int way)
{
	owned_step_from(more, from);
	uint32_t np = more->n_prefill, nd = more->n_decode;
	uint32_t *column[] = {more->decode_ctx, more->prefill_new,
			      more->prefill_ctx};
	static const char *const what[N_MORE] = {
	    "1 more token of context in each decode",
	    "twice the context in each decode",
	    "1 more token in each prefill",
	    "twice the tokens in each prefill",
	    "1 more cached token in each prefill",
	    "twice the cached tokens in each prefill",
	    "1 more decode like the last",
	    "1 more prefill like the last",
	    "a decode of 1024",
	    "a prefill of 16",
	    "1 more token of context in the first decode",
	    "twice the decodes"};
	if (way < 6) {
		uint32_t n = way < 2 ? nd : np, *v = column[way / 2];
		for (uint32_t i = 0; i < n; i++)
			v[i] = way % 2 ? 2 * v[i] : v[i] + 1;
		return n ? what[way] : NULL;
	}
	if (np == OWNED_STEP_MOST || nd == OWNED_STEP_MOST)
		return NULL;
	if (way == 7 || way == 9) {
		if ((np == 0) != (way == 9))
			return NULL;
		more->prefill_new[np] = np ? more->prefill_new[np - 1] : 16;
		more->prefill_ctx[np] = np ? more->prefill_ctx[np - 1] : 0;
		more->n_prefill++;
	} else if (way == 10) {
		if (nd < 2)
			return NULL;
		more->decode_ctx[0]++;
	} else if (way == 11) {
		if (nd < 2 || nd > OWNED_STEP_MOST / 2)
			return NULL;
		memcpy(more->decode_ctx + nd, more->decode_ctx,
		       nd * sizeof *more->decode_ctx);
		more->n_decode *= 2;
	} else {
		if ((nd == 0) != (way == 8))
			return NULL;
		more->decode_ctx[nd] = nd ? more->decode_ctx[nd - 1] : 1024;
		more->n_decode++;
	}
	return what[way];
}

/* ---- a step in words ---- */

/* Writes "1024", or "64 to 4096" where the values differ. */
static void write_range(FILE *f, const uint32_t *v, uint32_t n)
{
	uint32_t low = v[0], high = v[0];
	for (uint32_t i = 1; i < n; i++) {
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
	}
	fprintf(f, low == high ? "%u" : "%u to %u", low, high);
}

/* Writes "4 decodes at a context of 64 to 4096 and 1 prefill of 512 tokens":
 * for people who do not know the columns of a steps file. */
static void write_words(FILE *f, const sc_step *step)
{
	uint32_t nd = step->n_decode, np = step->n_prefill, cached = 0;
	if (nd) {
		fprintf(f, "%u decode%s at a context of ", nd,
			nd == 1 ? "" : "s");
		write_range(f, step->decode_ctx, nd);
	}
	if (!np)
		return;
	fprintf(f, "%s%u prefill%s of ", nd ? " and " : "", np,
		np == 1 ? "" : "s");
	write_range(f, step->prefill_new, np);
	fputs(np == 1 && step->prefill_new[0] == 1 ? " token" : " tokens", f);
	for (uint32_t i = 0; i < np; i++)
		cached |= step->prefill_ctx[i];
	if (cached) {
		fputs(" after ", f);
		write_range(f, step->prefill_ctx, np);
		fputs(" cached", f);
	}
}

/* What more work does not cost. */
struct fall {
	const sc_step *from; /* NULL: there is none */
	const char *with;
	double from_us, to_us;
};

static double fall_percent(const struct fall *f)
{
	return 100 * (1 - f->to_us / f->from_us);
}

/* Keeps the worst fall of each way, over all steps.  Returns 0, or -1 with *p
 * filled in. */
static int find_falls(struct subject *s, const sc_step *from,
		      struct fall worst[N_MORE], struct problem *p)
{
	static struct owned_step more;
	sc_result a, b;
	int rc = subject_ask(s, &s->a, from, &a, p);
	for (int way = 0; rc == ANSWER_PRICED && way < N_MORE; way++) {
		const char *with = more_work(&more, from, way);
		sc_step bigger = owned_step_step(&more);
		if (!with)
			continue;
		int got = subject_ask(s, &s->a, &bigger, &b, p);
		if (got < 0)
			return -1;
		/* A difference below 1e-9 may come from the order of a sum. */
		if (got == ANSWER_REFUSED ||
		    b.total_us >= a.total_us * (1 - 1e-9))
			continue;
		struct fall f = {from, with, a.total_us, b.total_us};
		if (!worst[way].from ||
		    fall_percent(&f) > fall_percent(&worst[way]))
			worst[way] = f;
	}
	return rc < 0 ? -1 : 0;
}

/* Fills in *p with the worst fall.  Small falls need all digits of the times.
 */
static int tell_fall(const struct fall *f, struct problem *p)
{
	char words[160] = "";
	int digits = fall_percent(f) < 0.01 ? 17 : 6;
	FILE *to = fmemopen(words, sizeof words, "w");
	if (!to)
		return problem_no_memory(p);
	write_words(to, f->from);
	fclose(to);
	return problem_set(p, EXIT_SAYS_NO,
			   "%s: with %s, %.*g us become %.*g, %.3g %% less",
			   words, f->with, digits, f->from_us, digits, f->to_us,
			   fall_percent(f));
}

int check_monotone(struct subject *s, struct problem *p)
{
	struct fall fall[N_MORE] = {{0}};
	const struct fall *most = NULL;
	for (size_t i = 0; i < s->steps->n; i++)
		if (find_falls(s, &s->steps->item[i].step, fall, p) < 0)
			return -1;
	for (int way = 0; way < N_MORE; way++)
		if (fall[way].from &&
		    (!most || fall_percent(&fall[way]) > fall_percent(most)))
			most = &fall[way];
	if (!most)
		return 0;
	for (int way = 0; way < N_MORE; way++)
		if (fall[way].from && &fall[way] != most) {
			write_words(s->notes, fall[way].from);
			fprintf(s->notes, ": with %s, up to %.3g %% less: ",
				fall[way].with, fall_percent(&fall[way]));
			subject_note_row(s->notes, fall[way].from);
		}
	fputs("a larger batch or a longer request that seems cheaper by this "
	      "is no reason to choose it\n",
	      s->notes);
	subject_note_step(s, most->from);
	return tell_fall(most, p);
}

static int sound_parts(const sc_result *r, int additive, struct problem *p)
{
	const double exact = breakdown_exact_us(r);
	const double part[] = {r->gemm_us[SC_PREFILL],
			       r->gemm_us[SC_DECODE],
			       r->attention_us[SC_PREFILL],
			       r->attention_us[SC_DECODE],
			       r->comm_us,
			       r->overhead_us};
	double sum = 0;
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		sum += breakdown_or_zero(part[i]);
	if (r->bound > SC_BOUND_OVERHEAD)
		return problem_set(p, EXIT_SAYS_NO, "bound is %u", r->bound);
	if (additive && fabs(sum - exact) > 1e-9 * fabs(exact))
		return problem_set(p, EXIT_SAYS_NO,
				   "declares SC_CAP_ADDITIVE, but gemm + "
				   "attention + comm + overhead = %.17g and "
				   "exact_us = %.17g",
				   sum, exact);
	return 0;
}

int check_parts(struct subject *s, struct problem *p)
{
	int additive = (s->plugin->p.capabilities & SC_CAP_ADDITIVE) != 0;
	for (size_t i = 0; i < s->steps->n; i++) {
		sc_result r;
		int rc = subject_ask(s, &s->a, &s->steps->item[i].step, &r, p);
		if (rc < 0 ||
		    (rc == ANSWER_PRICED && sound_parts(&r, additive, p) < 0))
			return -1;
	}
	return 0;
}
