/* capacity_parts.c -- Writes the texts that all forms of a capacity share. */
#include "report/capacity_parts.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/text.h"
#include "capacity/decision_inputs.h"

/* ---- names ---- */

const char *capacity_arm(const struct deployments *d, size_t candidate,
			 size_t arm)
{
	return d->candidate[candidate].config.arm[arm].name;
}

char *capacity_search_name(const struct deployments *d, size_t search)
{
	size_t candidate = search / d->n_arms;
	const char *arm = capacity_arm(d, candidate, search % d->n_arms);
	char *text;
	if (d->n_candidates == 1)
		return strdup(arm);
	return asprintf(&text, "%s, %s", d->candidate[candidate].name, arm) < 0
		   ? NULL
		   : text;
}

struct energy_priced capacity_energy_priced(const struct capacity_answer *x)
{
	int found = x->capacity.verdict == CAPACITY_FOUND;
	return (struct energy_priced){.joules_per_token = answer_joules(x),
				      .usd_per_joule =
					  found ? x->usd_per_joule : 0,
				      .usd = answer_usd_per_mtok(x)};
}

char *capacity_energy(const struct capacity_answer *x)
{
	const struct energy_priced priced = capacity_energy_priced(x);
	return priced.usd_per_joule > 0
		   ? energy_text(&x->trusted.energy, &priced)
		   : strdup("");
}

const char *capacity_gpu(const struct deployments *d, size_t search, int pool)
{
	const struct arm_config *a =
	    &d->candidate[search / d->n_arms].config.arm[search % d->n_arms];
	return pool ? a->decode_hardware : a->hardware;
}

/* ---- numbers ---- */

const char *capacity_rate(char buf[32], const struct capacity *c)
{
	if (c->question == QUESTION_FLEET)
		return verdict_number(buf, c->asked, 0);
	double half = c->basis == BASIS_ONE_DRAW ? 0 : (c->high - c->low) / 2;
	return verdict_number(buf, c->request_rate, half);
}

const char *capacity_whole(char buf[32], double low, double high)
{
	if (low < high)
		snprintf(buf, 32, "%.0f-%.0f", low, high);
	else
		snprintf(buf, 32, "%.0f", high);
	return buf;
}

const char *capacity_gpus(char buf[32], const double *v)
{
	if (isnan(v[FIGURE_GPUS_PEAK]))
		return capacity_whole(buf, v[FIGURE_GPUS_LOW],
				      v[FIGURE_GPUS_HIGH]);
	snprintf(buf, 32, "%.0f (%.1f on average)", v[FIGURE_GPUS_PEAK],
		 v[FIGURE_GPUS_MEAN]);
	return buf;
}

const char *capacity_range(char buf[80], const struct capacity *c)
{
	char low[32], high[32];
	double half = (c->high - c->low) / 2;
	if (c->basis == BASIS_ONE_DRAW || !(half > 0) || !isfinite(half))
		snprintf(buf, 80, "-");
	else
		snprintf(buf, 80, "%s - %s", verdict_number(low, c->low, half),
			 verdict_number(high, c->high, half));
	return buf;
}

/* ---- sentences ---- */

/* Says that a fleet does not, or may not, carry the rate that the user asked
 * for. */
static void none_carries(FILE *f, const struct deployments *d,
			 const struct capacity *c)
{
	if (c->verdict == CAPACITY_UNDECIDED)
		fprintf(f, " may carry %.6g: %s is too near to tell", c->asked,
			capacity_limited_by(c, &d->bounds));
	else if (c->units_low == c->units && c->units_high == c->units)
		fprintf(f, " does not carry %.6g: %s", c->asked,
			capacity_limited_by(c, &d->bounds));
	else
		fprintf(f, " none: %u do not carry %.6g: %s", c->units_high,
			c->asked, capacity_limited_by(c, &d->bounds));
}

