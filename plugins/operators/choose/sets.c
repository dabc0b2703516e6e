/* sets.c -- Finds the engine, the version and the GPU of each set among the
 * tables. */
#include "choose/sets.h"
#include <stdlib.h>
#include <strings.h>
#include "stepcost/fail.h"
#include "stepcost/log.h"
#include "stepcost/kernel/version.h"
#include "choose/rates.h"
#include "inst.h"

/* ---- engines and versions ---- */

int version_from(const double version[SC_VERSION_NUMBERS],
		 const double first[2])
{
	return version[0] > first[0] ||
	       (version[0] == first[0] && version[1] >= first[1]);
}

static int newer(const double a[SC_VERSION_NUMBERS],
		 const double b[SC_VERSION_NUMBERS])
{
	for (int i = 0; i < SC_VERSION_NUMBERS; i++)
		if (a[i] != b[i])
			return a[i] > b[i];
	return 0;
}

/* "GPU.ENGINE-VERSION", or what its MANIFEST calls the software.  0: a set
 * that does not say is taken for the simulated engine's. */
static uint32_t engine_of_set(const struct inst *s, const sc_table *t)
{
	const char *dot = strchr(t->set, '.');
	const char *software = sc_note(t, "software");
	uint32_t engine =
	    policy_engine_named(s->policy, dot ? dot + 1 : t->set);
	if (!engine)
		engine = policy_engine_named(s->policy, software);
	return engine || !software ? engine : ENGINE_OTHER;
}

/* ---- the sets ---- */

static struct set *find_set(struct inst *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_sets; i++)
		if (!strcmp(s->set[i].name, name))
			return &s->set[i];
	return NULL;
}

static void add_set(struct inst *s, const sc_table *t)
{
	const char *dot = strchr(t->set, '.');
	struct set *is = &s->set[s->n_sets++];
	*is = (struct set){.name = t->set,
			   .any = t,
			   .engine = engine_of_set(s, t),
			   .rates = sc_rates_of_notes(t)};
	sc_version_of(dot ? dot + 1 : NULL, is->version);
	is->own = !sc_note(t, "stands_in_for") &&
		  rates_equal(&s->number, &is->rates, &s->rates);
	if (!is->own)
		is->distance =
		    s->number.other_gpu +
		    rates_distance(&s->number, &is->rates, &s->rates);
}

/* Nearer GPU, then newer version. */
static int before(const void *left, const void *right)
{
	const struct set *a = left, *b = right;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return newer(b->version, a->version) - newer(a->version, b->version);
}

/* Returns the first engine of the policy if it has a set; else that of the
 * nearest set. */
static uint32_t engine_with_set(const struct inst *s)
{
	const uint32_t first = 1;
	uint32_t nearest = 0;
	for (uint32_t i = 0; i < s->n_sets; i++) {
		uint32_t engine = s->set[i].engine;
		if (engine == first)
			return first;
		if (!nearest && engine != ENGINE_OTHER)
			nearest = engine;
	}
	return nearest ? nearest : first;
}

/* Returns the engine of the knob, else that of [engine], else one that has
 * tables. */
static uint32_t simulated_engine(const struct inst *s)
{
	const sc_engine *e = s->setup->engine;
	uint32_t engine = (uint32_t)s->k.engine;
	if (engine == ENGINE_AUTO && SC_HAS(e, engine))
		engine = policy_engine_coded(s->policy, e->engine);
	if (engine == ENGINE_AUTO && SC_HAS(e, preset))
		engine = policy_engine_named(s->policy, e->preset);
	return engine ? engine : engine_with_set(s);
}

static int has_gemms(const struct inst *s, const struct set *is)
{
	for (uint32_t i = 0; i < s->setup->n_tables; i++)
		if (!strcmp(s->setup->table[i]->set, is->name) &&
		    !strcmp(s->setup->table[i]->op, "gemm"))
			return 1;
	return 0;
}

void sets_say_version(const struct inst *s)
{
	uint32_t i = 0;
	while (i < s->n_sets &&
	       !(s->set[i].engine == s->engine && has_gemms(s, &s->set[i])))
		i++;
	double n = i < s->n_sets
		       ? sc_versions_between(s->version, s->set[i].version)
		       : 0;
	if (n > 0)
		sc_log(
		    s->setup, SC_LOG_INFO,
		    "operators: the kernels are of %s, %g version%s from "
		    "the engine's: one version moves attention by 4 to 24 %% "
		    "and experts by 3 to 23 %%",
		    s->set[i].name, n, n > 1 ? "s" : "");
}

int32_t sets_read(struct inst *s, sc_error *err)
{
	const sc_engine *e = s->setup->engine;
	for (uint32_t i = 0; i < s->setup->n_tables; i++) {
		const sc_table *t = s->setup->table[i];
		if (find_set(s, t->set))
			continue;
		if (s->n_sets == MAX_SETS)
			return sc_fail(err, SC_EUNSUP,
				       "more than %d sets of tables", MAX_SETS);
		add_set(s, t);
	}
	qsort(s->set, s->n_sets, sizeof *s->set, before);
	if (s->n_sets && s->set[0].own && !(s->rates.link > 0))
		s->rates.link = s->set[0].rates.link;
	s->engine = simulated_engine(s);
	int says = SC_HAS(e, preset) &&
		   policy_engine_named(s->policy, e->preset) == s->engine;
	sc_version_of(says ? e->preset : NULL, s->version);
	for (uint32_t i = 0; i < s->n_sets; i++)
		if (!s->set[i].engine)
			s->set[i].engine = s->engine;
	return SC_OK;
}
