/* A race among configurations with known best rates. */
#include "recommend/race.h"
#include "jobs/pool_task.h"
#include "tap.h"

enum { MANY = 60 };
static struct race_entry entry[MANY];
static double best[MANY]; /* the scale up to which each meets its bounds      */
static struct race r;
static struct problem p;
static unsigned most_at_once;

/* What a simulation would say. */
static struct race_answer say(const struct race_question *q)
{
	double limit = best[q->entry];
	struct race_answer a = {.simulations = 1, .requests = 100};
	if (q->ask == RACE_AT || q->ask == RACE_MEASURE) {
		a.met = q->scale <= limit;
		a.scale = q->ask == RACE_MEASURE ? limit : q->scale;
		a.limited_by = 1;
	} else {
		a.met = limit > 0.01;
		a.scale = limit;
		a.simulations = 8;
	}
	return a;
}

/* Asks up to `at_once` questions before it gives the answers, the last first.
 */
static void run(const struct race_how *how, size_t n, unsigned at_once)
{
	struct race_question q[64];
	race_free(&r);
	if (race_begin(&r, how, entry, n, &p) < 0)
		bail_out(p.text);
	most_at_once = 0;
	for (int got = POOL_NEXT; got != POOL_NO_MORE;) {
		unsigned k = 0;
		while (k < at_once && (got = race_next(&r, &q[k])) == POOL_NEXT)
			k++;
		most_at_once = k > most_at_once ? k : most_at_once;
		while (k-- > 0) {
			struct race_answer a = say(&q[k]);
			race_take(&r, &q[k], &a);
		}
	}
}

static void fill(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		entry[i] = (struct race_entry){.point = i,
					       .shape = i / 3,
					       .is_first = i % 3 == 0,
					       .room = (double)(i * 37 % 100),
					       .weight = 1};
		best[i] = 1 + (double)(i * 71 % 97) / 10;
	}
}

static double largest(size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		most = best[i] > most ? best[i] : most;
	return most;
}

static void finds(void)
{
	const struct race_how how = {.precision = 0.02};
	fill(MANY);
	run(&how, MANY, 1);
	ok(best[r.best] >= largest(MANY) / 1.02,
	   "the winner is within the precision of the best: %g of %g",
	   best[r.best], largest(MANY));
	ok(r.n_tried == MANY, "every configuration was tried");
	ok(r.simulations <= MANY * 1.6 + 12 * (double)r.n_incumbents,
	   "about one simulation each: %d, %zu times a new best",
	   (int)r.simulations, r.n_incumbents);
	size_t winner = r.best;
	uint64_t simulations = r.simulations;
	run(&how, MANY, 64);
	ok(r.best == winner && r.simulations == simulations,
	   "many at once, answered in another order: the same race");
	ok(most_at_once == RACE_WAVE, "a wave at most: %u", most_at_once);
	ok(r.requests == 100, "runs are as long as the longest had to be");
	size_t other = race_runner_up(&r);
	ok(other != RACE_NONE && entry[other].shape != entry[winner].shape,
	   "the runner-up has another shape");
}

static void none(void)
{
	const struct race_how how = {.precision = 0.02};
	fill(10);
	for (size_t i = 0; i < 10; i++)
		best[i] = 0;
	run(&how, 10, 4);
	ok(r.best == RACE_NONE && r.n_tried == 10 &&
	       race_runner_up(&r) == RACE_NONE,
	   "nothing meets the bounds");
	ok(r.track[3].state == RACE_OUT, "each is out");
	run(&how, 0, 4);
	ok(r.best == RACE_NONE && r.simulations == 0, "nothing to choose from");
}

static void serves_a_rate(void)
{
	const struct race_how how = {.precision = 0.02, .floor = 5};
	fill(MANY);
	for (size_t i = 0; i < MANY; i++) {
		entry[i].level = 8 - (double)(i / 20);
		best[i] = i < 40 ? 9 : 1;
	}
	best[25] = 11;
	run(&how, MANY, 8);
	ok(r.best == 25, "the best of the fewest GPUs that serve the rate: %zu",
	   r.best);
	ok(r.n_tried == 40, "of more GPUs none is tried: %zu", r.n_tried);
}

static void weighs(void)
{
	const struct race_how how = {.precision = 0.02};
	fill(20);
	for (size_t i = 0; i < 20; i++)
		entry[i].weight = best[i] = 1 + (double)i;
	best[7] *= 1.5;
	run(&how, 20, 8);
	ok(r.best == 7, "the most for what it takes: %zu", r.best);
}

static void measures(void)
{
	const struct race_how how = {.precision = 0.02, .measures = 1};
	fill(MANY);
	run(&how, MANY, 8);
	ok(best[r.best] >= largest(MANY), "measured: the best of all");
	ok(r.simulations == MANY, "each once");
}

static void budget(void)
{
	const struct race_how how = {.precision = 0.02, .budget = 30};
	fill(MANY);
	run(&how, MANY, 8);
	ok(r.best != RACE_NONE && r.n_tried < MANY &&
	       r.simulations < 30 + RACE_WAVE + 8,
	   "a budget ends it: %d simulations, %zu tried", (int)r.simulations,
	   r.n_tried);
}

static void fails(void)
{
	const struct race_how how = {.precision = 0.02};
	struct race_question q;
	fill(3);
	run(&how, 0, 1);
	race_free(&r);
	if (race_begin(&r, &how, entry, 3, &p) < 0)
		bail_out(p.text);
	race_next(&r, &q);
	ok(race_next(&r, &(struct race_question){0}) == POOL_LATER,
	   "one at a time until there is a best");
	race_take(&r, &q, &(struct race_answer){.failed = 1});
	ok(r.track[q.entry].state == RACE_FAILED && r.best == RACE_NONE,
	   "a failure is not a result");
	ok(race_next(&r, &q) == POOL_NEXT, "and the race goes on");
}

int main(void)
{
	finds();
	none();
	serves_a_rate();
	weighs();
	measures();
	budget();
	fails();
	race_free(&r);
	return done();
}
