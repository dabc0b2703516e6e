/* open.c -- Resolves the request of a recommendation. */
#include "recommend/open.h"
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "recommend/domain.h"
#include "capacity/rate.h"

enum { MOST_GPUS = 65536, MOST_KINDS = 64 };

size_t gpus_parse(const char *text, uint32_t out[64], struct problem *p)
{
	size_t n = 0;
	for (const char *s = text; n < MOST_KINDS;) {
		int64_t v;
		const char *end = number_parse_whole(s, &v);
		if (end == s || (*end && *end != ',') || v < 1 || v > MOST_GPUS)
			break;
		out[n++] = (uint32_t)v;
		if (!*end)
			return n;
		s = end + 1;
	}
	problem_set(p, EXIT_USAGE,
		    "--gpus %s: not a number from 1 to %d, or one for each "
		    "kind of --hardware",
		    text, MOST_GPUS);
	return 0;
}

/* Models that differ in these do not answer the same requests. */
static int is_alike(const struct model *a, const struct model *b)
{
	return a->view.vocab == b->view.vocab &&
	       a->view.hidden == b->view.hidden &&
	       a->view.n_params == b->view.n_params;
}

static int check_fleet(const struct config *base, struct problem *p)
{
	return base->engine_keys.autoscaler.metric == FLEET_METRIC_NONE
		   ? 0
		   : problem_set(
			 p, EXIT_USAGE,
			 "recommend chooses a fixed number of replicas: "
			 "leave [autoscaler] out, and size it with "
			 "capacity --rate");
}

static int check_models(const struct recommend_request *from,
			const struct config *base, struct problem *p)
{
	char *list = from->models ? strdup(from->models) : NULL, *rest = list;
	char *name;
	int rc = 0;
	while (rc == 0 && rest && (name = strsep(&rest, ","))) {
		struct ini c = {0};
		struct model m = {0};
		rc = ini_read(&c, "", 0, p);
		if (rc == 0)
			rc =
			    ini_put(&c, "model", "config", name, "--models", p);
		if (rc == 0)
			rc = model_load(&m, &c, p);
		if (rc == 0 && !is_alike(&m, &base->model))
			rc = problem_set(p, EXIT_USAGE,
					 "--models %s: another model than %s: "
					 "they do not answer the same requests",
					 name, base->model.name);
		model_free(&m);
		ini_free(&c);
	}
	free(list);
	return rc;
}

static int fixes(const struct names *l, const char *key)
{
	for (size_t i = 0; i < l->n; i++)
		if (strstr(l->item[i], key))
			return 1;
	return 0;
}

/* Traces are read here, so that workers share them. */
static int open_trace(struct recommend *r, const struct config *base,
		      struct problem *p)
{
	const struct workload_keys *k = &base->workload_keys;
	uint64_t hash;
	if (workload_read_trace(&r->traces, k, &base->cfg, &hash, p) < 0)
		return -1;
	struct workload *w = workload_open_with(k, &base->cfg, &r->traces, p);
	if (!w)
		return -1;
	r->trace_requests = workload_total(w);
	r->is_timed = workload_is_timed(w);
	workload_free(w);
	return 0;
}

static int open_workload(struct recommend *r, const struct config *base,
			 struct problem *p)
{
	const struct workload_keys *k = &base->workload_keys;
	const struct ini_item *n = workload_given(&base->cfg, "num_requests");
	struct rated rated;
	r->is_closed = k->concurrency > 0;
	r->runs_are_fixed =
	    ini_by_option(n) || fixes(&r->from->fix, "workload.num_requests");
	if (*k->trace && open_trace(r, base, p) < 0)
		return -1;
	if (rated_open(&rated, k, &base->cfg, &r->traces, p) < 0)
		return -1;
	r->base_rate = rated.base;
	rated_free(&rated);
	if (base->engine_keys.max_model_len == 0) {
		uint64_t longest = candidates_longest(base, p);
		/* SGLang rejects a request that fills its context. */
		r->max_model_len =
		    longest + (domain_engine(base) == SCHEDULER_SGLANG);
		return longest ? 0 : -1;
	}
	return 0;
}

