/* config_of.h -- a configuration from the text of an INI, for tests of what
 * runs arms.  The test calls scratch_open() first; plugins come from
 * STEPCOST_PLUGIN_PATH. */
#ifndef T_CONFIG_OF_H
#define T_CONFIG_OF_H
#include "arm/configuration.h"
#include "scratch.h"

static struct problem why;

/* A small model, one GPU. */
#define CONFIG_SETUP                                                           \
	"[model]\nnum_hidden_layers=2\nhidden_size=512\n"                      \
	"num_attention_heads=8\nnum_key_value_heads=2\n"                       \
	"intermediate_size=1024\nvocab_size=1000\n"                            \
	"[hardware]\npeak_tflops=100\nmemory_bandwidth_tbs=2\n"                \
	"memory_gib=16\nusd_per_hour=2\n"
/* One request after another, each of 10 tokens in and 5 out. */
#define CONFIG_ONE_BY_ONE                                                      \
	"[workload]\nnum_requests=8\nconcurrency=1\n"                          \
	"input_tokens=constant:10\noutput_tokens=constant:5\n"
/* An arm with steps of `us` microseconds, whatever they compute. */
#define CONFIG_ARM(name, us)                                                   \
	"[cost_model:" name "]\nplugin=const_step\nbase_us=" us                \
	"\nper_token_us=0\n"
/* An arm that fails at its first step, because no step takes 0 us. */
#define CONFIG_BAD_ARM(name) CONFIG_ARM(name, "0")

/* 0, or -1 and `why`.  config_free() in either case. */
static int config_of(struct config *c, const char *ini)
{
	*c = (struct config){0};
	why = (struct problem){0};
	return config_load(c, scratch_file("config.ini", ini), NULL, 0, NULL,
			   &why);
}

/* One that must load. */
__attribute__((unused)) static void config_good(struct config *c,
						const char *ini)
{
	if (config_of(c, ini) < 0)
		bail_out(why.text);
}
#endif
