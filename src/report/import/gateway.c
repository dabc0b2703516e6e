/* gateway.c -- Reads the plugins and profiles of an EndpointPickerConfig. */
#include "report/import/gateway.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "engine/choices.h"

struct gateway {
	struct ini *c;
	struct names *other;
	const json_t *plugins;
	const char *path;
	struct problem *p;
};

static int tell(struct gateway *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static int tell(struct gateway *g, const char *fmt, ...)
{
	char what[600];
	va_list args;
	va_start(args, fmt);
	vsnprintf(what, sizeof what, fmt, args);
	va_end(args);
	return names_add_new(g->other, what) < 0 ? problem_no_memory(g->p) : 0;
}

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s ? s : "";
}

int gateway_is(const json_t *document)
{
	return !strcmp(text(document, "kind"), "EndpointPickerConfig");
}

static int is_word(const char *const *words, const char *s)
{
	for (; *words; words++)
		if (!strcmp(*words, s))
			return 1;
	return 0;
}

/* The plugin of a name: its `name`, else its `type`. */
static const json_t *plugin_of(const struct gateway *g, const char *name)
{
	for (size_t i = 0; i < json_array_size(g->plugins); i++) {
		const json_t *plugin = json_array_get(g->plugins, i);
		const char *own = text(plugin, "name");
		if (!strcmp(*own ? own : text(plugin, "type"), name))
			return plugin;
	}
	return NULL;
}

/* ---- parameters of a plugin ---- */

static int put_parameter(struct gateway *g, const char *section,
			 const char *type, const char *name, const json_t *v)
{
	static const char *const of[][2] = {
	    {"maxPrefixBlocksToMatch", "max_prefix_blocks_to_match"},
	    {"lruCapacityPerServer", "lru_capacity_per_server"},
	    {"blockSizeTokens", "block_size_tokens"},
	    {"blockSize", "block_size_tokens"}};
	char *value = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
	int rc = 0, known = 0;
	if (!value)
		return problem_no_memory(g->p);
	for (size_t i = 0; i < sizeof of / sizeof *of && !known; i++) {
		known = !strcmp(name, of[i][0]) && json_is_integer(v) &&
			strstr(type, "prefix-cache-scorer") != NULL;
		if (known)
			rc =
			    ini_put(g->c, section, of[i][1], value, name, g->p);
	}
	if (!known)
		rc = tell(g, "%s: %s = %s", type, name, value);
	free(value);
	return rc;
}

static int put_parameters(struct gateway *g, const char *section,
			  const json_t *plugin)
{
	const char *type = text(plugin, "type"), *name;
	json_t *v;
	json_object_foreach(json_object_get(plugin, "parameters"), name, v)
	{
		const json_t *size = json_object_get(v, "blockSize");
		int is_size = !strcmp(name, "tokenProcessorConfig") && size;
		if (put_parameter(g, section, type,
				  is_size ? "blockSize" : name,
				  is_size ? size : v) < 0)
			return -1;
	}
	return 0;
}

/* ---- profiles ---- */

static int add_scorer(const struct gateway *g, char *scorers, size_t size,
		      const char *type, const json_t *reference)
{
	char weight[NUMBER_SIZE];
	const json_t *w = json_object_get(reference, "weight");
	size_t n = strlen(scorers);
	number_format(weight, w ? json_number_value(w) : 1);
	return snprintf(scorers + n, size - n, "%s%s:%s", n ? "," : "", type,
			weight) < (int)(size - n)
		   ? 0
		   : problem_set(g->p, EXIT_INPUT,
				 "%s: a profile has more scorers than %zu "
				 "characters hold",
				 g->path, size);
}

static int take_profile(struct gateway *g, const json_t *profile)
{
	char scorers[600] = "", section[40] = "router";
	const char *name = text(profile, "name");
	const json_t *list = json_object_get(profile, "plugins");
	int rc = 0;
	if (!strcmp(name, "prefill") || !strcmp(name, "decode"))
		snprintf(section, sizeof section, "router:%s", name);
	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
		const json_t *reference = json_array_get(list, i);
		const char *ref = text(reference, "pluginRef");
		const json_t *plugin = plugin_of(g, ref);
		const char *type = plugin ? text(plugin, "type") : ref;
		if (is_word(scorer_words, type))
			rc = add_scorer(g, scorers, sizeof scorers, type,
					reference);
		else if (is_word(picker_words, type))
			rc = ini_put(g->c, section, "picker", type, ref, g->p);
		else
			rc = tell(g, "profile %s: %s", name, ref);
		if (rc == 0 && plugin)
			rc = put_parameters(g, section, plugin);
	}
	if (rc < 0)
		return -1;
	/* Without a score any replica is as good. */
	return *scorers ? ini_put(g->c, section, "scorers", scorers, name, g->p)
			: ini_put(g->c, section, "picker", "random-picker",
				  "no scorer", g->p);
}

/* Plugins that no profile names: handlers, sources of data, admission. */
static int is_used(const json_t *profiles, const char *name)
{
	for (size_t i = 0; i < json_array_size(profiles); i++) {
		const json_t *list =
		    json_object_get(json_array_get(profiles, i), "plugins");
		for (size_t k = 0; k < json_array_size(list); k++)
			if (!strcmp(text(json_array_get(list, k), "pluginRef"),
				    name))
				return 1;
	}
	return 0;
}

static int list_unused(struct gateway *g, const json_t *profiles)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < json_array_size(g->plugins); i++) {
		const json_t *plugin = json_array_get(g->plugins, i);
		const char *own = text(plugin, "name");
		const char *type = text(plugin, "type");
		if (!is_used(profiles, *own ? own : type))
			rc = tell(g, "plugin %s", type);
	}
	return rc;
}

int gateway_take(struct ini *c, struct names *other, const json_t *document,
		 const char *path, struct problem *p)
{
	static const char *const known[] = {"apiVersion", "kind", "plugins",
					    "schedulingProfiles", NULL};
	struct gateway g = {c, other, json_object_get(document, "plugins"),
			    path, p};
	const json_t *profiles =
	    json_object_get(document, "schedulingProfiles");
	const char *key;
	json_t *v;
	if (!json_array_size(g.plugins))
		return problem_set(p, EXIT_INPUT,
				   "%s: an EndpointPickerConfig needs plugins",
				   path);
	int rc = ini_put(c, "engine", "routing", "endpoint_picker",
			 "EndpointPickerConfig", p);
	for (size_t i = 0; rc == 0 && i < json_array_size(profiles); i++)
		rc = take_profile(&g, json_array_get(profiles, i));
	if (rc == 0)
		rc = list_unused(&g, profiles);
	json_object_foreach((json_t *)document, key,
			    v) if (rc == 0 && !is_word(known, key)) rc =
	    tell(&g, "%s", key);
	return rc;
}
