/* vllm_adapters.c -- Counts the adapters of a step, and moves them into slots.
 */
#include "sim/policy/vllm/vllm_adapters.h"
#include <stdlib.h>
#include <string.h>

int adapters_init(struct adapters *a, const struct lora_rules *rules)
{
	*a = (struct adapters){.rules = rules};
	if (rules->max_loras == 0)
		return 0;
	a->in_step = malloc(rules->max_loras * sizeof *a->in_step);
	a->on_gpu = malloc(rules->max_loras * sizeof *a->on_gpu);
	a->on_cpu = malloc(rules->max_cpu_loras * sizeof *a->on_cpu);
	return a->in_step && a->on_gpu && a->on_cpu ? 0 : -1;
}

void adapters_free(struct adapters *a)
{
	free(a->in_step);
	free(a->on_gpu);
	free(a->on_cpu);
}

void adapters_begin(struct adapters *a)
{
	a->n = 0;
}

static uint32_t place_of(const uint64_t *list, uint32_t n, uint64_t adapter)
{
	uint32_t i = 0;
	while (i < n && list[i] != adapter)
		i++;
	return i;
}

int adapters_may_join(const struct adapters *a, uint64_t adapter)
{
	return adapter == 0 || a->n < a->rules->max_loras ||
	       place_of(a->in_step, a->n, adapter) < a->n;
}

void adapters_join(struct adapters *a, uint64_t adapter)
{
	if (adapter && a->n < a->rules->max_loras &&
	    place_of(a->in_step, a->n, adapter) == a->n)
		a->in_step[a->n++] = adapter;
}

/* Makes it the last one of the slots; if all are taken, the first gives way.
 * Returns 1 if it was in none. */
static int use(uint64_t *slot, uint32_t *n, uint32_t most, uint64_t adapter)
{
	uint32_t i = place_of(slot, *n, adapter);
	int is_new = i == *n;
	if (is_new && *n < most)
		(*n)++;
	else if (is_new)
		i = 0;
	memmove(slot + i, slot + i + 1, (*n - 1 - i) * sizeof *slot);
	slot[*n - 1] = adapter;
	return is_new;
}

int64_t adapters_load(struct adapters *a)
{
	const struct lora_rules *r = a->rules;
	int64_t wait_ns = 0;
	for (uint32_t i = 0; i < a->n; i++) {
		uint64_t adapter = a->in_step[i];
		if (use(a->on_cpu, &a->n_cpu, r->max_cpu_loras, adapter))
			wait_ns += r->load_ns;
		if (use(a->on_gpu, &a->n_gpu, r->max_loras, adapter))
			wait_ns += r->activate_ns;
	}
	return wait_ns;
}
