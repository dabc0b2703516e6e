/* key_tables.c -- Lists the sections of an INI and the keys of each. */
#include <config.h>
#include "arm/key_tables.h"
#include <string.h>
#include "arm/arm_list.h"
#include "setup/engine.h"
#include "setup/hardware.h"
#include "setup/model.h"
#include "workload/keys.h"
#include "stepcost/knob.h"

const sc_knob *const host_key[] = {
    SC_INT(struct host_keys, schema, "1", 1, 1, "1",
	   "Of this file's sections and keys."),
};
const uint32_t host_n_keys = sizeof host_key / sizeof *host_key;

static const struct {
	const char *section;
	const sc_knob *const *knob;
	const uint32_t *n;
	const sc_knob *const *more; /* keys that few need; NULL: none */
	const uint32_t *n_more;
} table[] = {
    {"stepcost", host_key, &host_n_keys, NULL, NULL},
    {"model", model_key, &model_n_keys, model_more_key, &model_n_more_keys},
    {"hardware", hardware_key, &hardware_n_keys, NULL, NULL},
    {"engine", engine_key, &engine_n_keys, NULL, NULL},
    {"engine:prefill", engine_key, &engine_n_keys, NULL, NULL},
    {"engine:decode", engine_key, &engine_n_keys, NULL, NULL},
    {"tables", arm_tables_key, &arm_tables_n_keys, NULL, NULL},
    {"workload", workload_keys, &n_workload_keys, NULL, NULL},
    {"slo", slo_key, &slo_n_keys, NULL, NULL},
};
enum { SECTIONS = sizeof table / sizeof *table };

const char *key_tables_section(size_t i)
{
	return i < SECTIONS ? table[i].section : NULL;
}

size_t key_tables_of(const char *section, const sc_plugin *plugin,
		     struct key_table *t)
{
	size_t n = 0;
	for (size_t i = 0; i < SECTIONS; i++) {
		if (strcmp(section, table[i].section))
			continue;
		t[n++] = (struct key_table){table[i].knob, *table[i].n, ""};
		if (table[i].more)
			t[n++] = (struct key_table){table[i].more,
						    *table[i].n_more, ""};
		if (table[i].knob == engine_key &&
		    strcmp(section, "engine") != 0)
			t[n++] = (struct key_table){
			    hardware_key, hardware_n_keys, "hardware."};
	}
	if (!arm_is_section(section))
		return n;
	t[n++] = (struct key_table){arm_key, arm_n_keys, ""};
	if (plugin)
		t[n++] = (struct key_table){plugin->knob, plugin->n_knobs, ""};
	t[n++] =
	    (struct key_table){arm_tables_key, arm_tables_n_keys, "tables."};
	t[n++] = (struct key_table){hardware_key, hardware_n_keys, "hardware."};
	t[n++] = (struct key_table){engine_key, engine_n_keys, "engine."};
	return n;
}

const sc_knob *key_in_tables(const struct key_table *t, size_t n,
			     const char *key, const char **prefix)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(t[i].prefix);
		if (strncmp(key, t[i].prefix, len))
			continue;
		for (uint32_t k = 0; k < t[i].n; k++)
			if (!strcmp(t[i].knob[k]->name, key + len)) {
				*prefix = t[i].prefix;
				return t[i].knob[k];
			}
	}
	return NULL;
}