void capacity_none(FILE *f, const struct deployments *d,
		   const struct capacity *c)
{
	if (c->limited_by == LIMITED_BY_REJECTION)
		fprintf(f,
			" none: %" PRIu64 " of %" PRIu64 " requests rejected",
			c->seen.rejected, c->seen.requests);
	else if (c->question == QUESTION_FLEET && c->n_tests)
		none_carries(f, d, c);
	else if (c->basis == BASIS_ONE_DRAW)
		fprintf(f, " none: %s even at %.3g requests/s",
			capacity_limited_by(c, &d->bounds), c->request_rate);
	else if (c->limited_by < 0)
		fprintf(f, " none: %s", capacity_limited_by(c, &d->bounds));
	else
		fprintf(f, " none: unloaded %s is %.4g, the bound %.4g",
			capacity_limited_by(c, &d->bounds),
			c->seen.value[c->limited_by],
			d->bounds.bound[c->limited_by].limit);
}

/* ---- the fleet ---- */

static const struct capacity_test *test_of(const struct capacity_answer *x,
					   uint32_t units)
{
	for (uint32_t i = 0; i < x->capacity.n_tests; i++)
		if (x->test[i].units == units)
			return &x->test[i];
	return NULL;
}

static double worst_of(const struct capacity_test *t)
{
	return t->worst >= 0 ? t->excess[t->worst] : 0;
}

/* "8 carry 12 (excess 0.31), 7 may (1.04), 6 do not (4.2)". */
static void tested(FILE *f, const struct capacity_answer *x)
{
	const struct capacity *c = &x->capacity;
	const struct capacity_test *t = test_of(x, c->units_high);
	uint32_t per = x->replicas_per_unit, n = c->units_high;
	const struct capacity_test *under = test_of(x, c->units_low - 1);
	const struct capacity_test *may = test_of(x, c->units_low);
	if (!t)
		return;
	fprintf(f, "%u %s %.6g (excess %.3g)", n * per,
		n * per == 1 ? "carries" : "carry", c->asked, worst_of(t));
	if (may && may != t)
		fprintf(f, ", %u may (%.3g)", c->units_low * per,
			worst_of(may));
	if (under)
		fprintf(f, ", %u %s (%.3g)", (c->units_low - 1) * per,
			(c->units_low - 1) * per == 1 ? "does not" : "do not",
			worst_of(under));
}

void capacity_limit(FILE *f, const struct deployments *d,
		    const struct capacity_answer *x)
{
	const struct capacity *c = &x->capacity;
	if (c->question == QUESTION_FLEET)
		tested(f, x);
	else
		fputs(capacity_limited_by(c, &d->bounds), f);
}

/* "1,000" is not needed: three digits of rates without an interval. */
static void say_sessions(FILE *f, const struct capacity *c)
{
	double rate =
	    c->question == QUESTION_FLEET ? c->asked : c->request_rate;
	if (c->turns > 1)
		fprintf(f,
			"%.4g requests/s are %.3g conversations/s of %.3g "
			"turns. ",
			rate, rate / c->turns, c->turns);
	if (c->peak_rate > 0)
		fprintf(f,
			"%.3g requests/s is the mean over a cycle; its peak "
			"is %.3g. ",
			rate, c->peak_rate);
}

static void say_recovery(FILE *f, const struct capacity_answer *x)
{
	const struct capacity *c = &x->capacity;
	uint32_t per = x->replicas_per_unit;
	if (c->recovery_rate < 0.97 * c->request_rate)
		fprintf(f,
			"It carries %.3g requests/s from an empty start; after "
			"an overload it recovers only below %.2g. ",
			c->request_rate, c->recovery_rate);
	if (c->units_recovery > c->units_high)
		fprintf(f,
			"%u replicas; %u if they must recover from an overload "
			"by themselves. ",
			c->units_high * per, c->units_recovery * per);
}

static void say_router(FILE *f, const struct capacity_answer *x)
{
	const struct capacity *c = &x->capacity;
	if (c->other_router)
		fprintf(f, "%s would do with %u. ",
			routing_words[c->other_router - 1],
			(c->units_high - 1) * x->replicas_per_unit);
}

