/* explain_sentence.c -- Writes why two arms disagree, in a sentence or two. */
#include <math.h>
#include "base/text.h"
#include "record/metrics.h"
#include "report/explain/explain.h"
#include "report/explain/parts.h"
#include "report/explain/routes.h"

static const char *const latency[ATTRIBUTION_STEPS] = {"TTFT", "TPOT",
						       "E2E latency"};
enum { CAUSES_SAID = 3 };
/* The sentence is about TTFT from this relative difference on. */
#define WORTH_SAYING 0.001

struct saying {
	FILE *f;
	const struct explain *e;
	const struct explanation *x;
	const struct shares *s;
	int decimals;
	int is_mixed; /* 1: the cost model and the rest have opposite signs */
};

/* Returns how many decimals show three digits. */
static int decimals_of(double ms)
{
	double size = fabs(ms);
	int n = 2;
	for (double unit = 1; n > 0 && size >= 10 * unit; unit *= 10)
		n--;
	for (double unit = 1; n < 6 && size < unit && size > 0; unit /= 10)
		n++;
	return n;
}

/* Returns 1 if the value is zero when rounded to that number of decimals. */
static int is_nothing(double ms, int decimals)
{
	return fabs(ms) * pow(10, decimals) < 0.5;
}

static void say_causes(const struct saying *y)
{
	struct cause cause[CAUSES];
	size_t n = explain_causes(y->s->component_ns, cause), said = 0;
	int decimals = y->decimals > 1 ? y->decimals - 1 : y->decimals;
	while (said < n && said < CAUSES_SAID &&
	       !is_nothing(cause[said].ns / 1e6, decimals)) {
		fprintf(y->f, "%s%s %+.*f", said ? ", " : " (",
			cause[said].name, decimals, cause[said].ns / 1e6);
		said++;
	}
	if (said && said < n && !is_nothing(cause[said].ns / 1e6, decimals))
		fputs(", ...", y->f);
	if (said)
		fputc(')', y->f);
}

static const char *more_or_less(const struct saying *y, double ns)
{
	return !y->is_mixed ? "" : ns < 0 ? " less" : " more";
}

static void say_cost_model(const struct saying *y)
{
	const struct shares *s = y->s;
	fprintf(y->f, "%.*f", y->decimals, fabs(s->cost_model_ns) / 1e6);
	if (!isnan(s->uncertainty_ns))
		fprintf(y->f, " ± %.*f", y->decimals, s->uncertainty_ns / 1e6);
	fprintf(y->f, " ms%s because the same steps take %s",
		more_or_less(y, s->cost_model_ns),
		s->cost_model_ns < 0 ? "less time" : "longer");
	say_causes(y);
}

static uint64_t num_steps(const struct saying *y, size_t arm)
{
	return y->e->study->arm[arm].record->outcome.num_steps;
}

/* Returns 1 if `by` takes longer for the same steps and ran fewer, so that they
 * were fuller; -1 for the opposite; 0: neither. */
static int change_of_batches(const struct saying *y)
{
	uint64_t of = num_steps(y, y->x->of), by = num_steps(y, y->x->by);
	double slower = y->x->shares[ATTRIBUTION_E2EL].cost_model_ns;
	return slower > 0 && by < of ? 1 : slower < 0 && by > of ? -1 : 0;
}

static void say_rest(const struct saying *y)
{
	const struct shares *s = y->s;
	if (is_nothing(s->feedback_ns / 1e6, y->decimals))
		return;
	fprintf(y->f, ", %.*f ms%s ", y->decimals, fabs(s->feedback_ns) / 1e6,
		more_or_less(y, s->feedback_ns));
	if (y->x->schedule_key)
		fputs("because the schedules differ", y->f);
	else if (s->feedback_ns > 0 && change_of_batches(y) > 0)
		fputs("because the slower engine then has fuller batches",
		      y->f);
	else if (s->feedback_ns < 0 && change_of_batches(y) < 0)
		fputs("because the faster engine then has emptier batches",
		      y->f);
	else
		fputs("because batches, queues and the cache then differ",
		      y->f);
}

/* Returns 1 if some latency or the number of steps differs. */
static int has_changed(const struct saying *y)
{
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		if (y->x->shares[m].real_ns != 0)
			return 1;
	return num_steps(y, y->x->of) != num_steps(y, y->x->by);
}

