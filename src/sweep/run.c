/* run.c -- Passes the points of a sweep to workers, and their answers to the
 * store. */
#include "base/number.h"
#include "sweep/run.h"
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "arm/run.h"
#include "base/clock.h"
#include "jobs/pool.h"
#include "store/rows.h"
#include "sweep/work.h"

enum { COMMIT_MS = 100, MS = 1000000 };

/* How far an arm has got: the point, and its seed. */
struct place {
	uint64_t point;
	int64_t seed;
};

/* The user data of the pool's functions; work() knows only the task. */
struct running {
	struct sweep_task task;
	struct sweep *sweep;
	struct store *store;
	const struct sweep_how *how;
	struct sweep_counts *counts;
	struct place *next; /* [n_arms] */
	struct traces traces;
	const char **axis_value; /* [n_axes] */
	const char *text[STORE_TEXTS];
	int64_t committed_ns;
	struct utsname host;
	long seed_axis; /* the axis workload.seed; -1: none */
};

/* ---- questions ---- */

/* Returns the seed of the first run of a point, which its row names. */
static int64_t seed_of(const struct running *r, uint64_t point)
{
	const struct sweep *s = r->sweep;
	int64_t seed = s->config.workload_keys.seed;
	if (r->seed_axis >= 0)
		number_parse_whole(
		    plan_value(&s->plan, (size_t)point, (size_t)r->seed_axis),
		    &seed);
	return seed;
}

static void count(struct running *r, enum store_status status)
{
	r->counts->done++;
	r->counts->refused += status == STATUS_REFUSED;
	r->counts->failed += status == STATUS_FAILED;
}

/* Looks up the row; a failed row is ignored with --retry. */
static int look_up(struct running *r, unsigned arm, struct sweep_question *q,
		   struct problem *p)
{
	char name[POINT_NAME];
	struct store_found found;
	plan_point_name(&r->sweep->plan, (size_t)q->point, name);
	int rc = store_find(r->store, name, r->sweep->arms.item[arm],
			    seed_of(r, q->point) + q->seed_shift, &found, p);
	int again = rc == 1 && r->how->retry && found.status == STATUS_FAILED;
	if (rc == 1 && !again)
		memcpy(q->known, found.key, sizeof q->known);
	return rc < 0 ? -1 : 0;
}

/* Hands out the next point and seed of an arm. */
static int next(void *user, unsigned arm, void *question, struct problem *p)
{
	struct running *r = user;
	struct sweep_question *q = question;
	struct place *at = &r->next[arm];
	uint64_t step = r->how->shards ? (uint64_t)r->how->shards : 1;
	if (at->point >= r->sweep->plan.n_points)
		return 0;
	memset(q, 0, sizeof *q);
	q->point = at->point;
	q->seed_shift = at->seed;
	if (++at->seed == r->sweep->seeds) {
		at->seed = 0;
		at->point += step;
	}
	return look_up(r, arm, q, p) < 0 ? -1 : 1;
}

/* ---- answers ---- */

/* Keeps the row unchanged. */
static int keep(struct running *r, unsigned arm, const struct sweep_question *q,
		struct problem *p)
{
	char name[POINT_NAME];
	struct store_found found = {.status = STATUS_FAILED};
	plan_point_name(&r->sweep->plan, (size_t)q->point, name);
	if (store_find(r->store, name, r->sweep->arms.item[arm],
		       seed_of(r, q->point) + q->seed_shift, &found, p) < 0)
		return -1;
	count(r, found.status);
	return 0;
}

static const char *none_if_empty(const char *s)
{
	return s && *s ? s : NULL;
}

/* Adds the row of a point to the store. */
static int add(struct running *r, unsigned arm, const struct sweep_question *q,
	       const struct pool_result *a, struct problem *p)
{
	const struct sweep_answer *x = a->data;
	const struct plan *l = &r->sweep->plan;
	char name[POINT_NAME];
	plan_point_name(l, (size_t)q->point, name);
	/* A store that is continued keeps the order of its first plan. */
	const struct names *axes = store_axes(r->store);
	for (size_t i = 0; i < axes->n; i++) {
		long at = plan_axis_named(l, axes->item[i]);
		r->axis_value[i] = plan_value(l, (size_t)q->point, (size_t)at);
	}
	for (int i = 0; i < STORE_TEXTS; i++)
		r->text[i] = none_if_empty(x->text[i]);
	const struct store_row row = {
	    .point = name,
	    .axis = r->axis_value,
	    .arm = r->sweep->arms.item[arm],
	    .seed = seed_of(r, q->point) + q->seed_shift,
	    .key = x->key,
	    .status = a->code == EXIT_DONE     ? STATUS_OK
		      : a->code == EXIT_PLUGIN ? STATUS_FAILED
					       : STATUS_REFUSED,
	    .error = none_if_empty(a->says),
	    .warning = none_if_empty(x->warning),
	    .number = x->has_figures ? x->number : NULL,
	    .text = x->has_figures ? r->text : NULL,
	    .at_s = (int64_t)time(NULL),
	    .seconds = x->seconds,
	    .cpu_seconds = x->cpu_seconds,
	    .host = r->host.nodename,
	    .process = getpid(),
	};
	count(r, row.status);
	r->counts->computed++;
	return store_add(r->store, &row, p);
}

static int over(void *user, unsigned arm, const void *question,
		const struct pool_result *a, struct problem *p)
{
	const struct sweep_answer *x = a->data;
	return x->is_known && a->code == EXIT_DONE
		   ? keep(user, arm, question, p)
		   : add(user, arm, question, a, p);
}

