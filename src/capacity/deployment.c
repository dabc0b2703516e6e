/* deployment.c -- Loads candidates, and says what each takes. */
#include "capacity/deployment.h"
#include <stdlib.h>
#include <string.h>

/* ---- candidates ---- */

/* Refuses a candidate that has only keys, or only the name of another one. */
static int check_name(const struct deployments *d, const char *text,
		      struct problem *p)
{
	size_t n = strcspn(text, ":");
	const char *equals = memchr(text, '=', n);
	if (equals || n == 0 || (text[n] && !text[n + 1]) ||
	    (!text[n] && strchr(text, '.')))
		return problem_set(
		    p, EXIT_USAGE,
		    "--try %s: needs NAME:SECTION.KEY=VALUE, as in "
		    "tp2:engine.tensor_parallel_size=2",
		    text);
	for (size_t i = 0; i < d->n_candidates; i++)
		if (strlen(d->candidate[i].name) == n &&
		    !strncmp(d->candidate[i].name, text, n))
			return problem_set(p, EXIT_USAGE,
					   "--try %s: '%s' is the name of an "
					   "earlier --try; give each its own",
					   text, d->candidate[i].name);
	return 0;
}

/* Lists the assignments of the source, and after them those of a candidate,
 * "SECTION.KEY=VALUE,...".  rest: NULL if it has none. */
static int list_keys(struct names *set, const struct deployment_source *from,
		     char *rest, struct problem *p)
{
	char *item, *text;
	for (size_t i = 0; i < from->n_set; i++)
		if (names_add(set, from->set[i]) < 0)
			return problem_no_memory(p);
	while ((item = strsep(&rest, ","))) {
		if (asprintf(&text, "--try %s", item) < 0)
			return problem_no_memory(p);
		int rc = names_add(set, text);
		free(text);
		if (rc < 0)
			return problem_no_memory(p);
	}
	return 0;
}

/* Returns 1 if a key of the text says how many replicas there are. */
static int sets_fleet(const char *text)
{
	const char *at = text;
	while ((at = strstr(at, "replicas="))) {
		const char *key = at;
		while (key > text && key[-1] != ',' && key[-1] != ':' &&
		       key[-1] != '.')
			key--;
		if (key == at || !strncmp(key, "prefill_", 8))
			return 1;
		at++;
	}
	return 0;
}

/* text becomes the name: it ends at the first ':'.  (An arm's section has one
 * too.)  is_one: it is the file's own deployment, and no other is asked for. */
static int load_candidate(struct deployment_candidate *w, int is_one,
			  const struct config *beside,
			  const struct deployment_source *from, char *text,
			  struct problem *p)
{
	struct names set = {0};
	char *rest = text;
	w->sets_fleet = sets_fleet(text);
	w->name = strsep(&rest, ":");
	int rc = list_keys(&set, from, rest, p);
	if (rc == 0)
		rc = is_one ? config_load_beside(&w->config, beside, from->path,
						 set.item, set.n, from->arms, p)
			    : config_load_searched(&w->config, beside, 0,
						   from->path, set.item, set.n,
						   from->arms, p);
	names_free(&set);
	return rc;
}

int deployments_load(struct deployments *d,
		     const struct deployment_source *from,
		     const char *const *candidate, size_t n_candidates,
		     struct problem *p)
{
	static const char *const as_configured[] = {"as configured"};
	int is_one = !n_candidates;
	if (is_one) {
		candidate = as_configured;
		n_candidates = 1;
	}
	/* Behind the last, one without a name. */
	d->candidate = calloc(n_candidates + 1, sizeof *d->candidate);
	if (!d->candidate)
		return problem_no_memory(p);
	for (; d->n_candidates < n_candidates; d->n_candidates++) {
		char *text = strdup(candidate[d->n_candidates]);
		if (!text)
			return problem_no_memory(p);
		if (check_name(d, text, p) < 0) {
			free(text);
			return -1;
		}
		if (load_candidate(&d->candidate[d->n_candidates], is_one,
				   d->n_candidates ? &d->candidate[0].config
						   : NULL,
				   from, text, p) < 0)
			return -1;
		if (bounds_check(&d->bounds, "--slo",
				 &d->candidate[d->n_candidates].config.slo_keys,
				 p) < 0)
			return -1;
		if (d->how.one_draw && d->candidate[d->n_candidates]
					   .config.workload_keys.concurrency)
			return problem_set(p, EXIT_USAGE,
					   "%s: --one-draw bisects a rate, "
					   "and a closed loop (concurrency) "
					   "has none",
					   from->path);
	}
	d->n_arms = d->candidate[0].config.n_arms;
	return 0;
}

/* ---- memory ---- */

void deployments_free(struct deployments *d)
{
	jobs_free(&d->jobs);
	for (size_t i = 0; d->said && i < deployments_n(d); i++)
		names_free(&d->said[i]);
	for (size_t i = 0; d->candidate && d->candidate[i].name; i++) {
		config_free(&d->candidate[i].config);
		free(d->candidate[i].name);
	}
	free(d->candidate), free(d->left), free(d->said);
	free(d->job), free(d->task);
	free(d->pair);
	decision_free(&d->decision);
	*d = (struct deployments){0};
}

/* ---- the results ---- */

size_t deployments_n(const struct deployments *d)
{
	return d->n_candidates * d->n_arms;
}

const struct job *deployments_job(const struct deployments *d, size_t candidate,
				  size_t arm)
{
	return d->job ? &d->job[candidate * d->n_arms + arm] : NULL;
}

static int has_failed(const struct deployments *d, size_t candidate, size_t arm)
{
	const struct job *j = deployments_job(d, candidate, arm);
	return j && j->complaint;
}

const struct capacity_answer *deployments_at(const struct deployments *d,
					     size_t candidate, size_t arm)
{
	return has_failed(d, candidate, arm)
		   ? NULL
		   : &d->left[candidate * d->n_arms + arm].found;
}

const struct names *deployments_said(const struct deployments *d,
				     size_t candidate, size_t arm)
{
	return &d->said[candidate * d->n_arms + arm];
}
