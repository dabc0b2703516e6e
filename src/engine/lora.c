/* lora.c -- Resolves the keys of adapters. */
#include "engine/lora.h"
#include <math.h>
#include "engine/keys/source.h"

/* Returns NULL if adapters are simulated with the engine. */
static const char *lora_conflict(const struct engine *e,
				 const struct engine_facts *f)
{
	if (engine_stages(e) > 1 && e->async_scheduling)
		return "stages of a pipeline that are scheduled ahead";
	if (e->lockstep_ranks > 1)
		return "ranks in lockstep";
	if (e->prefill_replicas || (f->from && f->from->pool))
		return "prefill and decode apart";
	return NULL;
}

int lora_resolve(struct engine *e, const struct engine_keys *k,
		 const struct engine_facts *f, struct problem *p)
{
	const char *what = lora_conflict(e, f);
	if (!k->enable_lora)
		return 0;
	if (what)
		return engine_refuse(p, f->from, "enable_lora",
				     "enable_lora = true: adapters are not "
				     "simulated with %s",
				     what);
	e->lora.max_loras = (uint32_t)k->max_loras;
	e->lora.max_cpu_loras =
	    (uint32_t)(k->max_cpu_loras ? k->max_cpu_loras : k->max_loras);
	if (e->lora.max_cpu_loras < e->lora.max_loras)
		return engine_refuse(p, f->from, "max_cpu_loras",
				     "max_cpu_loras = %u: at least max_loras = "
				     "%u",
				     e->lora.max_cpu_loras, e->lora.max_loras);
	e->lora.step_ns = llround(1e3 * k->lora_us);
	e->lora.load_ns = llround(1e3 * k->lora_load_us);
	e->lora.activate_ns = llround(1e3 * k->lora_activate_us);
	return 0;
}
