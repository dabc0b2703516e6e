/* Simulations that a store keeps: the same answer, for the same question. */
#include "recommend/kept.h"
#include <math.h>
#include <string.h>
#include "recommended.h"

static struct work_answer answer(void)
{
	struct work_answer a = {
	    .race = {.met = 1,
		     .limited_by = LIMITED_BY_SATURATION,
		     .scale = 0.1,
		     .simulations = 7,
		     .requests = 1 << 20},
	    .served = {1.0 / 3, 2, NAN, 4},
	    .found = {.verdict = CAPACITY_NONE,
		      .stopped_by = STOP_DECISION,
		      .limited_by = LIMITED_BY_REJECTION,
		      .high = INFINITY,
		      .slope = NAN,
		      .replications = 9,
		      .load = {.running = 3.5, .clients = 4, .is_stable = 1}},
	    .miss = INFINITY,
	    .warning = "a warning",
	    .key = "key"};
	a.found.value[CAPACITY_BOUNDS - 1] = 5;
	return a;
}

static void numbers(void)
{
	double number[STORE_NUMBERS];
	struct work_answer a = answer(), b;
	struct store_column c;
	size_t n = store_n_numbers(STORE_RACE);
	kept_write(&a, number);
	for (size_t i = 0; i < n; i++)
		if (isinf(number[i]))
			n = 0;
	ok(n > 0, "every cell can be kept");
	kept_read(&b, number);
	ok(b.race.met == 1 && b.race.limited_by == LIMITED_BY_SATURATION &&
	       b.race.scale == 0.1 && b.race.simulations == 7 &&
	       b.race.requests == 1 << 20,
	   "a race's answer comes back");
	ok(b.served.request_rate == 1.0 / 3 && isnan(b.served.mean_tpot_ms) &&
	       b.served.joules_per_token == 4,
	   "and what was served");
	ok(b.found.stopped_by == STOP_DECISION && isinf(b.found.high) &&
	       isnan(b.found.slope) && b.found.replications == 9 &&
	       b.found.load.running == 3.5 && b.found.load.is_stable &&
	       b.found.value[CAPACITY_BOUNDS - 1] == 5 && isinf(b.miss),
	   "and a search");
	number[3] = 42;
	ok(store_number(STORE_RACE, 3, &c) && !strcmp(c.name, "scale"),
	   "a column");
	kept_read(&b, number);
	ok(b.race.scale == 42, "is that of its field");
	ok(store_number(STORE_RACE, n - 1, &c) && !strcmp(c.name, "bound_16") &&
	       CAPACITY_BOUNDS == 16 && store_number(STORE_RACE, n - 17, &c) &&
	       !strcmp(c.name, "is_stable"),
	   "the last ones are the bounds");
}

static struct work_question question(double scale)
{
	return (struct work_question){
	    .ask = WORK_RACE,
	    .point = 1,
	    .race = {.ask = RACE_AT, .scale = scale, .requests = 200}};
}

static int finds(struct kept *k, unsigned arm, struct work_question q)
{
	if (kept_look_up(k, arm, &q, &why) < 0)
		bail_out(why.text);
	return !strcmp(q.known.key, "key") && q.known.race.scale == 0.1 &&
	       !strcmp(q.known.warning, "a warning");
}

static void rows(void)
{
	struct kept k = {0};
	struct work_question q = question(1.0 / 3);
	struct work_answer a = answer();
	const char *path = scratch_path("kept.db");
	ok(kept_look_up(&k, 0, &q, &why) == 0 &&
	       kept_add(&k, 0, &q, &a, &why) == 0 && !*q.known.key &&
	       kept_close(&k, &why) == 0,
	   "without a store nothing is kept");
	if (kept_open(&k, path, &recommended.sweep, 0, 0, &why) < 0)
		bail_out(why.text);
	ok(!finds(&k, 0, q), "a new store has nothing");
	ok(kept_add(&k, 0, &q, &a, &why) == 0 && finds(&k, 0, q) &&
	       k.n_added == 1,
	   "an answer that is added is found");
	ok(!finds(&k, 1, q) && !finds(&k, 0, question(0.34)),
	   "not for another arm, nor at another rate");
	a.is_known = 1;
	ok(kept_add(&k, 0, &q, &a, &why) == 0 && k.n_added == 1 &&
	       k.n_found == 1,
	   "one that was known is not added again");
	ok(kept_moment(&k, &why) == 0 && kept_close(&k, &why) == 0,
	   "it is closed");
	ok(kept_open(&k, path, &recommended.sweep, 0, 0, &why) == 0 &&
	       finds(&k, 0, q) && kept_close(&k, &why) == 0,
	   "and has the answer when it is opened again");
	ok(kept_open(&k, path, &recommended.sweep, 1, 2, &why) < 0 &&
	       strstr(why.text, "shard"),
	   "it is no shard");
	kept_close(&k, NULL);
}

/* Only the end of its races tells that a shard is complete. */
static void shards(void)
{
	struct kept k = {0};
	struct work_question q = question(1.0 / 3);
	struct work_answer a = answer();
	struct store_study study;
	struct names axis = {0};
	const char *path = scratch_path("shard.db");
	ok(kept_study(&recommended.sweep, &study, &axis, &why) == 0 &&
	       study.mode == STORE_RACE && study.points == 0 &&
	       axis.n == recommended.sweep.axis.n + 3,
	   "the study of such a store");
	names_free(&axis);
	if (kept_open(&k, path, &recommended.sweep, 1, 2, &why) < 0)
		bail_out(why.text);
	ok(store_study(k.store)->points == KEPT_RACING, "a shard races");
	ok(kept_add(&k, 0, &q, &a, &why) == 0 && kept_finish(&k, &why) == 0 &&
	       store_study(k.store)->points == 1,
	   "at its end it has one answer");
	ok(kept_close(&k, &why) == 0 &&
	       kept_open(&k, path, &recommended.sweep, 1, 2, &why) == 0 &&
	       store_study(k.store)->points == KEPT_RACING,
	   "opened again, it races again");
	kept_close(&k, NULL);
}

int main(void)
{
	scratch_open();
	ask_small();
	if (recommend_opened(RECOMMENDED) < 0)
		bail_out(why.text);
	numbers();
	rows();
	shards();
	recommend_free(&recommended);
	return done();
}
