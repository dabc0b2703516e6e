/* key_tables.c -- Lists the sections of an INI and the keys of each. */
#include "arm/key_tables.h"
#include <string.h>
#include "api/serve_keys.h"
#include "keys/arena_keys.h"
#include "arm/arm_list.h"
#include "engine/engine_names.h"
#include "engine/keys/engine_keys.h"
#include "engine/keys/rows.h"
#include "keys/hardware.h"
#include "model/model.h"
#include "workload/keys.h"
#include "stepcost/knob.h"

const sc_knob *const host_key[] = {
    SC_INT(struct host_keys, schema, "1", 1, 1, "1",
	   "The version of this file's sections and keys."),
};
const uint32_t host_n_keys = sizeof host_key / sizeof *host_key;

static const struct {
	const char *section, *about;
	const sc_knob *const *knob;
	const uint32_t *n;
} table[] = {
    {"stepcost", "This file itself.", host_key, &host_n_keys},
    {"model",
     "The model that is served: a shipped name, or a config.json; other keys "
     "override what it says.",
     model_key, &model_n_keys},
    {"hardware",
     "The GPU: a shipped name, or a file; other keys override its figures.",
     hardware_key, &hardware_n_keys},
    {"engine", "The serving engine: its rules, sizes and limits.", engine_key,
     &engine_n_keys},
    {"engine:prefill",
     "With prefill_replicas: settings of the replicas that compute prompts. "
     "They override keys of [engine] and, as hardware.KEY, of [hardware].",
     engine_key, &engine_n_keys},
    {"engine:decode",
     "With prefill_replicas: settings of the replicas that generate.",
     engine_key, &engine_n_keys},
    {"router",
     "Settings of the router that engine.routing names, as its project calls "
     "them.",
     router_key, &router_n_keys},
    {"router:prefill",
     "With [engine:prefill]: settings of the router of its replicas.",
     router_key, &router_n_keys},
    {"router:decode",
     "With [engine:decode]: settings of the router of its replicas.",
     router_key, &router_n_keys},
    {"autoscaler",
     "When replicas are added and stopped, by Kubernetes' rule, and what a "
     "start takes.",
     autoscaler_key, &autoscaler_n_keys},
    {"failures", "When replicas die, and what becomes of their requests.",
     failures_key, &failures_n_keys},
    {"tables", "The measured kernels that cost models may look up.",
     arm_tables_key, &arm_tables_n_keys},
    {"workload",
     "The requests: generated from distributions, or read from a trace.",
     workload_keys, &n_workload_keys},
    {"serve",
     "How a live server (stepcost serve) listens, answers and protects "
     "itself; other commands do not use it.",
     serve_key, &serve_n_keys},
    {"arena",
     "The measured steps and serving runs that rank cost models (stepcost "
     "arena); other commands do not use it.",
     arena_key, &arena_n_keys},
    {"slo", "The latency bounds that a request must meet to count for goodput.",
     slo_key, &slo_n_keys},
};
enum { SECTIONS = sizeof table / sizeof *table };

const char *key_tables_section(size_t i)
{
	return i < SECTIONS ? table[i].section : NULL;
}

const char *key_tables_about(size_t i)
{
	return table[i].about;
}

size_t key_tables_of(const char *section, const sc_plugin *plugin,
		     struct key_table *t)
{
	size_t n = 0;
	for (size_t i = 0; i < SECTIONS; i++) {
		if (strcmp(section, table[i].section))
			continue;
		t[n++] = (struct key_table){
		    table[i].knob, *table[i].n, "",
		    table[i].knob == engine_key ? engine_name_key : NULL};
		if (table[i].knob == engine_key &&
		    strcmp(section, "engine") != 0)
			t[n++] = (struct key_table){
			    hardware_key, hardware_n_keys, "hardware.", NULL};
	}
	if (!arm_is_section(section))
		return n;
	t[n++] = (struct key_table){arm_key, arm_n_keys, "", NULL};
	if (plugin)
		t[n++] =
		    (struct key_table){plugin->knob, plugin->n_knobs, "", NULL};
	t[n++] = (struct key_table){arm_tables_key, arm_tables_n_keys,
				    "tables.", NULL};
	t[n++] = (struct key_table){hardware_key, hardware_n_keys, "hardware.",
				    NULL};
	t[n++] = (struct key_table){engine_key, engine_n_keys, "engine.",
				    engine_name_key};
	t[n++] = (struct key_table){router_key, router_n_keys, "router.", NULL};
	return n;
}

const sc_knob *key_in_tables(const struct key_table *t, size_t n,
			     const char *key, const char **prefix)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(t[i].prefix);
		if (strncmp(key, t[i].prefix, len))
			continue;
		const sc_knob *k = knob_named(t[i].knob, t[i].n, key + len);
		if (k) {
			*prefix = t[i].prefix;
			return k;
		}
	}
	return NULL;
}
