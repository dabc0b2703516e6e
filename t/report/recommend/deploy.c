/* Manifests and values, read back by a parser of YAML: every byte of a word of
 * a command arrives. */
#include "report/recommend/deploy.h"
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "rendered.h"
#include "validate/result/yaml.h"

static struct problem why;
static json_t *document[9];
static size_t n_documents;

static int keep(void *user, json_t *d, uint64_t line)
{
	(void)user, (void)line;
	if (n_documents == sizeof document / sizeof *document)
		return -1;
	document[n_documents++] = json_incref(d);
	return 0;
}

/* Reads the rendered text. */
static int parses(void)
{
	rendered_end();
	while (n_documents)
		json_decref(document[--n_documents]);
	return yaml_read(rendered_text, rendered_size, "d.yaml", keep, NULL,
			 &why) == 0;
}

/* The value at a path of a document: "spec.containers.0.args.2". */
static const json_t *at(size_t i, const char *path)
{
	const json_t *v = i < n_documents ? document[i] : NULL;
	char all[300];
	snprintf(all, sizeof all, "%s", path);
	for (char *s = strtok(all, "/"); s; s = strtok(NULL, "/"))
		v = json_is_array(v) ? json_array_get(v, (size_t)atoi(s))
				     : json_object_get(v, s);
	return v;
}

static const char *text(size_t i, const char *path)
{
	const char *s = json_string_value(at(i, path));
	return s ? s : "(none)";
}

#define CONTAINER "spec/template/spec/containers/0/"

static struct launch_argument argument[2] = {{(char *)"--flag", NULL},
					     {(char *)"--on", NULL}};
static struct launch_command server[2] = {{.engine = "vllm",
					   .role = "serve",
					   .command = (char *)"vllm serve",
					   .version = (char *)"1",
					   .image = (char *)"a/b:c",
					   .llm_d_image = (char *)"d/e:f",
					   .model = (char *)"org/model",
					   .argument = argument,
					   .n = 2,
					   .replicas = 3,
					   .gpus = 2}};
static const struct deployment one = {server, 1, "Arm_X", "h100-sxm"};

/* As a parser reads the value: "$(" is "$$(", and each byte that is not of
 * UTF-8 is U+FFFD. */
static void expect(char *to, const char *s, size_t n)
{
	while (n) {
		size_t k = utf8_length(s, n);
		if (n > 1 && s[0] == '$' && s[1] == '(')
			*to++ = '$';
		memcpy(to, k ? s : "\xef\xbf\xbd", k ? k : 3);
		to += k ? k : 3;
		s += k ? k : 1;
		n -= k ? k : 1;
	}
	*to = '\0';
}

/* Returns 1 if a word arrives in the manifest and in the values. */
static int arrives(const char *s, size_t n)
{
	char want[400], value[100];
	memcpy(value, s, n);
	value[n] = '\0';
	argument[0].value = value;
	expect(want, s, n);
	deploy_kubernetes(&one, rendered_begin());
	int same = parses() && !strcmp(text(0, CONTAINER "args/1"), want) &&
		   !strcmp(text(0, CONTAINER "args/2"), "--on");
	deploy_values(&one, rendered_begin());
	return same && parses() &&
	       !strcmp(text(0, "decode/containers/0/args/1"), want);
}

static void bytes(void)
{
	unsigned seed = 7, bad = 0;
	char s[40];
	for (int a = 1; a < 256; a++) {
		const char three[] = {'x', (char)a, 'y'};
		bad += !arrives(three, 3) || !arrives(three + 1, 1);
	}
	ok(!bad, "each byte, alone and between others");
	for (int i = 0; i < 2000; i++) {
		size_t n = 1 + (seed = seed * 1103515245 + 12345) / 65536 % 30;
		for (size_t k = 0; k < n; k++) {
			seed = seed * 1103515245 + 12345;
			unsigned v = seed / 65536 % 300;
			s[k] = v > 255 ? "$(:#'"[v % 5] : v ? (char)v : '\1';
		}
		bad += !arrives(s, n);
	}
	ok(!bad, "2,000 random words");
	argument[0].value = NULL;
}

static void kubernetes(void)
{
	deploy_kubernetes(&one, rendered_begin());
	ok(parses() && n_documents == 2, "a Deployment and a Service");
	is(text(0, "kind"), "Deployment", "its kind");
	is(text(0, "metadata/name"), "sc-arm-x", "a name that is allowed");
	is(text(1, "spec/selector/app"), text(0, "metadata/name"),
	   "the Service finds it");
	ok(json_integer_value(at(0, "spec/replicas")) == 3, "its replicas");
	ok(json_integer_value(
	       at(0, CONTAINER "resources/limits/nvidia.com~gpu")) == 0 &&
	       strstr(rendered_text, "nvidia.com/gpu: 2"),
	   "its GPUs");
	is(text(0, CONTAINER "startupProbe/httpGet/path"), "/health",
	   "a probe of its start");
	ok(at(0, CONTAINER "readinessProbe") &&
	       at(0, CONTAINER "livenessProbe"),
	   "and others");
	struct deployment amd = one;
	amd.gpu = "mi300x";
	deploy_kubernetes(&amd, rendered_begin());
	rendered_has(rendered_end(), "amd.com/gpu: 2");
	server[0].model = NULL;
	deploy_kubernetes(&one, rendered_begin());
	ok(parses(), "without a public model");
	is(text(0, CONTAINER "command/2"), "$(MODEL)", "a variable");
	server[0].model = (char *)"org/model";
}

