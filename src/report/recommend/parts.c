/* parts.c -- Writes the texts that all forms of a recommendation share. */
#include "report/recommend/parts.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/number.h"
#include "recommend/domain.h"
#include "report/capacity_parts.h"

const char *recommend_arm_name(const struct recommend *r, size_t arm)
{
	return r->sweep.arms.item[arm];
}

/* ---- a configuration ---- */

/* How a key is written before its value; a blank text is not written. */
struct word {
	const char *key, *before;
};
static const struct word word[] = {
    {"model.config", ""},
    {"hardware.config", ""},
    {"engine.tensor_parallel_size", "tp "},
    {"engine.pipeline_parallel_size", "pp "},
    {"engine.data_parallel_size", "dp "},
    {"engine.enable_expert_parallel", "ep "},
    {"engine.replicas", "x "},
    {"engine:prefill.tensor_parallel_size", "prefill tp "},
    {"engine:prefill.replicas", "x "},
    {"engine:decode.tensor_parallel_size", "decode tp "},
    {"engine:decode.replicas", "x "},
};

static const char *word_before(const char *key)
{
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (!strcmp(word[i].key, key))
			return word[i].before;
	return NULL;
}

/* Returns 1 if the text of a configuration names the value of this axis: if
 * configurations differ in it, or if it is a number of GPUs. */
static int is_named(const struct plan *l, size_t axis)
{
	const struct plan_axis *x = &l->axis[axis];
	const char *before = word_before(x->name);
	size_t n = 0;
	for (size_t i = 0; i < x->value.n; i++)
		n += *x->value.item[i] != 0;
	return n > 1 || l->n_points == 1 ||
	       (before && (strstr(before, "tp ") || !strcmp(before, "x ")));
}

static const int limit[] = {DOMAIN_TOKENS, DOMAIN_SEQS};
enum { N_LIMITS = sizeof limit / sizeof *limit };

/* Returns 1 if a value is the limit of the engine as it is configured. */
static int is_default(const struct recommend *r, const char *key,
		      const char *value)
{
	int64_t v;
	for (int i = 0; i < N_LIMITS; i++)
		if (domain_is_limit(key, limit[i]) &&
		    *number_parse_whole(value, &v) == '\0')
			return v == r->default_limit[i];
	return 0;
}

void recommend_limits(const struct recommend *r, FILE *f)
{
	const struct plan *l = &r->sweep.plan;
	const char *between = "Where no other is named: ";
	for (size_t a = 0; a < l->n_axes; a++)
		for (int i = 0; i < N_LIMITS; i++) {
			if (!domain_is_limit(l->axis[a].name, limit[i]) ||
			    !is_named(l, a))
				continue;
			fprintf(f, "%s%s %" PRId64, between,
				l->axis[a].name + l->axis[a].dot + 1,
				r->default_limit[i]);
			between = ", ";
		}
	fputs(*between == ',' ? "." : "", f);
}

void recommend_point(const struct recommend *r, size_t point, FILE *f)
{
	const struct plan *l = &r->sweep.plan;
	const char *between = "";
	for (size_t a = 0; a < l->n_axes; a++) {
		const char *key = l->axis[a].name;
		const char *value = plan_value(l, point, a);
		const char *before = word_before(key);
		if (!*value || !is_named(l, a) || is_default(r, key, value))
			continue;
		if (before && !strcmp(before, "x ") && *between)
			between = " ";
		fputs(between, f);
		if (before)
			fprintf(f, "%s%s", before, value);
		else
			fprintf(f, "%s %s", key + l->axis[a].dot + 1, value);
		between = ", ";
	}
	fputs(*between ? "" : "the limits as configured", f);
}

/* ---- figures ---- */

static struct usd_per_mtok usd_at(const struct work_survey *of,
				  double tokens_per_s, double joules)
{
	const struct usd_of x = {of->usd_per_hour, tokens_per_s, joules,
				 of->usd_per_joule};
	return usd_per_mtok(&x);
}

