/* Profiles of a gateway become keys of the router. */
#include "report/import/gateway.h"
#include <string.h>
#include "tap.h"

static struct ini c;
static struct names other;
static struct problem p;

static int take(const char *text)
{
	char copy[2000];
	snprintf(copy, sizeof copy, "%s", text);
	for (char *s = copy; *s; s++)
		*s = *s == '\'' ? '"' : *s;
	json_t *v = json_loads(copy, 0, NULL);
	ini_free(&c);
	names_free(&other);
	c = (struct ini){.path = NULL};
	int rc = v && gateway_is(v) ? gateway_take(&c, &other, v, "f", &p) : -2;
	json_decref(v);
	return rc;
}

#define HEAD "{'kind': 'EndpointPickerConfig', 'plugins': ["
/* A profile has room for some of them. */
static void many_scorers(void)
{
	char text[2000] = HEAD "{'type': 'queue-scorer'}], 'schedulingProfiles'"
			       ": [{'name': 'd', 'plugins': [";
	for (int i = 0; i < 41; i++)
		strcat(text, "{'pluginRef': 'queue-scorer'},");
	strcpy(text + strlen(text) - 1, "]}]}");
	p = (struct problem){0};
	ok(take(text) == -1 && p.code == EXIT_INPUT &&
	       strstr(p.text, "f: a profile has more scorers than 600"),
	   "%s", p.text);
}

int main(void)
{
	ok(take(HEAD "{'type': 'queue-scorer'}, {'name': 'p', 'type':"
		     "'prefix-cache-scorer', 'parameters':"
		     "{'lruCapacityPerServer': 7, 'hashBlockSize': 5}},"
		     "{'type': 'handler'}],"
		     "'schedulingProfiles': [{'name': 'prefill', 'plugins':"
		     "[{'pluginRef': 'queue-scorer', 'weight': 0.5},"
		     "{'pluginRef': 'p'}, {'pluginRef': 'absent'}]}],"
		     "'saturationDetector': {}}") == 0,
	   "a gateway: %s", p.text);
	is(ini_get(&c, "engine", "routing"), "endpoint_picker", "routing");
	is(ini_get(&c, "router:prefill", "scorers"),
	   "queue-scorer:0.5,prefix-cache-scorer:1", "scorers");
	is(ini_get(&c, "router:prefill", "lru_capacity_per_server"), "7",
	   "a parameter");
	ok(names_have(&other, "prefix-cache-scorer: hashBlockSize = 5") &&
	       names_have(&other, "profile prefill: absent") &&
	       names_have(&other, "plugin handler") &&
	       names_have(&other, "saturationDetector"),
	   "the others are listed");
	ok(take(HEAD "{'type': 'random-picker'}], 'schedulingProfiles':"
		     "[{'name': 'd', 'plugins': [{'pluginRef':"
		     "'random-picker'}]}]}") == 0,
	   "no scorer");
	is(ini_get(&c, "router", "picker"), "random-picker",
	   "then any replica is as good");
	ok(take(HEAD "{'type': 'precise-prefix-cache-scorer', 'parameters':"
		     "{'tokenProcessorConfig': {'blockSize': 64, 'x': 1}}},"
		     "{'type': 'queue-scorer', 'parameters': {"
		     "'tokenProcessorConfig': 3, 'blockSize': 5}}],"
		     "'schedulingProfiles': [{'name': 'decode', 'plugins':"
		     "[{'pluginRef': 'precise-prefix-cache-scorer'},"
		     "{'pluginRef': 'queue-scorer'}]}]}") == 0,
	   "a size within: %s", p.text);
	is(ini_get(&c, "router:decode", "block_size_tokens"), "64",
	   "is that of blocks");
	ok(names_have(&other, "queue-scorer: tokenProcessorConfig = 3") &&
	       names_have(&other, "queue-scorer: blockSize = 5"),
	   "of another plugin it is listed");
	ok(take(HEAD "]}") == -1 && strstr(p.text, "needs plugins"), "%s",
	   p.text);
	ok(take("{'kind': 'Pod'}") == -2, "another kind");
	many_scorers();
	ini_free(&c);
	names_free(&other);
	return done();
}
