/* runs.c -- Simulates measured runs, and makes sets of them. */
#include "arena/runs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "keys/datafile.h"
#include "validate/measured/measured_read.h"

/* ---- simulations ---- */

struct known {
	struct arena_runs *runs;
	struct stored *stored;
	char (*key)[STORE_KEY]; /* [trials * arms] "": none */
	char *is;               /* [trials * arms] 1: it was stored */
	char *what;             /* as stored_describe(), of the last trial */
	size_t what_of;
};

static const char *describe(struct known *k, size_t row_replay)
{
	if (!k->what || k->what_of != row_replay) {
		free(k->what);
		k->what = stored_describe(
		    &k->runs->v.row_replays.row_replay[row_replay]);
		k->what_of = row_replay;
	}
	return k->what;
}

static int is_known(void *user, size_t row_replay, size_t arm)
{
	struct known *k = user;
	struct validation *v = &k->runs->v;
	size_t i = row_replay * v->n_arms + arm;
	const char *what = describe(k, row_replay);
	if (!what ||
	    stored_key(k->stored, what, v, row_replay, arm, k->key[i]) < 0)
		*k->key[i] = '\0';
	else if (stored_take(k->stored, k->key[i], v, row_replay, arm))
		k->is[i] = 1;
	k->runs->n_known += (size_t)k->is[i];
	return k->is[i];
}

static int keep(struct known *k, struct problem *p)
{
	const struct validation *v = &k->runs->v;
	for (size_t i = 0; i < v->row_replays.n * v->n_arms; i++)
		if (!k->is[i] && *k->key[i] &&
		    stored_add(k->stored, k->key[i], v, i / v->n_arms,
			       i % v->n_arms) < 0)
			return problem_no_memory(p);
	return stored_save(k->stored, p);
}

static int simulate_new(struct arena_runs *r, const struct runs_options *o,
			struct problem *p)
{
	struct validate_options how = o->validate;
	size_t n = r->v.row_replays.n * r->v.n_arms + 1;
	struct known k = {.runs = r,
			  .stored = o->stored,
			  .key = calloc(n, sizeof *k.key),
			  .is = calloc(n, 1)};
	how.is_known = is_known;
	how.known_user = &k;
	int rc = k.key && k.is ? 0 : problem_no_memory(p);
	if (rc == 0)
		rc = validation_run(&r->v, &how, p);
	if (rc == 0 && !r->v.interrupted)
		rc = keep(&k, p);
	free(k.key);
	free(k.is);
	free(k.what);
	return rc;
}

int runs_simulate(struct arena_runs *r, const char *path,
		  const struct ini *aliases, const struct runs_options *o,
		  struct problem *p)
{
	*r = (struct arena_runs){.path = datafile_shipped(path)};
	if (!r->path)
		return problem_no_memory(p);
	if (measured_read(&r->file, r->path, aliases, p) < 0)
		return -1;
	measured_keep_means(&r->file);
	if (validation_open(&r->v, o->config, &r->file, aliases, &o->validate,
			    p) < 0)
		return -1;
	return o->stored ? simulate_new(r, o, p)
			 : validation_run(&r->v, &o->validate, p);
}

void runs_free(struct arena_runs *r)
{
	validation_free(&r->v);
	measured_free(&r->file);
	free(r->path);
	*r = (struct arena_runs){0};
}

/* ---- a set ---- */

/* The columns of a deployment, in the order of its name (steps/set.h). */
static char *deployment_of(const struct measured_row *r)
{
	const char *const text[] = {r->gpu,    r->model,
				    r->dtype,  r->kv_cache_dtype,
				    r->engine, r->engine_version};
	const double size[] = {r->tensor_parallel_size,
			       r->pipeline_parallel_size, r->data_parallel_size,
			       r->expert_parallel_size, r->gpu_count};
	const char *before = "";
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		if (text[i] && *text[i]) {
			fprintf(f, "%s%s", before, text[i]);
			before = "/";
		}
	for (size_t i = 0; i < sizeof size / sizeof *size; i++)
		if (!isnan(size[i])) {
			fprintf(f, "%s%g", before, size[i]);
			before = "/";
		}
	if (!*before)
		fputs("as configured", f);
	return text_end(&t);
}

/* Finds the row's deployment, or adds it; SIZE_MAX: memory is out. */
static size_t place(struct step_set *set, const struct measured_row *r)
{
	char *name = deployment_of(r);
	size_t d = 0;
	while (name && d < set->n_deployments &&
	       strcmp(set->deployment[d].name, name) != 0)
		d++;
	if (!name || d < set->n_deployments) {
		free(name);
		return name ? d : SIZE_MAX;
	}
	set->deployment[d] = (struct step_deployment){.name = name};
	set->n_deployments++;
	return d;
}

static int is_used(const struct arena_runs *r, size_t row,
		   enum run_latency latency)
{
	size_t row_replay = r->v.trial_of[row];
	return row_replay != SIZE_MAX &&
	       !validation_saturated(&r->file.row[row]) &&
	       (latency == RUN_TPOT ||
		!r->v.row_replays.row_replay[row_replay].tpot_only) &&
	       validation_measured(&r->v, row, latency, STATISTIC_MEAN) > 0;
}

