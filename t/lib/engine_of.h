/* engine_of.h -- the keys of [engine] in a text, and the engine that comes of
 * them: Llama-3.1-8B in bf16 on an H100, unless the test says otherwise. */
#ifndef T_ENGINE_OF_H
#define T_ENGINE_OF_H
#include <stdlib.h>
#include <string.h>
#include "engine/keys/defaults.h"
#include "engine/keys/fill.h"
#include "engine/resolve.h"
#include "keys/keys.h"

static struct ini ini;
static struct engine_keys keys;
static struct problem problem;

/* 0, or -1 and `problem`; from.ini is that of the text. */
__attribute__((unused)) static int keys_from(const char *text,
					     struct engine_source from)
{
	ini_free(&ini);
	from.ini = &ini;
	problem = (struct problem){0};
	return ini_read(&ini, text, strlen(text), &problem) < 0 ||
		       engine_keys_fill(&keys, &from, &problem) < 0
		   ? -1
		   : 0;
}
__attribute__((unused)) static int keys_of(const char *text)
{
	return keys_from(text, (struct engine_source){0});
}

/* Under a preset, and with what it says of a GPU. */
__attribute__((unused)) static int completed_of(const char *text,
						const struct engine_usage *u)
{
	const struct engine_source from = {.ini = &ini};
	return keys_of(text) < 0 ||
		       engine_keys_complete(&keys, &from, u, &problem) < 0
		   ? -1
		   : 0;
}

#define ENGINE_FACTS(tp_, ...)                                                 \
	{                                                                      \
		.model_max_len = 131072,                                       \
		.parallel = {.tp = tp_, .pp = 1, .ep = 1, .dp = 1},            \
		.share = {__VA_ARGS__}, .model_sampling = SC_SAMPLING_TOP_P,   \
		.usable_bytes = 84.9e9, .link_bytes_per_s = 450e9, .seed = 7   \
	}
/* On one GPU, and shared out to two. */
__attribute__((unused)) static const struct engine_facts h100 =
    ENGINE_FACTS(1, {2 * 8030261248., 131072});
__attribute__((unused)) static const struct engine_facts two =
    ENGINE_FACTS(2, {8030261248., 65536});

static struct engine e;
__attribute__((unused)) static int engine_of(const char *text,
					     const struct engine_facts *facts)
{
	static const struct engine_source from = {.ini = &ini};
	struct engine_facts with_place = *facts;
	struct slo_keys slo;
	with_place.from = &from;
	if (keys_of(text) < 0 || knobs_fill(&slo, slo_key, slo_n_keys, NULL,
					    &ini, "slo", "", &problem) < 0)
		return -1;
	return engine_resolve(&e, &keys, &slo, &with_place, &problem);
}

/* Refused with a message that has the text in it? */
__attribute__((unused)) static int is_refused(const char *text, const char *why)
{
	int rc = engine_of(text, &h100);
	return rc && problem.code == EXIT_USAGE && strstr(problem.text, why);
}
#define refused(ini_, why_) ok(is_refused(ini_, why_), "%s", problem.text)
#endif
