/* named.c -- Lists the parts that a plugin names. */
#include "cost/named.h"
#include <math.h>
#include <stdio.h>

int named_has_phases(uint32_t kind)
{
	return kind == SC_PART_GEMM || kind == SC_PART_ATTENTION;
}

static void add(struct named_parts *n, const sc_part *part, uint32_t phase,
		uint32_t at)
{
	if (n->n == NAMED_PARTS)
		return;
	struct named_part *to = &n->part[n->n++];
	n->places[phase] = at - phase * n->n_parts + 1;
	*to = (struct named_part){.kind = part->kind, .phase = phase, .at = at};
	snprintf(to->name, sizeof to->name, "%s", part->name);
}

void named_parts(struct named_parts *n, const sc_plugin *p)
{
	*n = (struct named_parts){.n_parts = p->part ? p->n_parts : 0};
	for (uint32_t i = 0; i < n->n_parts; i++) {
		add(n, p->part[i], SC_PREFILL, i);
		if (named_has_phases(p->part[i]->kind))
			add(n, p->part[i], SC_DECODE, p->n_parts + i);
	}
}

double named_us(const struct named_part *part, const sc_result *r)
{
	double us = r->part_us ? r->part_us[part->at] : NAN;
	return isnan(us) ? 0 : us;
}
