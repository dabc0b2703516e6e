/* The policy of smooth_roofline: each row says its source, a GPU family is one
 * row from which its knobs and preset follow, and the code reads each number.
 */
#include "inst.h"
#include "tap.h"
#include "bare.h"
#include "policy_rows.h"

static const sc_plugin *p;

/* ---- sources ---- */

static void sources(void)
{
#define FAMILY_SOURCE(family, suffix, gpus, ew, ekv, edt, ec, ep, arw, arb,    \
		      emc, source)                                             \
	policy_source(source, "family " gpus);
#define FP8_SOURCE(family, suffix, gpus, ec, emc, source)                      \
	policy_source(source, "FP8 of family " gpus);
#define GPU_SOURCE(constant, word, prefix, family, peak, bandwidth, link,      \
		   links, source)                                              \
	policy_source(source, "GPU " word);
#define SERVED_SOURCE(experts, topk, shared, source)                           \
	policy_source(source, "served in FP8");
#define NUMBER_SOURCE(name, value, source) policy_source(source, "a number");
	FAMILIES(FAMILY_SOURCE)
	FP8_FAMILIES(FP8_SOURCE)
	GPUS(GPU_SOURCE)
	SERVED_IN_FP8(SERVED_SOURCE)
	NUMBERS(NUMBER_SOURCE)
	policy_false_names();
}

/* ---- readers ---- */

static void all_numbers_are_read(void)
{
	static const char *const name[] = {
#define NUMBER_NAME(name, value, source) #name,
	    NUMBERS(NUMBER_NAME)};
	static const char *const in[] = {"*.c", NULL};
	struct policy_texts t = policy_texts("smooth_roofline", in);
	ok(t.n >= 4, "the files of the plugin");
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		ok(policy_is_read(&t, "number.", name[i]), "%s is read",
		   name[i]);
	ok(!policy_is_read(&t, "number.", "planted") &&
	       !policy_is_read(&t, "number.", "same"),
	   "a number that nothing reads is found");
	policy_texts_free(&t);
}

/* ---- knobs and presets ---- */

/* The knob of a coefficient has the value of the row, and its place in it. */
static void has_knob(const char *coefficient, const char *suffix,
		     const char *value, size_t place)
{
	char name[32];
	const sc_knob *found = NULL;
	snprintf(name, sizeof name, "%s%s", coefficient, suffix);
	for (uint32_t i = 0; i < p->n_knobs; i++)
		if (!strcmp(p->knob[i]->name, name))
			found = p->knob[i];
	ok(found && !strcmp(found->def, value) && found->offset == place,
	   "%s is a knob, %s", name, value);
}

#define HAS(family, suffix, field, value)                                      \
	has_knob(#field, #suffix, value,                                       \
		 offsetof(struct knobs, of[family].field));
#define FAMILY_KNOBS(f, suffix, gpus, ew_, ekv_, edt_, ec_, ep_, arw_, arb_,   \
		     emc_, source)                                             \
	HAS(f, suffix, ew, ew_)                                                \
	HAS(f, suffix, ekv, ekv_)                                              \
	HAS(f, suffix, edt_us, edt_)                                           \
	HAS(f, suffix, ec, ec_)                                                \
	HAS(f, suffix, ep, ep_)                                                \
	HAS(f, suffix, arw, arw_)                                              \
	HAS(f, suffix, arb, arb_)                                              \
	HAS(f, suffix, emc, emc_)
#define FP8_KNOBS(f, suffix, gpus, ec_, emc_, source)                          \
	HAS(f, suffix, ec_fp8, ec_)                                            \
	HAS(f, suffix, emc_fp8, emc_)
static void knobs(void)
{
	FAMILIES(FAMILY_KNOBS)
	FP8_FAMILIES(FP8_KNOBS)
}

static void has_preset(const char *word)
{
	const sc_preset *found = NULL;
	for (uint32_t i = 0; i < p->n_presets; i++)
		if (!strcmp(p->preset[i]->name, word))
			found = p->preset[i];
	ok(found && !strcmp(found->values[0], "family") &&
	       !strcmp(found->values[1], word) && !found->values[2],
	   "%s is a preset", word);
}

#define GPU_PRESET(constant, word, ...) has_preset(word);
static void presets(void)
{
	GPUS(GPU_PRESET)
}

int main(void)
{
	p = bare_load("smooth_roofline");
	sources();
	all_numbers_are_read();
	knobs();
	presets();
	return done();
}