static void apart(void)
{
	const struct deployment two = {server, 2, "p", "h100-sxm"};
	server[1] = server[0];
	server[0].role = "prefill";
	server[1].role = "decode";
	server[0].router = (char *)"route --apart";
	deploy_kubernetes(&two, rendered_begin());
	ok(parses() && n_documents == 6, "two servers and a router");
	is(text(4, CONTAINER "args/1"), "http://sc-p-prefill:8000",
	   "the router finds prefill");
	is(text(4, CONTAINER "args/3"), "http://sc-p-decode:8000",
	   "and decode");
	is(text(0, CONTAINER "env/1/value"), "5600", "a side channel");
	deploy_values(&two, rendered_begin());
	ok(parses(), "values");
	is(text(0, "routing/proxy/connector"), "nixlv2", "llm-d's proxy");
	ok(json_integer_value(at(0, "prefill/replicas")) == 3 &&
	       json_integer_value(at(0, "decode/replicas")) == 3,
	   "both pools");
	server[0].engine = "sglang";
	server[0].llm_d_image = NULL;
	deploy_values(&two, rendered_begin());
	rendered_has(rendered_end(), "llm-d serves with vLLM");
	deploy_node(&two, rendered_begin());
	rendered_has(rendered_end(), "start prefill p-prefill.sh 3 2");
	rendered_has(rendered_text, "route --apart $urls");
}

/* Decode servers of SGLang ask a prefill server by its own name. */
static void named(void)
{
	struct deployment two = {server, 2, "A__", NULL};
	for (int i = 0; i < 2; i++) {
		server[i].engine = "sglang";
		server[i].role = i ? "decode" : "prefill";
		server[i].router = (char *)"route --apart";
		server[i].bootstrap = (char *)"--meet";
		server[i].image = NULL;
		server[i].model = NULL;
		server[i].replicas = 2;
	}
	deploy_kubernetes(&two, rendered_begin());
	ok(parses() && n_documents == 6, "two servers and a router");
	is(text(0, "kind"), "StatefulSet", "pods with names");
	is(text(0, "metadata/name"), "sc-a---prefill", "of small letters");
	is(text(0, "spec/serviceName"), "sc-a---prefill", "of their service");
	is(text(1, "spec/clusterIP"), "None", "which has no address");
	is(text(0, CONTAINER "image"), "", "an image to fill in");
	is(text(0, CONTAINER "env/0/name"), "MODEL", "a checkpoint to fill in");
	is(text(4, CONTAINER "args/4"),
	   "http://sc-a---prefill-1.sc-a---prefill:8000",
	   "the router knows each prefill server");
	is(text(4, CONTAINER "args/5"), "8998", "and where decode meets it");
	is(text(4, CONTAINER "args/9"),
	   "http://sc-a---decode-1.sc-a---decode:8000", "and each other");
	ok(strstr(rendered_text, "nvidia.com/gpu: 2"), "of any GPU");
	deploy_node(&two, rendered_begin());
	rendered_has(rendered_end(), "bootstrap=--meet\nstart prefill A__-");
	rendered_has(rendered_text, "bootstrap=\nstart decode A__-decode.sh");
	two.n = 1;
	deploy_kubernetes(&two, rendered_begin());
	ok(parses() && n_documents == 2, "one that serves both phases");
	is(text(0, "metadata/name"), "sc-a", "no hyphen ends its name");
	deploy_node(&two, rendered_begin());
	ok(!strstr(rendered_end(), "route --apart"), "it needs no router");
	two.n = 2;
	server[0].router = NULL;
	deploy_kubernetes(&two, rendered_begin());
	rendered_has(rendered_end(), "# No command of a router of sglang");
	deploy_node(&two, rendered_begin());
	ok(!strstr(rendered_end(), "$urls --host"), "none is started");
}

/* The chart of llm-d has sizes of its own. */
static void sizes(void)
{
	struct launch_argument size[] = {
	    {(char *)"--tensor-parallel-size", (char *)"4"},
	    {(char *)"--data-parallel-size", (char *)"2"},
	    {(char *)"--flag", (char *)"5"}};
	struct launch_command l = {.engine = "vllm",
				   .role = "serve",
				   .llm_d_image = (char *)"d/e:f",
				   .argument = size,
				   .n = 3};
	const struct deployment d = {&l, 1, "a", "h100-sxm"};
	deploy_values(&d, rendered_begin());
	ok(parses() && json_array_size(at(0, "decode/containers/0/args")) == 2,
	   "its arguments are the others");
	ok(json_integer_value(at(0, "decode/parallelism/tensor")) == 4 &&
	       json_integer_value(at(0, "decode/parallelism/data")) == 2,
	   "its sizes");
	is(text(0, "modelArtifacts/uri"), "", "a checkpoint to fill in");
}

int main(void)
{
	kubernetes();
	bytes();
	apart();
	named();
	sizes();
	return done();
}
