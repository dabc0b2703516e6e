/* report/recommend/deploy.h -- the servers of a recommended configuration as a
 * deployment: manifests of Kubernetes, values of llm-d's chart modelservice,
 * and a script for servers that share a node. */
#pragma once
#include <stdio.h>
#include "report/recommend/launch.h"

/* server[n]: one for both phases, or prefill and decode.  name: of the
 * configuration. */
struct deployment {
	const struct launch_command *server;
	size_t n;
	const char *name;
	const char *gpu; /* the name of its GPU; NULL: not known */
};
/* A Deployment and a Service a role, with probes; for prefill and decode apart
 * a router before them. */
void deploy_kubernetes(const struct deployment *d, FILE *f);
/* Values of llm-d-incubation/llm-d-modelservice. */
void deploy_values(const struct deployment *d, FILE *f);
/* A script beside those of the servers, which starts as many as the GPUs of a
 * node hold, each with GPUs and ports of its own, and the router. */
void deploy_node(const struct deployment *d, FILE *f);