/* *of: the rows of the file, for the caller to free. */
static int fill_set(struct step_set *set, const struct arena_runs *r,
		    enum run_latency latency, size_t **of)
{
	size_t n = r->file.n;
	*set = (struct step_set){.file = calloc(1, sizeof *set->file),
				 .row = calloc(n + 1, sizeof *set->row),
				 .deployment =
				     calloc(n + 1, sizeof *set->deployment),
				 .n_given = n};
	*of = calloc(n + 1, sizeof **of);
	if (!set->file || !set->row || !set->deployment || !*of)
		return -1;
	set->n_files = 1;
	set->file[0].path = strdup(r->path);
	struct given_step *item = calloc(n + 1, sizeof *item);
	set->file[0].steps.item = item;
	if (!set->file[0].path || !item)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct measured_row *m = &r->file.row[i];
		if (!is_used(r, i, latency))
			continue;
		size_t d = place(set, m);
		if (d == SIZE_MAX)
			return -1;
		item[set->n].name = m->id ? m->id : "";
		item[set->n].line = m->line;
		(*of)[set->n] = i;
		set->row[set->n] =
		    (struct step_row){&set->file[0], &item[set->n], d};
		set->n++;
	}
	return 0;
}

/* The rows of each deployment, which a report asks for. */
static int list_rows(struct step_set *set)
{
	for (size_t d = 0; d < set->n_deployments; d++) {
		struct step_deployment *to = &set->deployment[d];
		to->row = calloc(set->n + 1, sizeof *to->row);
		if (!to->row)
			return -1;
		for (size_t i = 0; i < set->n; i++)
			if (set->row[i].deployment == d)
				to->row[to->n++] = i;
	}
	return 0;
}

/* ---- a score ---- */

/* Notes the first reason why the arm did not answer a deployment. */
static int note_why(struct score *s, const struct arena_runs *r, size_t arm,
		    size_t row, size_t deployment)
{
	struct score_arm *a = &s->arm[arm];
	size_t row_replay = r->v.trial_of[row];
	const char *why = r->v.refused[row_replay]
			      ? r->v.refused[row_replay]
			      : r->v.why[arm * r->v.row_replays.n + row_replay];
	if (!why || a->why[deployment])
		return 0;
	a->why[deployment] = arrays_text(&s->arrays, why);
	return a->why[deployment] ? 0 : -1;
}

static const char *plugin_of(const struct arena_runs *r, size_t arm)
{
	for (size_t i = 0; i < r->v.row_replays.n; i++)
		if (!r->v.refused[i])
			return r->v.config[i].arm[arm].plugin;
	return "";
}

static int fill_arm(struct score *s, size_t arm, const struct arena_runs *r,
		    enum run_latency latency, const size_t *of)
{
	struct score_arm *a = &s->arm[arm];
	if (score_begin_arm(s, arm) < 0)
		return -1;
	a->name = r->v.arm[arm];
	a->plugin = plugin_of(r, arm);
	for (size_t i = 0; i < s->set->n; i++) {
		double ms = validation_predicted(&r->v, arm, of[i], latency,
						 STATISTIC_MEAN);
		a->us[i] = ms > 0 ? 1000 * ms : (double)NAN;
		a->exact[i] = a->total[i] = a->us[i];
		if (isnan(a->us[i]) &&
		    note_why(s, r, arm, of[i], s->set->row[i].deployment) < 0)
			return -1;
	}
	return 0;
}

static int fill_score(struct score *s, const struct arena_runs *r,
		      enum run_latency latency, const char *baseline,
		      const size_t *of, struct problem *p)
{
	s->n = r->v.n_arms;
	s->arm = arrays_add(&s->arrays, s->n, sizeof *s->arm);
	s->measured = arrays_add(&s->arrays, s->set->n, sizeof *s->measured);
	if (s->arrays.out_of_memory)
		return problem_no_memory(p);
	for (size_t i = 0; i < s->set->n; i++)
		s->measured[i] =
		    1000 *
		    validation_measured(&r->v, of[i], latency, STATISTIC_MEAN);
	for (size_t k = 0; k < s->n; k++) {
		if (fill_arm(s, k, r, latency, of) < 0)
			return problem_no_memory(p);
		if (!strcmp(s->arm[k].name, baseline)) {
			s->baseline = k;
			s->arm[k].is_baseline = 1;
		}
	}
	return score_group_all(s, p) < 0 ? -1 : score_judge(s, p);
}

int runs_score(struct step_set *set, struct score *s,
	       const struct arena_runs *r, enum run_latency latency,
	       const char *baseline, double margin, struct problem *p)
{
	size_t *of = NULL;
	*s = (struct score){.set = set,
			    .baseline = SIZE_MAX,
			    .repeat = (double)NAN,
			    .margin = margin};
	int rc = fill_set(set, r, latency, &of) == 0 && list_rows(set) == 0
		     ? 0
		     : problem_no_memory(p);
	if (rc == 0 && set->n)
		rc = fill_score(s, r, latency, baseline, of, p);
	free(of);
	return rc;
}
