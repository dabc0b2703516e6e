/* A claim is read whole or refused, and its verdict follows from the effect,
 * the invariants, and the rule of its source. */
#include "claimed.h"

static void refused(const char *more, const char *why)
{
	struct problem p = {0};
	ok(claimed(more, &p) < 0 && p.code == EXIT_USAGE, "refused: %s", more);
	ok(strstr(p.text, why), "%s", p.text);
}

static void reading(void)
{
	struct problem p = {0};
	refused("", "[claim] needs effect_at_least, effect_at_most");
	refused("effect_at_least = x\n", "not a number");
	refused("effect_within = 2, 1\n", "not two ascending numbers");
	refused("effect_within = 2\n", "not two ascending numbers");
	refused("effect_at_least = 1\neffect_at_most = 2\n", "give one of");
	refused("effect_at_least = 1\nexpect_verdict = maybe\n",
		"confirmed, refuted or void");
	refused("effect_at_least = 1\nbases = a\n", "unknown key bases");
	instead = "claim.cause=";
	refused("effect_at_least = 1\n", "[claim] needs cause");
	instead = "claim.base=z";
	refused("effect_at_least = 1\n", "no [cost_model:z]");
	instead = "claim.effect=2";
	refused("effect_at_least = 1\n", "does not name the arm a");
	instead = NULL;
	ok(claimed("effect_at_least = 1\n", &p) == 0, "a whole one");
	ok(x.n_points == 4, "every step under both arms: %zu", x.n_points);
	/* through a column */
	instead = "claim.effect=max(t: us) / max(t: b.s.exact_us)";
	ok(claimed("effect_at_least = 1\n", &p) == 0,
	   "a column that names an arm counts");
	instead = NULL;
}

static void verdict(const char *more, double times, const char *want)
{
	struct problem p = {0};
	if (claimed(more, &p) < 0)
		bail_out(p.text);
	price(times);
	ok(experiment_compute(&x, &p) == 0, "computed");
	is(claim_verdict_name[x.claim.verdict], want, "%s", more);
	near(x.claim.effect_is, times, 1e-12, "the effect");
}

static void judging(void)
{
	verdict("effect_at_least = 3\n", 4, "confirmed");
	verdict("effect_at_least = 3\n", 2, "refuted");
	verdict("effect_at_most = 3\n", 2, "confirmed");
	verdict("effect_at_most = 3\n", 4, "refuted");
	verdict("effect_within = 1, 3\n", 2, "confirmed");
	verdict("effect_within = 1, 3\n", 4, "refuted");
	verdict("effect_at_least = 3\n[experiment]\nrefuted = 1 == 1\n", 4,
		"refuted");
	verdict("effect_at_least = 3\ninvariant.no = 1 == 2\n", 4, "void");
	verdict("effect_at_least = 3\ninvariant.yes = 1 == 1\n", 4,
		"confirmed");
	verdict("effect_at_least = 3\nexpect_verdict = refuted\n", 4,
		"confirmed");
	ok(!claim_is_as_expected(&x), "not the expected one");
	verdict("effect_at_least = 3\nexpect_verdict = refuted\n", 2,
		"refuted");
	ok(claim_is_as_expected(&x), "as expected");
}

int main(void)
{
	reading();
	judging();
	experiment_free(&x);
	ini_free(&ini);
	return done();
}
