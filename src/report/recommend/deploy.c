/* deploy.c -- Writes manifests, values and the script of a node. */
#include "report/recommend/deploy.h"
#include <ctype.h>
#include <string.h>
#include "base/shell_word.h"
#include "base/yaml_text.h"

enum {
	PORT = 8000,
	SIDE_PORT = 5600,
	BOOTSTRAP_PORT = 8998,
	DECODE_PORT = 8200,
	NAME = 60
};

/* ---- words ---- */

/* A name as Kubernetes takes it: small letters, digits and '-'. */
static void name_of(char to[NAME], const char *name, const char *role)
{
	int n =
	    snprintf(to, NAME, "sc-%.40s%s%s", name, *role ? "-" : "", role);
	for (int i = 0; i < n; i++)
		to[i] = isalnum((unsigned char)to[i])
			    ? (char)tolower((unsigned char)to[i])
			    : '-';
	while (n > 0 && to[n - 1] == '-')
		to[--n] = '\0';
}

/* Kubernetes replaces $(NAME) in words; $$( is $(. */
static void word(FILE *f, int indent, const char *s, size_t n)
{
	fprintf(f, "%*s- \"", indent, "");
	for (size_t i = 0; i < n;) {
		size_t k = i + 1;
		while (k < n && s[k] != '$')
			k++;
		if (s[i] == '$' && i + 1 < n && s[i + 1] == '(')
			fputc('$', f);
		yaml_escaped(f, s + i, k - i);
		i = k;
	}
	fputs("\"\n", f);
}

static void words(FILE *f, int indent, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " ");
		word(f, indent, text, n);
		text += n + (text[n] == ' ');
	}
}

/* Writes the arguments of a command, except flags for which but() returns 1. */
static void arguments(FILE *f, int indent, const struct launch_command *l,
		      int (*but)(const char *flag))
{
	for (size_t i = 0; i < l->n; i++) {
		const struct launch_argument *a = &l->argument[i];
		if (but && but(a->flag))
			continue;
		word(f, indent, a->flag, strlen(a->flag));
		if (a->value)
			word(f, indent, a->value, strlen(a->value));
	}
}

static int is_apart(const struct deployment *d)
{
	return d->n > 1;
}

/* A decode server asks the very prefill server that has a prompt: each has a
 * name of its own then. */
static int has_names(const struct deployment *d, const struct launch_command *l)
{
	return is_apart(d) && l->bootstrap != NULL;
}

static const char *resource(const struct deployment *d)
{
	return d->gpu && !strncmp(d->gpu, "mi", 2) ? "amd.com/gpu"
						   : "nvidia.com/gpu";
}

/* ---- Kubernetes ---- */

static void service(FILE *f, const char *name, int named)
{
	fprintf(
	    f,
	    "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: %s\n"
	    "spec:\n%s  selector: {app: %s}\n  ports:\n  - {name: http, port: "
	    "%d, targetPort: %d}\n",
	    name, named ? "  clusterIP: None\n" : "", name, PORT, PORT);
}

/* named: 1: each pod has a name, as NAME-0.NAME; 0: none. */
static void deployment_head(FILE *f, const char *name, int64_t replicas,
			    const char *image, int named)
{
	fprintf(f,
		"---\napiVersion: apps/v1\nkind: %s\nmetadata:\n"
		"  name: %s\nspec:\n%s%s%s  replicas: %lld\n"
		"  selector: {matchLabels: {app: %s}}\n  template:\n"
		"    metadata: {labels: {app: %s}}\n    spec:\n"
		"      containers:\n      - name: server\n        image: ",
		named ? "StatefulSet" : "Deployment", name,
		named ? "  serviceName: " : "", named ? name : "",
		named ? "\n  podManagementPolicy: Parallel\n" : "",
		(long long)replicas, name, name);
	yaml_text(f, image ? image : "");
	fprintf(f, "%s\n        command:\n",
		image ? "" : " # fill in: one that has this command");
}

/* Where a server meets its counterpart: each pod has an address of its own. */
static void side_channel(FILE *f, int indent)
{
	fprintf(f,
		"%*s- {name: VLLM_NIXL_SIDE_CHANNEL_HOST, valueFrom: "
		"{fieldRef: {fieldPath: status.podIP}}}\n"
		"%*s- {name: VLLM_NIXL_SIDE_CHANNEL_PORT, value: \"%d\"}\n",
		indent, "", indent, "", SIDE_PORT);
}

/* Writes variables of the container: the model if it is not known, and what
 * vLLM's pools need. */
static void environment(FILE *f, int indent, const struct deployment *d,
			const struct launch_command *l)
{
	int is_vllm = !strcmp(l->engine, "vllm");
	if (l->model && !(is_apart(d) && is_vllm))
		return;
	fprintf(f, "%*senv:\n", indent, "");
	if (!l->model)
		fprintf(
		    f,
		    "%*s- {name: MODEL, value: \"\"} # fill in: the name or "
		    "folder of the checkpoint\n",
		    indent, "");
	if (is_apart(d) && is_vllm)
		side_channel(f, indent);
}

