/* cost/older_setup.h -- the setup as a plugin of an older ABI knows it.
 *
 * A flag that a later minor version added takes work out of SC_LAYER_OTHER and
 * describes it.  A plugin that does not know the flag would take such a layer
 * for a plain one and misprice it.  Therefore it sees SC_LAYER_OTHER, as
 * before. */
#pragma once
#include "base/problem.h"
#include "stepcost/plugin.h"

/* A copy of a setup, with a model of its own; the rest is the original's. */
struct older_setup {
	sc_setup is;
	sc_model model;
	sc_layers *layers; /* [model.n_groups] */
	const sc_layers **group;
};

/* Returns 1 if a plugin of that minor version would misread the model. */
int older_setup_needed(const sc_setup *setup, uint32_t abi_minor);
/* Makes the copy; *setup must outlive it.  The caller calls older_setup_free()
 * in either case.  Returns 0, or -1 if memory is out. */
int older_setup_make(struct older_setup *o, const sc_setup *setup,
		     uint32_t abi_minor, struct problem *p);
void older_setup_free(struct older_setup *o);
