/* capacity_parts.c -- Writes the texts that all forms of a capacity share. */
#include <config.h>
#include "report/capacity_parts.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "capacity/judged.h"

/* ---- names ---- */

const char *capacity_arm(const struct deployments *d, size_t way, size_t arm)
{
	return d->way[way].config.arm[arm].name;
}

char *capacity_search_name(const struct deployments *d, size_t search)
{
	size_t way = search / d->n_arms;
	const char *arm = capacity_arm(d, way, search % d->n_arms);
	char *text;
	if (d->n_ways == 1)
		return strdup(arm);
	return asprintf(&text, "%s, %s", d->way[way].name, arm) < 0 ? NULL
								    : text;
}

struct energy_priced capacity_energy_priced(const struct deployment *x)
{
	int found = x->capacity.verdict == CAPACITY_FOUND;
	return (struct energy_priced){.joules_per_token = deployment_joules(x),
				      .usd_per_joule =
					  found ? x->usd_per_joule : 0,
				      .usd = deployment_usd_per_mtok(x)};
}

char *capacity_energy(const struct deployment *x)
{
	const struct energy_priced priced = capacity_energy_priced(x);
	return priced.usd_per_joule > 0
		   ? energy_text(&x->trusted.energy, &priced)
		   : strdup("");
}

const char *capacity_gpu(const struct deployments *d, size_t search, int pool)
{
	const struct arm_config *a =
	    &d->way[search / d->n_arms].config.arm[search % d->n_arms];
	return pool ? a->decode_hardware : a->hardware;
}

/* ---- numbers ---- */

const char *capacity_rate(char buf[32], const struct capacity *c)
{
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

void capacity_none(FILE *f, const struct deployments *d,
		   const struct capacity *c)
{
	if (c->limited_by == LIMITED_BY_REJECTION)
		fprintf(f,
			" none: %" PRIu64 " of %" PRIu64 " requests rejected",
			c->rejected, c->requests);
	else if (c->basis == BASIS_ONE_DRAW)
		fprintf(f, " none: %s even at %.3g requests/s",
			capacity_limited_by(c, &d->bounds), c->request_rate);
	else
		fprintf(f, " none: unloaded %s is %.4g, the bound %.4g",
			capacity_limited_by(c, &d->bounds),
			c->value[c->limited_by],
			d->bounds.bound[c->limited_by].limit);
}

/* The rates of a trace hold for that trace; what another one like it would
 * allow is a guess from its stretches. */
static void text_traces(FILE *f, const struct deployments *d)
{
	for (size_t i = 0; i < d->n_ways * d->n_arms; i++) {
		const struct deployment *x =
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
			d->way[i / d->n_arms].name,
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
	for (size_t i = 0; i < d->n_ways * d->n_arms; i++) {
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
			d->way[0].config.workload_keys.seed);
	text_traces(f, d);
}

/* "h100-sxm 3.99 USD/h (on demand, median of 9 lists, 2026-05 to 2026-11)", of
 * each GPU once. */
void capacity_prices(FILE *f, const struct deployments *d)
{
	struct names said = {0};
	for (size_t i = 0; i < 2 * deployments_n(d); i++) {
		const struct deployment *x =
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

void capacity_far_end(FILE *f, const struct deployments *d,
		      const struct deployment *x)
{
	if (!x->has_cautious)
		return;
	fprintf(f,
		"at the far end of %g %% intervals: ", 100 * INTERVAL_COVERAGE);
	if (x->cautious.verdict == CAPACITY_NONE) {
		fprintf(f, "none; %s is exceeded at any rate\n",
			capacity_limited_by(&x->cautious, &d->bounds));
		return;
	}
	double far = x->cautious.request_rate, now = x->capacity.request_rate;
	char text[2][32];
	snprintf(text[0], sizeof text[0], "%.3g", far);
	snprintf(text[1], sizeof text[1], "%.3g", now);
	if (strcmp(text[0], text[1]) != 0)
		fprintf(f, "about %s requests/s instead of %s", text[0],
			text[1]);
	else
		fprintf(f, "about the same, %s requests/s", text[0]);
	fputs(x->cautious.limited_by == x->capacity.limited_by && far >= now
		  ? ", because the limit of throughput comes first, and that "
		    "has no interval\n"
		  : "\n",
	      f);
}

void capacity_far_choices(FILE *f, const struct deployments *d)
{
	for (size_t arm = 0; d->n_ways > 1 && arm < d->n_arms; arm++) {
		size_t now = d->decision.choice[arm].way;
		size_t cautious = judged_cautious_choice(d, arm);
		if (now >= d->n_ways || cautious == now)
			continue;
		fprintf(f,
			"%s chooses %s at the far end of its intervals: its "
			"errors may change the choice.\n",
			capacity_arm(d, 0, arm),
			cautious < d->n_ways ? d->way[cautious].name
					     : "nothing");
	}
}