/* A server that loads a large checkpoint may take an hour. */
static void probes(FILE *f, int indent)
{
	static const char *const probe[] = {
	    "startupProbe: {periodSeconds: 10, failureThreshold: 360",
	    "readinessProbe: {periodSeconds: 5, failureThreshold: 3",
	    "livenessProbe: {periodSeconds: 10, failureThreshold: 6"};
	for (size_t i = 0; i < sizeof probe / sizeof *probe; i++)
		fprintf(f,
			"%*s%s, timeoutSeconds: 5, httpGet: {path: /health, "
			"port: %d}}\n",
			indent, "", probe[i], PORT);
}

/* Writes the Deployment and the Service of one role. */
static void server(const struct deployment *d, const struct launch_command *l,
		   FILE *f)
{
	char name[NAME];
	name_of(name, d->name, is_apart(d) ? l->role : "");
	fprintf(f, "# Flags as of %s %s.\n", l->engine, l->version);
	launch_keys_without_flag(l, f);
	deployment_head(f, name, l->replicas, l->image, has_names(d, l));
	words(f, 8, l->command);
	if (l->model)
		word(f, 8, l->model, strlen(l->model));
	else
		fputs("        - \"$(MODEL)\"\n", f);
	fputs("        args:\n", f);
	arguments(f, 8, l, NULL);
	fprintf(f,
		"        - \"--host\"\n        - \"0.0.0.0\"\n"
		"        - \"--port\"\n        - \"%d\"\n",
		PORT);
	environment(f, 8, d, l);
	fprintf(f, "        ports:\n        - {containerPort: %d}\n", PORT);
	if (is_apart(d))
		fprintf(f, "        - {containerPort: %d}\n",
			l->bootstrap ? BOOTSTRAP_PORT : SIDE_PORT);
	fprintf(f, "        resources: {limits: {%s: %lld}}\n", resource(d),
		(long long)l->gpus);
	probes(f, 8);
	fputs("        volumeMounts:\n"
	      "        - {name: shm, mountPath: /dev/shm}\n      volumes:\n"
	      "      - {name: shm, emptyDir: {medium: Memory}}\n",
	      f);
	service(f, name, has_names(d, l));
}

/* Writes the addresses of a pool's servers as options of its router. */
static void router_pool(const struct deployment *d,
			const struct launch_command *l, FILE *f)
{
	char pool[NAME];
	name_of(pool, d->name, l->role);
	for (int64_t k = 0; k < (l->bootstrap ? l->replicas : 1); k++) {
		fprintf(f, "        - \"--%s\"\n        - \"http://%s", l->role,
			pool);
		if (l->bootstrap)
			fprintf(f, "-%lld.%s", (long long)k, pool);
		fprintf(f, ":%d\"\n", PORT);
		if (l->bootstrap && !strcmp(l->role, "prefill"))
			fprintf(f, "        - \"%d\"\n", BOOTSTRAP_PORT);
	}
}

/* The router of an engine that serves prefill and decode apart. */
static void router(const struct deployment *d, FILE *f)
{
	char name[NAME];
	const struct launch_command *l = d->server;
	name_of(name, d->name, "router");
	deployment_head(f, name, 1, l->router_image, 0);
	words(f, 8, l->router);
	fputs("        args:\n", f);
	for (size_t i = 0; i < d->n; i++)
		router_pool(d, &d->server[i], f);
	fprintf(
	    f,
	    "        - \"--host\"\n        - \"0.0.0.0\"\n"
	    "        - \"--port\"\n        - \"%d\"\n"
	    "        ports:\n        - {containerPort: %d}\n"
	    "        readinessProbe: {httpGet: {path: /health, port: %d}}\n",
	    PORT, PORT, PORT);
	service(f, name, 0);
}

void deploy_kubernetes(const struct deployment *d, FILE *f)
{
	fputs("# kubectl apply -f FILE\n", f);
	for (size_t i = 0; i < d->n; i++)
		server(d, &d->server[i], f);
	if (is_apart(d) && d->server->router)
		router(d, f);
	else if (is_apart(d))
		fprintf(f,
			"# No command of a router of %s for prefill and decode "
			"apart is known.\n",
			d->server->engine);
}

/* ---- llm-d ---- */

/* The chart adds sizes, model and port to the command by itself. */
static int is_of_chart(const char *flag)
{
	return !strcmp(flag, "--tensor-parallel-size") ||
	       !strcmp(flag, "--data-parallel-size");
}

static const char *size_of(const struct launch_command *l, const char *flag)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->argument[i].flag, flag))
			return l->argument[i].value;
	return "1";
}