static int on_tick(void *user, struct problem *p)
{
	struct running *r = user;
	int64_t now = clock_now_ns();
	if (now - r->committed_ns >= (int64_t)COMMIT_MS * MS) {
		r->committed_ns = now;
		if (store_commit(r->store, p) < 0)
			return -1;
	}
	return r->how->progress ? r->how->progress(r->how->user, r->counts, p)
				: 0;
}

/* ---- before the workers start ---- */

/* Reads traces in advance, so that workers share them and all rows see the same
 * ones.  A worker reads files itself that other axes select. */
static void read_traces(struct running *r)
{
	const struct sweep *s = r->sweep;
	struct workload_keys keys = s->config.workload_keys;
	long axis = plan_axis_named(&s->plan, "workload.trace");
	const struct names *l = axis < 0 ? NULL : &s->plan.axis[axis].value;
	struct problem ignored; /* workers will report it */
	uint64_t hash;
	for (size_t i = 0; i < (l ? l->n : 1); i++) {
		keys.trace = l ? l->item[i] : keys.trace;
		if (*keys.trace)
			workload_read_trace(&r->traces, &keys, &s->config.cfg,
					    &hash, &ignored);
	}
}

/* Returns the largest value of the axis, or v if that is larger. */
static int64_t most(const struct plan *l, const char *name, int64_t v)
{
	long axis = plan_axis_named(l, name);
	for (size_t i = 0; axis >= 0 && i < l->axis[axis].value.n; i++) {
		int64_t n = 0;
		number_parse_whole(l->axis[axis].value.item[i], &n);
		v = n > v && n <= INT32_MAX ? n : v;
	}
	return v;
}

size_t sweep_step_bytes(const struct sweep *s)
{
	struct engine_keys k = s->config.engine_keys;
	k.max_num_seqs = most(&s->plan, "engine.max_num_seqs", k.max_num_seqs);
	k.max_num_batched_tokens =
	    most(&s->plan, "engine.max_num_batched_tokens",
		 k.max_num_batched_tokens);
	k.replicas = most(&s->plan, "engine.replicas", k.replicas);
	const struct config c = {.engine_keys = k};
	return arm_run_step_bytes(&c);
}

/* Prepares the run and the store. */
static int begin(struct running *r, struct problem *p)
{
	struct sweep *s = r->sweep;
	const struct sweep_how *how = r->how;
	struct store_study study = s->study;
	study.shard = how->shards ? how->shard : 0;
	study.shards = how->shards;
	uname(&r->host);
	r->committed_ns = clock_now_ns();
	r->next = calloc(s->arms.n, sizeof *r->next);
	r->axis_value = calloc(s->plan.n_axes + 1, sizeof *r->axis_value);
	if (!r->next || !r->axis_value)
		return problem_no_memory(p);
	for (size_t i = 0; i < s->arms.n; i++)
		r->next[i].point = (uint64_t)study.shard;
	r->seed_axis = plan_axis_named(&s->plan, "workload.seed");
	*r->counts = (struct sweep_counts){
	    .all = sweep_rows(s, study.shard, study.shards)};
	r->counts->points = r->counts->all / (s->arms.n * (uint64_t)s->seeds);
	read_traces(r);
	return store_begin(r->store, &study, s->axis.item, s->axis.n, p) < 0 ||
		       damage_drop(r->store, &r->counts->dropped, p) < 0
		   ? -1
		   : 0;
}

static int hand_out(struct running *r, int *interrupted, struct problem *p)
{
	struct sweep *s = r->sweep;
	const struct sweep_how *how = r->how;
	r->task = (struct sweep_task){.plan = &s->plan,
				      .config = &s->config,
				      .traces = &r->traces,
				      .mode = s->study.mode,
				      .bounds = &s->bounds,
				      .rate = s->rate,
				      .precision = s->precision,
				      .warm_up = &s->warm_up,
				      .what = s->search,
				      .step_bytes = sweep_step_bytes(s)};
	const struct pool_options o = {
	    .n_groups = (unsigned)s->arms.n,
	    .at_once = how->at_once,
	    .in_process = how->in_process,
	    .answer_limit_s = how->answer_limit_s,
	    .memory_limit_gib = how->memory_limit_gib,
	    .shared_bytes = r->task.step_bytes,
	    .task_bytes = sizeof(struct sweep_question),
	    .result_bytes = sizeof(struct sweep_answer),
	    .work = sweep_work,
	    .on_exit = sweep_leave,
	    .next_task = next,
	    .on_done = over,
	    .on_tick = on_tick,
	    .user = r,
	};
	return pool_run(&o, interrupted, p);
}

int sweep_run(struct sweep *s, struct store *store, const struct sweep_how *how,
	      struct sweep_counts *counts, int *interrupted, struct problem *p)
{
	struct running r = {
	    .sweep = s, .store = store, .how = how, .counts = counts};
	*interrupted = 0;
	int rc = begin(&r, p);
	if (rc == 0)
		rc = hand_out(&r, interrupted, p);
	/* Results are kept even if the rest failed. */
	struct problem why;
	if (store_commit(store, &why) < 0 && rc == 0)
		rc = problem_set(p, why.code, "%s", why.text);
	traces_free(&r.traces);
	free(r.next), free(r.axis_value);
	return rc;
}

uint64_t sweep_rows(const struct sweep *s, int64_t shard, int64_t shards)
{
	uint64_t n = s->plan.n_points;
	if (shards)
		n = n / (uint64_t)shards +
		    (n % (uint64_t)shards > (uint64_t)shard);
	return n * s->arms.n * (uint64_t)s->seeds;
}