static void say_schedule(const struct saying *y)
{
	if (y->x->schedule_key && *y->x->set_keys && !has_changed(y))
		fprintf(y->f, " Its %s, which changes nothing here.",
			y->x->set_keys);
	else if (y->x->schedule_key && *y->x->set_keys)
		fprintf(y->f, " Its schedule differs: %s.", y->x->set_keys);
	else if (y->x->schedule_key)
		fprintf(y->f,
			" Its schedule differs: its %s is not that of %s.",
			y->x->schedule_key, y->e->study->arm[y->x->of].name);
}

/* Writes by how much two arms differ in a latency, and the causes in brackets.
 */
static void say(struct saying *y, int about, double of_ms)
{
	const struct shares *s = y->s;
	const char *of = y->e->study->arm[y->x->of].name;
	const char *by = y->e->study->arm[y->x->by].name;
	double real_ms = s->real_ns / 1e6;
	if (s->real_ns == 0 &&
	    (s->cost_model_ns == 0 || explain_is_split(y->x))) {
		fprintf(y->f, "%s predicts the same %s as %s (%.*f ms).", by,
			latency[about], of, decimals_of(of_ms), of_ms);
		return;
	}
	fprintf(y->f, "%s predicts %.*f ms %s %s than %s (%.*f against %.*f",
		by, y->decimals, fabs(real_ms), real_ms < 0 ? "less" : "more",
		latency[about], of, y->decimals, of_ms + real_ms, y->decimals,
		of_ms);
	if (of_ms > 0)
		fprintf(y->f, ", %+.1f %%", 100 * real_ms / of_ms);
	fputs("): ", y->f);
	if (explain_is_split(y->x) && y->x->routes_differ) {
		routes_say(y->f, y->x, about, y->decimals);
	} else if (explain_is_split(y->x)) {
		parts_say(y->f, y->x, about, y->decimals);
	} else {
		say_cost_model(y);
		say_rest(y);
	}
	fputc('.', y->f);
}

static double mean_ms(const struct explain *e, const struct explanation *x,
		      int about)
{
	return metric_value(metric_find(attributed_name[about]),
			    &e->study->arm[x->of].record->outcome);
}

/* Returns the sentence about one latency; more() appends to it.  The caller
 * frees it; NULL: memory is out. */
static char *sentence(const struct explain *e, const struct explanation *x,
		      int about, void (*more)(const struct saying *))
{
	struct text t;
	const struct shares *s = &x->shares[about];
	struct saying y = {.f = text_begin(&t),
			   .e = e,
			   .x = x,
			   .s = s,
			   .decimals = decimals_of(s->real_ns / 1e6),
			   .is_mixed = s->cost_model_ns * s->feedback_ns < 0 ||
				       s->cost_model_ns * s->real_ns < 0};
	if (!y.f)
		return NULL;
	say(&y, about, mean_ms(e, x, about));
	if (more)
		more(&y);
	return text_end(&t);
}

char *explain_sentence_of(const struct explain *e, const struct explanation *x,
			  int about)
{
	return sentence(e, x, about, NULL);
}

static double relative(const struct explain *e, const struct explanation *x,
		       int about)
{
	double was = mean_ms(e, x, about);
	return was > 0 ? fabs(x->shares[about].real_ns / 1e6) / was : 0;
}

/* The whole answer about two arms that are one model; NULL: memory is out. */
static char *equal_sentence(const struct explain *e,
			    const struct explanation *x)
{
	const struct equal_steps all = explain_equal(e, (size_t)(x - e->pair));
	const char *of = e->study->arm[x->of].name;
	const char *by = e->study->arm[x->by].name;
	char *text;
	int n =
	    all.other_bits
		? asprintf(&text,
			   "%s and %s are equal to 1e-12 on %llu steps "
			   "(largest %.1e): no difference to explain.",
			   by, of, (unsigned long long)all.steps, all.largest)
		: asprintf(&text,
			   "%s and %s have the same bits on %llu steps: no "
			   "difference to explain.",
			   by, of, (unsigned long long)all.steps);
	return n < 0 ? NULL : text;
}

char *explain_sentence(const struct explain *e, const struct explanation *x)
{
	int about = ATTRIBUTION_TTFT;
	if (explain_are_one(e, x))
		return equal_sentence(e, x);
	if (relative(e, x, about) < WORTH_SAYING)
		for (int m = 0; m < ATTRIBUTION_STEPS; m++)
			if (relative(e, x, m) > relative(e, x, about))
				about = m;
	return sentence(e, x, about, say_schedule);
}

const char *explain_rest(const struct explanation *x)
{
	return x->schedule_key ? "schedule and feedback" : "feedback";
}
