/* host.c -- The time that host code adds to a step.  It depends on how the
 * engine schedules, so on the engine and its version. */
#include "step/host.h"
#include "inst.h"

static int64_t host_of_engine(const struct inst *s)
{
	const struct engine_row *e = policy_engine(s->policy, s->engine);
	int known = s->version[0] >= 0;
	return known && !version_from(s->version, e->host_from) ? e->host_before
								: e->host;
}

/* Returns the engine that the configuration names, even if the tables were
 * measured with another. */
static uint32_t engine_named(const struct inst *s)
{
	return s->k.engine != ENGINE_AUTO
		   ? (uint32_t)s->k.engine
		   : policy_engine_coded(s->policy, s->setup->engine->engine);
}

void host_read(struct inst *s)
{
	int64_t host = s->k.host;
	if (host == HOST_AUTO)
		host = host_of_engine(s);
	const struct host_row *row = &s->policy->host[host - 1];
	s->host_is_hidden = row->is_hidden;
	s->host_step_us = s->k.step_us < 0 ? row->step_us : s->k.step_us;
	s->host_layer_us =
	    s->k.layer_us < 0
		? policy_layer_us(s->policy, s->setup->hardware->name)
		: s->k.layer_us;
	s->eager_layer_us =
	    s->k.eager_layer_us < 0
		? policy_eager_layer_us(s->policy, engine_named(s),
					s->setup->model)
		: s->k.eager_layer_us;
	s->host_seq_us = s->k.seq_us < 0 ? row->seq_us : s->k.seq_us;
}