/* Lists the configurations to try, unless --points does. */
static int list(struct recommend *r, const struct config *base,
		struct problem *p)
{
	const struct recommend_request *from = r->from;
	const struct candidates_request c = {
	    .keys = {.search = &from->search,
		     .fix = &from->fix,
		     .models = from->models,
		     .hardware = from->hardware,
		     .rate = from->rate},
	    .gpus = r->gpus,
	    .n_gpus = r->n_gpus,
	    .serve = from->serve,
	    .most = r->most_points,
	};
	if (!from->points)
		return candidates_list(&r->candidates, &c, base, p);
	if (from->search.n || from->models || from->hardware || from->serve)
		return problem_set(p, EXIT_USAGE,
				   "--points lists the configurations; "
				   "--search, --models, --hardware and --serve "
				   "would add others");
	return 0;
}

static int choose_objective(struct recommend *r, struct problem *p)
{
	r->objective = r->from->objective  ? r->from->objective
		       : r->from->rate > 0 ? OBJECTIVE_GPUS
					   : OBJECTIVE_RATE;
	if (r->objective == OBJECTIVE_ENERGY && !r->is_closed &&
	    !(r->from->rate > 0))
		return problem_set(p, EXIT_USAGE,
				   "--objective energy: needs --rate, because "
				   "all configurations are compared at one "
				   "load");
	return r->is_closed && r->from->rate > 0
		   ? problem_set(p, EXIT_USAGE,
				 "--rate: a closed loop (concurrency) has none")
		   : 0;
}

static int open_base(struct recommend *r, struct problem *p)
{
	const struct recommend_request *from = r->from;
	struct config base;
	int rc =
	    config_load_searched(&base, NULL, 1, from->config, from->set.item,
				 from->set.n, from->arms, p);
	r->most_points =
	    from->budget ? CANDIDATES_MOST_WITH_BUDGET : CANDIDATES_MOST;
	if (rc == 0)
		rc = check_models(from, &base, p);
	if (rc == 0)
		rc = check_fleet(&base, p);
	if (rc == 0)
		rc = open_workload(r, &base, p);
	if (rc == 0)
		rc = choose_objective(r, p);
	if (rc == 0)
		rc = recommend_figures_parse(from->front ? from->front : "",
					     r->front, p);
	if (rc == 0)
		rc = list(r, &base, p);
	/* Pools of their own take its place. */
	if (!from->points)
		r->prefill_replicas = base.engine_keys.prefill_replicas;
	r->default_limit[0] = base.engine_keys.max_num_batched_tokens;
	r->default_limit[1] = base.engine_keys.max_num_seqs;
	config_free(&base);
	return rc;
}

static int open_sweep(struct recommend *r, struct problem *p)
{
	const struct recommend_request *from = r->from;
	struct sweep_request s = {
	    .config = from->config,
	    .arms = from->arms,
	    .plan = {.points = from->points,
		     .list = r->candidates.list,
		     .list_from = from->search.n || !from->hardware
				      ? "--search"
				      : "--hardware",
		     .most = r->most_points},
	    .seeds = 1,
	    .slo = from->slo,
	    .slo_option = "--slo",
	    .rate = from->rate,
	    .precision = from->precision};
	char longest[64];
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < from->set.n; i++)
		rc = names_add(&s.set, from->set.item[i]);
	snprintf(longest, sizeof longest, "engine.max_model_len=%llu",
		 (unsigned long long)r->max_model_len);
	if (rc == 0 && r->max_model_len)
		rc = names_add(&s.set, longest);
	if (rc == 0 && r->prefill_replicas)
		rc = names_add(&s.set, "engine.prefill_replicas=0");
	rc = rc < 0 ? problem_no_memory(p) : sweep_open(&r->sweep, &s, p);
	names_free(&s.set);
	return rc;
}

int recommend_open(struct recommend *r, const struct recommend_request *from,
		   struct problem *p)
{
	r->from = from;
	r->n_gpus = gpus_parse(from->gpus, r->gpus, p);
	for (size_t i = 0; i < r->n_gpus; i++)
		if (r->gpus[i] > r->most_gpus)
			r->most_gpus = r->gpus[i];
	if (!r->n_gpus || open_base(r, p) < 0 || open_sweep(r, p) < 0)
		return -1;
	r->arm = calloc(r->sweep.arms.n, sizeof *r->arm);
	return r->arm ? 0 : problem_no_memory(p);
}
