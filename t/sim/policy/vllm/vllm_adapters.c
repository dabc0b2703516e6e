/* Adapters of a step, and their slots. */
#include "sim/policy/vllm/vllm_adapters.h"
#include "tap.h"

static struct adapters a;

/* A step with these adapters, 0 behind the last; how long it waits. */
static int64_t step(const uint64_t *adapter)
{
	adapters_begin(&a);
	while (*adapter)
		adapters_join(&a, *adapter++);
	return adapters_load(&a);
}
#define STEP(...) step((const uint64_t[]){__VA_ARGS__, 0})

static void places(void)
{
	const struct lora_rules two = {.max_loras = 2, .max_cpu_loras = 2};
	ok(adapters_init(&a, &two) == 0 && adapters_are_on(&a), "two places");
	adapters_begin(&a);
	ok(adapters_may_join(&a, 7), "an empty step has room");
	adapters_join(&a, 7);
	adapters_join(&a, 7);
	ok(adapters_may_join(&a, 8), "one adapter takes one place");
	adapters_join(&a, 8);
	adapters_join(&a, 0);
	ok(!adapters_may_join(&a, 9) && adapters_may_join(&a, 7) &&
	       adapters_may_join(&a, 8),
	   "a full step takes its own adapters");
	ok(adapters_may_join(&a, 0), "and requests without one");
	adapters_begin(&a);
	ok(adapters_may_join(&a, 9), "the next step begins anew");
	adapters_free(&a);
}

static void slots(void)
{
	const struct lora_rules r = {.max_loras = 2,
				     .max_cpu_loras = 3,
				     .load_ns = 100,
				     .activate_ns = 1};
	if (adapters_init(&a, &r))
		bail_out("no memory");
	ok(STEP(0) == 0, "a step without adapters waits for none");
	ok(STEP(1, 2) == 202, "new adapters are loaded and copied");
	ok(STEP(2, 1) == 0, "those in slots are there");
	ok(STEP(3) == 101, "a third takes the slot of the older one, 2");
	ok(STEP(1) == 0, "1 was used after it");
	ok(STEP(2) == 1, "2 is still in the host's memory");
	ok(STEP(4) == 101 && STEP(3) == 101,
	   "which kept 1 and 2, and lost 3 to 4");
	adapters_free(&a);
}

int main(void)
{
	const struct lora_rules none = {0};
	ok(adapters_init(&a, &none) == 0 && !adapters_are_on(&a), "off");
	adapters_free(&a);
	places();
	slots();
	return done();
}