static void say_warnings(FILE *f, const struct capacity_answer *x)
{
	const struct capacity *c = &x->capacity;
	uint32_t per = x->replicas_per_unit;
	if (c->units_relapse)
		fprintf(f,
			"Warning: %u replicas carry %.6g requests/s, %u do "
			"not: their caches are hit less. ",
			c->units_high * per, c->asked, c->units_relapse * per);
	const struct capacity_test *t = test_of(x, c->units_high);
	if (t && t->is_short)
		fputs("A replication is shorter than rule L asks. ", f);
	if (!isnan(c->seen.replicas_mean) && c->basis != BASIS_CYCLES)
		fputs("A steady rate says little of an autoscaler: its use is "
		      "in changing load: give arrival = diurnal or stages. ",
		      f);
}

void capacity_say_handover(FILE *f, const struct answer_outside *o)
{
	if (o->has_handover)
		fprintf(f,
			"A handover of KV is taken to run at %.4g GB/s, and "
			"%.4g ms more.",
			o->bandwidth_gbs,
			(o->latency_us + o->fixed_us + o->proxy_us) / 1e3);
}

void capacity_outside_json(const struct answer_outside *o, struct jw *j)
{
	jw_text(j, "router", o->router);
	if (!o->has_handover) {
		jw_text(j, "handover", NULL);
		return;
	}
	jw_flat_object(j, "handover");
	jw_number(j, "bandwidth_gbs", o->bandwidth_gbs);
	jw_number(j, "latency_us", o->latency_us);
	jw_number(j, "fixed_us", o->fixed_us);
	jw_number(j, "proxy_us", o->proxy_us);
	jw_end(j);
}

char *capacity_fleet(const struct capacity_answer *x)
{
	const struct capacity *c = &x->capacity;
	const struct answer_units n = answer_units(x);
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	if (x->is_independent)
		fputs("Independent deployments, each with arrivals of its "
		      "own. ",
		      f);
	else if (n.high * x->replicas_per_unit <= 1 || !isfinite(n.high))
		;
	else if (c->question == QUESTION_FLEET)
		fprintf(f, "Replicas behind %s. ", x->outside.router);
	else
		fprintf(f, "%.0f replicas behind %s. ",
			n.high * x->replicas_per_unit, x->outside.router);
	capacity_say_handover(f, &x->outside);
	if (x->outside.has_handover)
		putc(' ', f);
	if (c->verdict == CAPACITY_FOUND) {
		say_sessions(f, c);
		if (c->seen.hit_rate > 0)
			fprintf(f, "Hit rate %.2f. ", c->seen.hit_rate);
		say_recovery(f, x);
		say_router(f, x);
		say_warnings(f, x);
	}
	if (fclose(f) != 0)
		return t.s;
	size_t end = strlen(t.s);
	if (end && t.s[end - 1] == ' ')
		t.s[end - 1] = '\0';
	return t.s;
}

/* The rates of a trace hold for that trace; what another one like it would
 * allow is a guess from its stretches. */
static void text_traces(FILE *f, const struct deployments *d)
{
	for (size_t i = 0; i < d->n_candidates * d->n_arms; i++) {
		const struct capacity_answer *x =
		    deployments_at(d, i / d->n_arms, i % d->n_arms);
		char rate[32], low[32], high[32];
		if (!x || x->capacity.basis != BASIS_STRETCHES ||
		    x->capacity.verdict != CAPACITY_FOUND)
			continue;
		const struct capacity *c = &x->capacity;
		double half = (c->high - c->low) / 2;
		fprintf(f,
			"%s, %s: %s requests/s for this trace; %s to %s if "
			"another like it came (%d stretches).\n",
			d->candidate[i / d->n_arms].name,
			capacity_arm(d, i / d->n_arms, i % d->n_arms),
			capacity_rate(rate, c),
			verdict_number(low, c->low, half),
			verdict_number(high, c->high, half), EXCESS_STRETCHES);
	}
}

void capacity_rests_on(FILE *f, const struct deployments *d)
{
	uint64_t simulations = 0, requests = 0;
	int replicated = 0;
	for (size_t i = 0; i < d->n_candidates * d->n_arms; i++) {
		const struct capacity *c = &d->left[i].search.answer;
		simulations += c->simulations;
		requests += c->requests_simulated;
		replicated |= c->basis == BASIS_REPLICATIONS;
	}
	if (d->how.one_draw)
		fputs("Each rate is that of this draw only, the requests of "
		      "the configuration.\n",
		      f);
	else if (replicated)
		fprintf(f,
			"Rates of a workload that goes on for ever, with %g %% "
			"intervals: %" PRIu64 " simulations of %" PRIu64
			" requests in all (seeds from workload.seed = %" PRId64
			").\n",
			100 * d->how.confidence, simulations, requests,
			d->candidate[0].config.workload_keys.seed);
	text_traces(f, d);
}

