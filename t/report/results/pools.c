/* Figures of prefill and decode pools, and of the caches sent between them. */
#include "report/results/pools.h"
#include "record/metrics.h"
#include "rendered.h"

static struct arm_record record[2];
static struct arm_result arm[3] = {{.name = "a", .record = &record[0]},
				   {.name = "b", .record = &record[1]},
				   {.name = "c", .error = "it broke"}};
static struct results r = {.arm = arm, .n = 3};

static void two_pools(struct outcome *o)
{
	o->n_pools = 2;
	o->pool[0] = (struct pool_figures){.replicas = 3, .num_steps = 40};
	o->pool[1] = (struct pool_figures){.replicas = 5, .num_steps = 70};
	o->transfers.n = 9;
}

static const char *written(void (*make)(struct columns *c,
					const struct results *of))
{
	struct columns c;
	make(&c, &r);
	columns_write(&c, rendered_begin(), 200, 0);
	columns_free(&c);
	return rendered_end();
}

int main(void)
{
	ok(!pools_any(&r), "no arm has two pools");
	two_pools(&record[1].outcome);
	ok(pools_any(&r), "one has");
	const char *text = written(pools_columns);
	rendered_has(text, "prefill of b  decode of b");
	rendered_lacks(text, " of a");
	rendered_lacks(text, " of c");
	rendered_has(text, "\n  replicas");
	for (size_t k = 0; k < n_pool_metrics; k++)
		rendered_has(text, pool_metric[k].name);
	const char *row = strstr(text, "num_steps");
	int prefill = 0, decode = 0;
	ok(row && sscanf(row, "num_steps %d %d", &prefill, &decode) == 2 &&
	       prefill == 40 && decode == 70,
	   "each pool has its own figure");
	text = written(pools_transfers);
	rendered_has(text, "KV caches sent between them");
	row = strstr(text, transfer_metric[0].name);
	ok(row && strstr(row, "9"), "how many were sent");
	r.n = 1;
	arm[0] = arm[1];
	text = written(pools_columns);
	rendered_has(text, "prefill  decode\n");
	return done();
}
