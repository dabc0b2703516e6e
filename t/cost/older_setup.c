/* What plugins of an older ABI see of a model, and what a plugin gets. */
#include "cost/older_setup.h"
#include "cost/cost.h"
#include "tap.h"

static const sc_setup *seen;

static int32_t create(void **inst, const sc_setup *setup, const void *knobs,
		      sc_error *err)
{
	(void)inst, (void)knobs, (void)err;
	seen = setup;
	return SC_EUNSUP;
}

static void shown(const sc_setup *s)
{
	sc_plugin p = {
	    .size = sizeof p, .name = "p", .abi_minor = 3, .create = create};
	struct cost c;
	struct problem err;
	ok(cost_create(&c, &p, s, NULL, &err) < 0 && seen == s,
	   "a plugin of this ABI gets the host's setup");
	p.abi_minor = 1;
	ok(cost_create(&c, &p, s, NULL, &err) < 0 && seen && seen != s &&
	       !c.older,
	   "an older one a copy, freed if it refuses");
}

int main(void)
{
	sc_layers layers[] = {
	    {.size = sizeof *layers,
	     .attention = SC_ATTN_FULL,
	     .flags = SC_LAYER_QK_NORM | SC_LAYER_OUTPUT_GATE},
	    {.size = sizeof *layers,
	     .attention = SC_ATTN_LINEAR,
	     .flags = SC_LAYER_OUTPUT_GATE},
	    {.size = sizeof *layers,
	     .attention = SC_ATTN_MLA,
	     .n_heads = 7,
	     .flags = SC_LAYER_SPARSE | SC_LAYER_INDEXER},
	};
	const sc_layers *group[] = {&layers[0], &layers[1], &layers[2]};
	const sc_model model = {
	    .size = sizeof model, .n_groups = 3, .group = group};
	const sc_setup setup = {.size = sizeof setup, .model = &model};
	struct older_setup o;
	struct problem p;
	ok(older_setup_needed(&setup, 0) && older_setup_needed(&setup, 1) &&
	       !older_setup_needed(&setup, 2) && !older_setup_needed(NULL, 0),
	   "for plugins that do not know the flags");
	shown(&setup);
	ok(older_setup_make(&o, &setup, 1, &p) == 0 && o.is.model == &o.model &&
	       o.model.n_groups == 3 && o.model.group[2]->n_heads == 7,
	   "a copy");
	ok(o.model.group[0]->flags == (SC_LAYER_QK_NORM | SC_LAYER_OTHER),
	   "a gate is other work");
	ok(o.model.group[1]->flags == 0, "linear attention is refused anyway");
	ok(o.model.group[2]->flags == SC_LAYER_SPARSE, "an indexer");
	ok(layers[0].flags & SC_LAYER_OUTPUT_GATE, "the original is as it was");
	older_setup_free(&o);
	layers[0].flags |= SC_LAYER_QK_NORM_ALL_HEADS;
	ok(older_setup_needed(&setup, 2) && !older_setup_needed(&setup, 3) &&
	       older_setup_make(&o, &setup, 2, &p) == 0 &&
	       o.model.group[0]->flags ==
		   (SC_LAYER_QK_NORM | SC_LAYER_OUTPUT_GATE) &&
	       o.model.group[2]->flags == layers[2].flags,
	   "ABI 1.2 knows gates and indexers, and no norm over all heads");
	older_setup_free(&o);
	layers[0].flags = layers[1].flags = layers[2].flags = SC_LAYER_OTHER;
	ok(!older_setup_needed(&setup, 0), "a model of before needs none");
	return done();
}
