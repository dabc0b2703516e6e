/* What every row of the table must say, and that every key has one.  t/2906
 * looks whether every field of an engine has one. */
#include "engine/keys/rows.h"
#include "engine/equal_schedules.h"
#include "engine/engine.h"
#include "engine_of.h"
#include "tap.h"

/* ---- rows ---- */

static int n_wrong;
static void wrong(const struct engine_row *r, const char *what)
{
	printf("# %s: %s\n", r->knob.name, what);
	n_wrong++;
}
/* Reports what is wrong of any row. */
#define each_row(check, ...)                                                   \
	do {                                                                   \
		n_wrong = 0;                                                   \
		for (uint32_t i = 0; i < engine_n_keys; i++)                   \
			check(engine_row(i));                                  \
		ok(n_wrong == 0, __VA_ARGS__);                                 \
	} while (0)

static void is_said(const struct engine_row *r)
{
	const char *help = r->knob.help;
	size_t n = help ? strlen(help) : 0;
	if (n < 10 || help[n - 1] != '.')
		wrong(r, "its help is no sentence");
	if (!r->knob.def || !r->knob.unit)
		wrong(r, "no default, or no unit");
	if (r->knob.type == SC_KNOB_CHOICE && !r->knob.choices)
		wrong(r, "a choice without words");
	if ((r->knob.type == SC_KNOB_INT || r->knob.type == SC_KNOB_DOUBLE) &&
	    !(r->knob.min < r->knob.max))
		wrong(r, "no range");
}

static void is_obeyed(const struct engine_row *r)
{
	if (!(r->obeyed_by & ENGINE_ANY) || r->obeyed_by & ~ENGINE_ANY)
		wrong(r, "it does not say which presets read it");
	int needs_preset =
	    r->obeyed_by & ENGINE_VLLM && !(r->obeyed_by & ENGINE_PLAIN);
	if (needs_preset != (r->without != NULL))
		wrong(r, "WITHOUT() is for keys that need one of vLLM's "
			 "presets, and for them only");
}

static int type_fits(const struct engine_row *r)
{
	uint32_t type = r->knob.type;
	switch (r->into) {
	case INTO_NOTHING:
	case INTO_MADE:
		return 1;
	case INTO_UINT32:
	case INTO_UINT64:
		return type == SC_KNOB_INT || type == SC_KNOB_BOOL ||
		       type == SC_KNOB_CHOICE;
	case INTO_NS:
		return type == SC_KNOB_DOUBLE && !strcmp(r->knob.unit, "us");
	case INTO_DOUBLE:
		return type == SC_KNOB_DOUBLE;
	case INTO_TEXT:
		return type == SC_KNOB_TEXT;
	}
	return 0;
}

static void is_placed(const struct engine_row *r)
{
	const struct engine_row *other =
	    r->alias ? engine_row_at(r->alias_of) : NULL;
	if (!type_fits(r))
		wrong(r, "its value does not fit into its field");
	if (r->into == INTO_UINT32 && r->knob.max > UINT32_MAX)
		wrong(r, "its range does not fit into its field");
	if (r->alias && (!other || other->knob.type != r->knob.type ||
			 other->obeyed_by & r->obeyed_by))
		wrong(r, "it is no other name of a key that others read");
	if (engine_row_effect(r) == EFFECT_UNSAID)
		wrong(r, "it does not say what another value changes");
}

/* As the preset's own words, beside a value that is not the default. */
static void is_neutral(const struct engine_row *r)
{
	char text[200];
	if (!r->neutral)
		return;
	snprintf(text, sizeof text, "[engine]\n%s = %s\n", r->knob.name,
		 r->neutral);
	if (keys_of(text) < 0 || strcmp(r->neutral, r->knob.def) != 0)
		wrong(r, "its neutral value is not what engines do that do not "
			 "read it");
}

static void is_alone(const struct engine_row *r)
{
	if (engine_row_named(r->knob.name) != r ||
	    engine_row_at(r->knob.offset) != r)
		wrong(r, "two rows");
}

static void rows(void)
{
	each_row(is_said, "each row has a help, a default, a unit, a range");
	each_row(is_obeyed, "each says which presets read it");
	each_row(is_placed, "each says what becomes of its value");
	each_row(is_neutral, "a neutral value may be given to any engine");
	each_row(is_alone, "no key has two rows");
	ok(keys_of("") == 0, "defaults are values: %s", problem.text);
	ok(!engine_row_named("no_such_key") && !engine_row_at(1),
	   "there are no others");
}

/* ---- all of the keys ---- */

/* How often each byte is spoken for. */
static unsigned char times[sizeof(struct engine_keys)];
static void add_table(const sc_knob *const *key, uint32_t n, size_t at)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < 8; k++)
			times[at + key[i]->offset + k]++;
}

static void keys_have_rows(void)
{
	uint32_t bad = 0;
	add_table(engine_key, engine_n_keys, 0);
	add_table(router_key, router_n_keys,
		  offsetof(struct engine_keys, router));
	add_table(autoscaler_key, autoscaler_n_keys,
		  offsetof(struct engine_keys, autoscaler));
	add_table(failures_key, failures_n_keys,
		  offsetof(struct engine_keys, failures));
	for (uint32_t i = 0; i < sizeof times; i++)
		if (times[i] != 1 && bad++ == 0)
			printf("# byte %u of struct engine_keys: %d rows\n", i,
			       times[i]);
	ok(bad == 0, "each field of the keys has a row");
}

/* No field is copied from two keys, or copied and made. */
static void fields_are_filled_once(void)
{
	static unsigned char filled[sizeof(struct engine)];
	uint32_t bad = 0;
	for (uint32_t i = 0; i < engine_n_keys; i++) {
		const struct engine_row *r = engine_row(i);
		for (uint32_t k = 0; r->into > INTO_MADE && k < r->field_bytes;
		     k++)
			bad += filled[r->field + k]++;
	}
	for (uint32_t i = 0; i < engine_n_parts; i++)
		for (uint32_t k = 0; k < engine_part[i].field_bytes; k++)
			bad += filled[engine_part[i].field + k]++;
	ok(bad == 0, "no field of an engine is filled twice");
}

int main(void)
{
	rows();
	keys_have_rows();
	fields_are_filled_once();
	ini_free(&ini);
	return done();
}