/* The least energy is that of the rate that was asked for, and so is its price;
 * other prices are those of the rate that was found. */
void recommend_figures(const struct recommend *r, size_t arm, size_t k,
		       double v[RECOMMEND_FIGURES])
{
	const struct recommend_found *x = recommend_found(r, arm, k);
	const struct capacity *c = &x->capacity;
	int found = x->is_done && c->verdict == CAPACITY_FOUND;
	struct work_served served = r->arm[arm].served[r->shortlist[k]];
	double asked = served.output_throughput;
	served.request_rate = found ? c->request_rate : (double)NAN;
	served.output_throughput = found ? c->output_throughput : (double)NAN;
	for (int i = 0; i < RECOMMEND_FIGURES; i++)
		v[i] = NAN;
	if (x->is_done)
		recommend_figures_of(&x->survey, &served, v);
	if (!found)
		v[RECOMMEND_TOKENS_PER_USER] = v[RECOMMEND_JOULES] = NAN;
	if (x->is_done && r->objective == OBJECTIVE_ENERGY)
		v[RECOMMEND_USD_PER_MTOK] =
		    usd_at(&x->survey, asked, v[RECOMMEND_JOULES]).sum;
}

struct energy_priced recommend_priced(const struct recommend *r, size_t arm,
				      size_t k)
{
	const struct work_survey *of = &recommend_found(r, arm, k)->survey;
	double v[RECOMMEND_FIGURES], tokens;
	recommend_figures(r, arm, k, v);
	tokens = r->objective == OBJECTIVE_ENERGY
		     ? r->arm[arm].served[r->shortlist[k]].output_throughput
		     : v[RECOMMEND_TOKENS];
	return (struct energy_priced){
	    .joules_per_token = v[RECOMMEND_JOULES],
	    .usd_per_joule = of->usd_per_joule,
	    .usd = usd_at(of, tokens, v[RECOMMEND_JOULES])};
}

void recommend_energy(const struct recommend *r, FILE *f)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		size_t k = r->best[i];
		if (k == SIZE_MAX)
			continue;
		const struct energy_priced x = recommend_priced(r, i, k);
		const struct trusted_energy *t =
		    &recommend_found(r, i, k)->trusted.energy;
		if (r->objective != OBJECTIVE_ENERGY && !(x.usd_per_joule > 0))
			continue;
		fprintf(f, "%s: ", recommend_arm_name(r, i));
		if (x.joules_per_token > 0)
			fprintf(f, "%.3g J for an output token",
				x.joules_per_token);
		if (x.joules_per_token > 0 && r->objective == OBJECTIVE_ENERGY)
			fprintf(f, " at %.4g requests/s",
				r->arm[i].served[r->shortlist[k]].request_rate);
		if (x.joules_per_token > 0 && t->joules.n)
			fprintf(f, " (%g %%: %.3g to %.3g, from %u runs of %s)",
				100 * t->joules.coverage,
				x.joules_per_token * t->joules.low,
				x.joules_per_token * t->joules.high,
				t->joules.n, t->joules.group);
		fputs(x.joules_per_token > 0 ? "; " : "", f);
		energy_write(t, &x, f);
		fputs(".\n", f);
	}
}

struct recommend_counts recommend_count(const struct recommend *r)
{
	struct recommend_counts c = {.points = r->sweep.plan.n_points};
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		const struct recommend_arm *a = &r->arm[i];
		c.possible += a->n;
		c.refused += c.points - a->n;
		c.failed += a->failures;
		c.race += a->race.simulations;
		c.front += a->rungs;
		if (r->from->budget)
			c.untried += a->n - a->race.n_tried;
	}
	for (size_t i = 0; i < r->sweep.arms.n * r->n_shortlist; i++)
		c.search += r->found[i].capacity.simulations;
	return c;
}

/* ---- sentences ---- */

void recommend_reasons(const struct recommend_arm *a, FILE *f)
{
	for (size_t i = 0; i < a->reasons.n; i++)
		fprintf(f, "%s%zu %s: %s", i ? "; " : "", a->reasons.item[i].n,
			a->reasons.item[i].is_failure
			    ? "failed"
			    : "configurations are impossible",
			a->reasons.item[i].example);
}

