/* bare.h -- a plugin without the host: loaded from STEPCOST_PLUGIN_PATH, knobs
 * at their defaults or as named.  Needs tap.h before it. */
#ifndef T_BARE_H
#define T_BARE_H
#include <dlfcn.h>
#include "stepcost/plugin.h"

static const sc_plugin *bare_load(const char *name)
{
	char path[4096];
	const char *folder = getenv("STEPCOST_PLUGIN_PATH");
	snprintf(path, sizeof path, "%s/%s.so", folder ? folder : ".libs",
		 name);
	void *dso = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!dso)
		bail_out(dlerror());
	sc_entry_fn entry;
	*(void **)&entry = dlsym(dso, SC_ENTRY);
	return entry(SC_ABI_MAJOR, SC_ABI_MINOR);
}

/* 0, or -1: there is no such knob or choice. */
static int bare_set(const sc_plugin *p, void *block, const char *name,
		    const char *value)
{
	for (uint32_t i = 0; i < p->n_knobs; i++) {
		const sc_knob *k = p->knob[i];
		char *at = (char *)block + k->offset;
		int64_t n = 0;
		double d = strtod(value, NULL);
		if (strcmp(k->name, name))
			continue;
		if (k->type == SC_KNOB_DOUBLE)
			return memcpy(at, &d, sizeof d) ? 0 : -1;
		if (k->type == SC_KNOB_INT)
			n = (int64_t)d;
		if (k->type == SC_KNOB_BOOL)
			n = !strcmp(value, "true");
		while (k->type == SC_KNOB_CHOICE && k->choices[n] &&
		       strcmp(k->choices[n], value))
			n++;
		if (k->type == SC_KNOB_CHOICE && !k->choices[n])
			return -1;
		return memcpy(at, &n, sizeof n) ? 0 : -1;
	}
	return -1;
}

/* The block of knobs at their defaults; the caller frees it. */
__attribute__((unused)) static void *bare_knobs(const sc_plugin *p)
{
	void *block = calloc(1, p->knob_block);
	for (uint32_t i = 0; i < p->n_knobs; i++)
		if (bare_set(p, block, p->knob[i]->name, p->knob[i]->def))
			bail_out("a knob's default is none of its values");
	return block;
}

/* As the host presets it. */
__attribute__((unused)) static sc_result bare_result(void)
{
	double no = (double)NAN;
	return (sc_result){.size = sizeof(sc_result),
			   .exact_us = no,
			   .ready_us = no,
			   .host_us = no,
			   .gemm_us = {no, no},
			   .attention_us = {no, no},
			   .compute_us = {no, no},
			   .memory_us = {no, no},
			   .comm_us = no,
			   .overhead_us = no,
			   .flops = no,
			   .bytes = no,
			   .energy_j = no,
			   .gemm_flops = {no, no},
			   .attention_flops = {no, no},
			   .weight_bytes = no,
			   .kv_bytes = {no, no},
			   .activation_bytes = no,
			   .attention_mfu = {no, no},
			   .attention_mfu_low = {no, no},
			   .attention_mfu_high = {no, no},
			   .noise_us = no,
			   .low_us = no,
			   .high_us = no};
}
#endif
