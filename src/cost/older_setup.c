/* older_setup.c -- Hides what a plugin of an older ABI would misread. */
#include "cost/older_setup.h"
#include <stdlib.h>

/* Returns the flags that a plugin of that minor version does not know. */
static uint32_t unknown_flags(uint32_t abi_minor)
{
	return (abi_minor < 3 ? SC_LAYER_QK_NORM_ALL_HEADS : 0) |
	       (abi_minor < 2 ? SC_LAYER_INDEXER | SC_LAYER_OUTPUT_GATE : 0);
}

int older_setup_needed(const sc_setup *setup, uint32_t abi_minor)
{
	if (!unknown_flags(abi_minor) || !setup || !setup->model)
		return 0;
	for (uint32_t i = 0; i < setup->model->n_groups; i++)
		if (setup->model->group[i]->flags & unknown_flags(abi_minor))
			return 1;
	return 0;
}

static uint32_t older_flags(const sc_layers *g, uint32_t abi_minor)
{
	uint32_t flags = g->flags & ~unknown_flags(abi_minor);
	int gated = (g->flags & ~flags & SC_LAYER_OUTPUT_GATE) != 0;
	return gated && g->attention != SC_ATTN_LINEAR ? flags | SC_LAYER_OTHER
						       : flags;
}

int older_setup_make(struct older_setup *o, const sc_setup *setup,
		     uint32_t abi_minor, struct problem *p)
{
	uint32_t n = setup->model->n_groups;
	*o = (struct older_setup){.is = *setup, .model = *setup->model};
	o->layers = calloc(n, sizeof *o->layers);
	o->group = calloc(n, sizeof *o->group);
	if (!o->layers || !o->group)
		return problem_no_memory(p);
	for (uint32_t i = 0; i < n; i++) {
		o->layers[i] = *setup->model->group[i];
		o->layers[i].flags = older_flags(&o->layers[i], abi_minor);
		o->group[i] = &o->layers[i];
	}
	o->model.group = o->group;
	o->is.model = &o->model;
	return 0;
}

void older_setup_free(struct older_setup *o)
{
	free(o->layers);
	free(o->group);
	*o = (struct older_setup){0};
}