static void name_arms(const struct recommend *r, const int *is_one, int value,
		      FILE *f)
{
	const char *between = "";
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		if (r->best[i] == SIZE_MAX || is_one[i] != value)
			continue;
		fprintf(f, "%s%s (", between, recommend_arm_name(r, i));
		fputs(support_name[recommend_found(r, i, r->best[i])
				       ->trusted.support.verdict],
		      f);
		fputc(')', f);
		between = ", ";
	}
}

static int any_without_vote(const struct recommend *r)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		if (r->best[i] != SIZE_MAX && !r->votes[i])
			return 1;
	return 0;
}

static void say_votes(const struct recommend *r, FILE *f)
{
	if (!any_without_vote(r))
		return;
	if (!regret_any_votes(&r->regret)) {
		fputs("No arm has a vote, because no scored run supports any: ",
		      f);
		name_arms(r, r->votes, 0, f);
		fputs(".\n", f);
		return;
	}
	fputs("Without a vote: ", f);
	name_arms(r, r->votes, 0, f);
	enum agreement of_votes =
	    regret_agreement(&r->regret, REGRET_TOLERANCE, 1);
	fprintf(f, ".  Among the others: %s.\n",
		of_votes == AGREE_ONE_ARM ? "one arm"
					  : agreement_name[of_votes]);
}

/* A configuration that was not tried may meet them. */
static void say_none(const struct recommend *r, FILE *f)
{
	struct recommend_counts c = recommend_count(r);
	if (c.untried)
		fprintf(f,
			"No configuration that was tried meets the bounds; "
			"--budget left %" PRIu64 " untried.\n",
			c.untried);
	else
		fputs("No configuration meets the bounds under any arm.\n", f);
}

void recommend_agreement(const struct recommend *r, FILE *f)
{
	double share = 100 * REGRET_TOLERANCE;
	switch (regret_agreement(&r->regret, REGRET_TOLERANCE, 0)) {
	case AGREE_ROBUST:
		fprintf(f,
			"The choice is robust: no winner loses more than %g %% "
			"if another arm is right.\n",
			share);
		break;
	case AGREE_DEPENDS:
		fprintf(f,
			"The choice depends on the cost model: some winner "
			"loses more than %g %% if another arm is right.\n",
			share);
		break;
	case AGREE_ONE_ARM:
		fputs("Only one arm has an answer: there is nothing to compare "
		      "it with.\n",
		      f);
		break;
	case AGREE_NONE:
		say_none(r, f);
		break;
	}
	say_votes(r, f);
}

int recommend_is_none(const struct recommend *r)
{
	return regret_agreement(&r->regret, REGRET_TOLERANCE, 0) == AGREE_NONE;
}

void recommend_assumption(const struct recommend *r, FILE *f)
{
	if (recommend_is_none(r)) {
		if (r->from->rate > 0)
			fprintf(f,
				"Without --rate, the most that %s GPUs serve "
				"is searched.\n",
				r->from->gpus);
		return;
	}
	if (r->objective == OBJECTIVE_ENERGY && !r->is_closed)
		fprintf(f,
			"Each configuration was simulated once, at %g "
			"requests/s.\n",
			r->from->rate);
	else if (r->is_closed)
		fputs("Each configuration was simulated once, with the clients "
		      "of the workload.\n",
		      f);
	else
		fprintf(f,
			"If bounds that hold at a rate also hold at lower "
			"rates, no configuration %sserves %g %% more of these "
			"requests than the winner.\n",
			r->from->budget ? "that was tried " : "",
			200 * r->from->precision);
	if (r->n_unsearched)
		fprintf(f,
			"%zu row%s may be better by the race, and %s not "
			"searched in full.\n",
			r->n_unsearched, r->n_unsearched == 1 ? "" : "s",
			r->n_unsearched == 1 ? "was" : "were");
}