static void pool_values(const struct deployment *d,
			const struct launch_command *l, FILE *f)
{
	fprintf(f,
		"%s:\n  create: true\n  replicas: %lld\n  parallelism:\n"
		"    tensor: %s\n    data: %s\n  containers:\n  - name: vllm\n"
		"    image: \"%s\"\n"
		"    modelCommand: vllmServe\n    args:\n",
		is_apart(d) ? l->role : "decode", (long long)l->replicas,
		size_of(l, "--tensor-parallel-size"),
		size_of(l, "--data-parallel-size"), l->llm_d_image);
	arguments(f, 4, l, is_of_chart);
	if (is_apart(d)) {
		fputs("    env:\n", f);
		side_channel(f, 4);
	}
	fprintf(f,
		"    ports:\n    - {containerPort: %d}\n    resources:\n"
		"      limits: {%s: \"%lld\"}\n      requests: {%s: \"%lld\"}\n"
		"    mountModelVolume: true\n",
		is_apart(d) && !strcmp(l->role, "prefill") ? PORT : DECODE_PORT,
		resource(d), (long long)l->gpus, resource(d),
		(long long)l->gpus);
	launch_keys_without_flag(l, f);
}

void deploy_values(const struct deployment *d, FILE *f)
{
	const char *model = d->server->model;
	if (!d->server->llm_d_image) {
		fprintf(f, "# llm-d serves with vLLM, and not with %s.\n{}\n",
			d->server->engine);
		return;
	}
	fputs("# helm install NAME llm-d-modelservice/llm-d-modelservice -f "
	      "FILE\n# The inference gateway and its scheduler choose the "
	      "servers.\nmodelArtifacts:\n",
	      f);
	if (model) {
		fputs("  name: ", f);
		yaml_text(f, model);
		fputs("\n  uri: \"hf://", f);
		yaml_escaped(f, model, strlen(model));
		fputs("\"\n", f);
	} else {
		fputs("  name: \"\" # fill in: the checkpoint\n"
		      "  uri: \"\" # fill in: hf://NAME, or pvc://CLAIM/PATH\n",
		      f);
	}
	fprintf(f,
		"routing:\n  servicePort: %d\n  proxy:\n    targetPort: %d\n"
		"    connector: nixlv2\n",
		PORT, DECODE_PORT);
	if (!is_apart(d))
		fputs("prefill:\n  create: false\n", f);
	for (size_t i = 0; i < d->n; i++)
		pool_values(d, &d->server[i], f);
}

/* ---- a node ---- */

static const char too_large[] =
    "\t[ \"$each\" -le \"$gpus\" ] || { echo \"$role: a server needs $each "
    "GPUs, and this node has $gpus: start $script on several nodes, as its "
    "engine documents\" >&2; exit 1; }\n";

void deploy_node(const struct deployment *d, FILE *f)
{
	fprintf(
	    f,
	    "#!/bin/sh\n"
	    "# Starts the servers that fit on one node of ${GPUS:-8} GPUs: "
	    "each with GPUs and a\n# port of its own, from ${PORT:-8000} "
	    "on.  More arguments are passed on.\n"
	    "gpus=${GPUS:-8} port=${PORT:-8000} next=0\n"
	    "here=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd) || exit\n"
	    "trap 'kill $(jobs -p) 2>/dev/null' EXIT INT TERM\n"
	    "start() { # ROLE SCRIPT SERVERS GPUS-EACH ARGUMENT...\n"
	    "\trole=$1 script=$2 left=$3 each=$4; shift 4\n"
	    "\twhile [ \"$left\" -gt 0 ] && [ $((next + each)) -le \"$gpus\" "
	    "]; do\n"
	    "\t\tmine=$next; k=1\n"
	    "\t\twhile [ $k -lt \"$each\" ]; do mine=$mine,$((next + k)); "
	    "k=$((k + 1)); done\n"
	    "\t\techo \"$role: GPUs $mine, port $port\" >&2\n"
	    "\t\tmeet=${bootstrap:+$((%d + next))}\n"
	    "\t\tCUDA_VISIBLE_DEVICES=$mine VLLM_NIXL_SIDE_CHANNEL_PORT=$(("
	    "%d + next)) \\\n"
	    "\t\t\tsh \"$here/$script\" --port \"$port\" "
	    "${meet:+\"$bootstrap\" \"$meet\"} \"$@\" &\n"
	    "\t\turls=\"$urls --$role http://127.0.0.1:$port${meet:+ $meet}\""
	    "\n"
	    "\t\tnext=$((next + each)) port=$((port + 1)) left=$((left - "
	    "1))\n"
	    "\tdone\n%s"
	    "\t[ \"$left\" -eq 0 ] || echo \"$role: $left more on other "
	    "nodes\" >&2\n}\nurls=\n",
	    BOOTSTRAP_PORT, SIDE_PORT, too_large);
	for (size_t i = 0; i < d->n; i++) {
		const struct launch_command *l = &d->server[i];
		fprintf(f, "bootstrap=%s\nstart %s ",
			has_names(d, l) && !strcmp(l->role, "prefill")
			    ? l->bootstrap
			    : "",
			l->role);
		shell_word(f, d->name);
		fprintf(f, "-%s.sh %lld %lld \"$@\"\n", l->role,
			(long long)l->replicas, (long long)l->gpus);
	}
	if (is_apart(d) && d->server->router)
		fprintf(f,
			"# Requests go to the router, at the port behind the "
			"servers'.\n"
			"# shellcheck disable=SC2086 # words\n"
			"%s $urls --host 0.0.0.0 --port \"$port\" &\n",
			d->server->router);
	fputs("wait\n", f);
}