/* "h100-sxm 3.99 USD/h (on demand, median of 9 lists, 2026-05 to 2026-11)", of
 * each GPU once. */
void capacity_prices(FILE *f, const struct deployments *d)
{
	struct names said = {0};
	for (size_t i = 0; i < 2 * deployments_n(d); i++) {
		const struct capacity_answer *x =
		    deployments_at(d, i / 2 / d->n_arms, i / 2 % d->n_arms);
		const char *name = capacity_gpu(d, i / 2, i % 2);
		char text[PRICE_TEXT], line[PRICE_TEXT + 300];
		if (!x || !name)
			continue;
		const struct price *price = &x->price[i % 2];
		if (price->usd_per_hour > 0)
			snprintf(line, sizeof line, "%.200s %.4g USD/h (%s)",
				 name, price->usd_per_hour,
				 price_text(text, price));
		else
			snprintf(line, sizeof line, "%.200s has none", name);
		names_add_new(&said, line);
	}
	for (size_t i = 0; i < said.n; i++)
		fprintf(f, "%s%s%s", i ? "  " : "Prices: ", said.item[i],
			i + 1 < said.n ? ",\n" : ".\n");
	names_free(&said);
}

/* Writes how many replicas the pessimistic answer takes. */
static void pessimistic_fleet(FILE *f, const struct capacity_answer *x)
{
	const struct capacity *pessimistic = &x->pessimistic;
	uint32_t n = pessimistic->units_high * x->replicas_per_unit;
	if (x->capacity.units_high == pessimistic->units_high)
		fprintf(f, "the same, %u replica%s\n", n, n == 1 ? "" : "s");
	else
		fprintf(f, "%u replicas instead of %u\n", n,
			x->capacity.units_high * x->replicas_per_unit);
}

void capacity_pessimistic_end(FILE *f, const struct deployments *d,
			      const struct capacity_answer *x)
{
	const struct capacity *pessimistic = &x->pessimistic;
	if (!x->has_pessimistic)
		return;
	fprintf(f, "at the worse end of %g %% intervals%s: ",
		100 * INTERVAL_COVERAGE, x->is_own ? " (the model's own)" : "");
	if (pessimistic->verdict == CAPACITY_NONE) {
		fprintf(f, "none; %s is exceeded\n",
			capacity_limited_by(pessimistic, &d->bounds));
		return;
	}
	if (!answer_pessimistic_is_known(x)) {
		fputs(pessimistic->verdict == CAPACITY_UNDECIDED
			  ? "not known: too near to tell\n"
			  : "not known: throughput saturates first, and its "
			    "error is not known\n",
		      f);
		return;
	}
	if (pessimistic->question == QUESTION_FLEET) {
		pessimistic_fleet(f, x);
		return;
	}
	char text[2][32];
	snprintf(text[0], sizeof text[0], "%.3g", pessimistic->request_rate);
	snprintf(text[1], sizeof text[1], "%.3g", x->capacity.request_rate);
	if (strcmp(text[0], text[1]) != 0)
		fprintf(f, "%s requests/s instead of %s\n", text[0], text[1]);
	else
		fprintf(f, "the same, %s requests/s\n", text[0]);
}

void capacity_pessimistic_choices(FILE *f, const struct deployments *d)
{
	for (size_t arm = 0; d->n_candidates > 1 && arm < d->n_arms; arm++) {
		size_t now = d->decision.choice[arm].candidate;
		size_t pessimistic = decision_inputs_pessimistic_choice(d, arm);
		if (now >= d->n_candidates || pessimistic == now)
			continue;
		fprintf(f,
			"%s chooses %s at the worse end of its "
			"intervals: its "
			"errors may change the choice.\n",
			capacity_arm(d, 0, arm),
			pessimistic < d->n_candidates
			    ? d->candidate[pessimistic].name
			    : "nothing");
	}
}