const char *recommend_limit(const struct recommend *r, const struct capacity *c)
{
	return r->is_closed && c->verdict == CAPACITY_FOUND
		   ? "clients"
		   : capacity_limited_by(c, &r->sweep.bounds);
}

/* Says why with the most frequent reason, once for arms that share it. */
static void no_configuration(const struct recommend *r, size_t arm, FILE *f)
{
	const struct recommend_reasons *l = &r->arm[arm].reasons;
	size_t most = 0;
	fprintf(f, "%s: no configuration is possible",
		recommend_arm_name(r, arm));
	for (size_t i = 1; i < l->n; i++)
		if (l->item[i].n > l->item[most].n)
			most = i;
	if (!l->n)
		return;
	const struct recommend_reasons *first = &r->arm[0].reasons;
	for (size_t i = 0; arm && i < first->n; i++)
		if (first->item[i].words == l->item[most].words) {
			fprintf(f, ", as of %s", recommend_arm_name(r, 0));
			return;
		}
	/* The file is the one that was given, or none. */
	const char *why = l->item[most].example, *config = r->from->config;
	size_t n = strlen(config);
	if (!strncmp(why, config, n) && !strncmp(why + n, ": ", 2))
		why += n + 2;
	fprintf(f, ": %s", why);
}

void recommend_nearest(const struct recommend *r, size_t arm, FILE *f)
{
	const struct recommend_arm *a = &r->arm[arm];
	const struct bounds *b = &r->sweep.bounds;
	const struct capacity *c = &a->nearest_run;
	if (a->nearest == SIZE_MAX) {
		no_configuration(r, arm, f);
		return;
	}
	fprintf(f, "%s: nearest: ", recommend_arm_name(r, arm));
	recommend_point(r, a->nearest, f);
	if (c->limited_by >= 0)
		fprintf(f, ": %s is %.*f, the bound %.4g",
			slo_bound_name(&b->bound[c->limited_by]),
			c->seen.value[c->limited_by] < 100 ? 2 : 0,
			c->seen.value[c->limited_by],
			b->bound[c->limited_by].limit);
	else
		fprintf(f, ": %s", capacity_limited_by(c, b));
	if (r->from->rate > 0)
		fprintf(f, " at %g requests/s", r->from->rate);
	else if (!r->is_closed)
		fputs(" when nearly unloaded", f);
}

uint64_t recommend_looped(const struct recommend *r, size_t arm)
{
	uint64_t n = r->trace_requests, of = r->arm[arm].race.requests;
	return !n ? 0 : of > n ? (of + n - 1) / n : 1;
}

void recommend_loops(const struct recommend *r, FILE *f)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		if (recommend_looped(r, i) > 1)
			fprintf(f,
				"%s: %" PRIu64
				" requests of the trace are fewer than a run "
				"needs; it came up to %" PRIu64
				" times over (looped), each time with new hash "
				"ids.\n",
				recommend_arm_name(r, i), r->trace_requests,
				recommend_looped(r, i));
}

void recommend_outside(const struct recommend *r, FILE *f)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		const struct recommend_found *x =
		    r->best[i] == SIZE_MAX ? NULL
					   : recommend_found(r, i, r->best[i]);
		if (!x || !x->outside.router)
			continue;
		fprintf(f, "%s: replicas behind %s.%s",
			recommend_arm_name(r, i), x->outside.router,
			x->outside.has_handover ? " " : "");
		capacity_say_handover(f, &x->outside);
		fputc('\n', f);
	}
}

void recommend_short(const struct recommend *r, FILE *f)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		const struct recommend_found *x =
		    r->best[i] == SIZE_MAX ? NULL
					   : recommend_found(r, i, r->best[i]);
		if (x && r->from->rate > 0 && !recommend_serves(r, x))
			fprintf(f,
				"%s: these requests are served at %g "
				"requests/s, a workload without end only at "
				"%.4g; ask for that much more.\n",
				recommend_arm_name(r, i), r->from->rate,
				x->capacity.request_rate);
	}
}
