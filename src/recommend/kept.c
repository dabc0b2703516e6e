/* kept.c -- Keeps the answers of workers in a store. */
#include <config.h>
#include "recommend/kept.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "store/rows.h"

enum { COMMIT_MS = 100, MS = 1000000 };

/* ---- an answer as numbers ---- */

enum kind { DOUBLE, INT, U32, U64 };
struct field {
	enum kind kind;
	size_t at;
};
#define FIELD(kind, field)                                                     \
	{                                                                      \
		kind, offsetof(struct work_answer, field)                      \
	}
/* In the order of the columns of STORE_RACE; the bounds follow. */
static const struct field field[] = {
    FIELD(INT, race.met),
    FIELD(INT, race.is_too_short),
    FIELD(INT, race.limited_by),
    FIELD(DOUBLE, race.scale),
    FIELD(U64, race.simulations),
    FIELD(U64, race.requests),
    FIELD(DOUBLE, served.request_rate),
    FIELD(DOUBLE, served.output_throughput),
    FIELD(DOUBLE, served.mean_tpot_ms),
    FIELD(DOUBLE, served.joules_per_token),
    FIELD(DOUBLE, miss),
    FIELD(INT, found.verdict),
    FIELD(INT, found.stopped_by),
    FIELD(INT, found.basis),
    FIELD(INT, found.limited_by),
    FIELD(DOUBLE, found.request_rate),
    FIELD(DOUBLE, found.low),
    FIELD(DOUBLE, found.high),
    FIELD(DOUBLE, found.scale),
    FIELD(U64, found.clients),
    FIELD(U64, found.clients_low),
    FIELD(U64, found.clients_high),
    FIELD(DOUBLE, found.confidence),
    FIELD(DOUBLE, found.slope),
    FIELD(DOUBLE, found.saturation_rate),
    FIELD(U32, found.replications),
    FIELD(U32, found.is_flat),
    FIELD(U64, found.requests_per_replication),
    FIELD(U64, found.simulations),
    FIELD(U64, found.requests_simulated),
    FIELD(DOUBLE, found.output_throughput),
    FIELD(U64, found.requests),
    FIELD(U64, found.completed),
    FIELD(U64, found.rejected),
    FIELD(DOUBLE, found.load.computed_share),
    FIELD(DOUBLE, found.load.input_tokens),
    FIELD(DOUBLE, found.load.output_tokens),
    FIELD(DOUBLE, found.load.running),
    FIELD(DOUBLE, found.load.most),
    FIELD(U64, found.load.clients),
    FIELD(INT, found.load.is_stable),
};
enum { N_FIELDS = sizeof field / sizeof *field };
_Static_assert(sizeof(enum capacity_verdict) == sizeof(int) &&
		   sizeof(enum capacity_stop) == sizeof(int) &&
		   sizeof(enum capacity_basis) == sizeof(int),
	       "a word of an answer is an int");

/* A cell is finite or empty: without a limit is the largest number. */
static double to_cell(double v)
{
	return isinf(v) ? copysign(DBL_MAX, v) : v;
}

static double of_cell(double v)
{
	return fabs(v) >= DBL_MAX ? copysign((double)INFINITY, v) : v;
}

void kept_write(const struct work_answer *a, double number[STORE_NUMBERS])
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		const char *at = (const char *)a + field[i].at;
		switch (field[i].kind) {
		case DOUBLE:
			number[i] = to_cell(*(const double *)(const void *)at);
			break;
		case INT:
			number[i] = *(const int *)(const void *)at;
			break;
		case U32:
			number[i] = *(const uint32_t *)(const void *)at;
			break;
		case U64:
			number[i] = (double)*(const uint64_t *)(const void *)at;
			break;
		}
	}
	for (size_t i = 0; i < CAPACITY_BOUNDS; i++)
		number[N_FIELDS + i] = to_cell(a->found.value[i]);
}

void kept_read(struct work_answer *a, const double number[STORE_NUMBERS])
{
	*a = (struct work_answer){0};
	for (size_t i = 0; i < N_FIELDS; i++) {
		char *at = (char *)a + field[i].at;
		switch (field[i].kind) {
		case DOUBLE:
			*(double *)(void *)at = of_cell(number[i]);
			break;
		case INT:
			*(int *)(void *)at = (int)number[i];
			break;
		case U32:
			*(uint32_t *)(void *)at = (uint32_t)number[i];
			break;
		case U64:
			*(uint64_t *)(void *)at = (uint64_t)number[i];
			break;
		}
	}
	for (size_t i = 0; i < CAPACITY_BOUNDS; i++)
		a->found.value[i] = of_cell(number[N_FIELDS + i]);
}

/* ---- a question as a point ---- */

enum { QUESTION, SCALE, REQUESTS, N_ASKED };
static const char *const asked_axis[N_ASKED] = {
    "recommend.question", "recommend.scale", "recommend.requests"};

struct asked {
	char name[POINT_NAME];
	char text[N_ASKED][32];
};

static const char *word_of(const struct work_question *q)
{
	static const char *const of_race[] = {[RACE_FIRST] = "first",
					      [RACE_AT] = "at",
					      [RACE_CLIMB] = "climb",
					      [RACE_MEASURE] = "measure"};
	return q->ask == WORK_RACE     ? of_race[q->race.ask]
	       : q->ask == WORK_SEARCH ? "search"
	       : q->ask == WORK_MISS   ? "miss"
				       : "survey";
}

static void describe(struct asked *a, const struct kept *k,
		     const struct work_question *q)
{
	char text[160], hex[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX c;
	plan_point_name(&k->sweep->plan, (size_t)q->point, a->name);
	snprintf(a->text[QUESTION], sizeof *a->text, "%s", word_of(q));
	snprintf(a->text[SCALE], sizeof *a->text, "%.17g", q->race.scale);
	snprintf(a->text[REQUESTS], sizeof *a->text, "%" PRIu64,
		 q->race.requests);
	int n = snprintf(text, sizeof text, "%s %s %s %s", a->name,
			 a->text[QUESTION], a->text[SCALE], a->text[REQUESTS]);
	SHA256Init(&c);
	SHA256Update(&c, (const uint8_t *)text, (size_t)n);
	SHA256End(&c, hex);
	snprintf(a->name, sizeof a->name, "%.16s", hex);
}

/* ---- rows ---- */

int kept_asks(const struct work_question *q)
{
	return q->ask != WORK_SURVEY && q->ask != WORK_FAR;
}

int kept_look_up(struct kept *k, unsigned arm, struct work_question *q,
		 struct problem *p)
{
	struct asked a;
	struct store_found found;
	double number[STORE_NUMBERS];
	char warning[STORE_WARNING];
	if (!k->store || !kept_asks(q))
		return 0;
	describe(&a, k, q);
	int rc = store_read(k->store, a.name, k->sweep->arms.item[arm],
			    k->sweep->config.workload_keys.seed, &found, number,
			    warning, p);
	if (rc == 1) {
		kept_read(&q->known, number);
		memcpy(q->known.warning, warning, sizeof warning);
		memcpy(q->known.key, found.key, sizeof found.key);
	}
	return rc < 0 ? -1 : 0;
}

/* NULL: nothing broke. */
static const char *limit_of(const struct kept *k, const struct work_question *q,
			    const struct work_answer *a)
{
	const struct capacity c = {.limited_by = a->race.limited_by};
	const struct bounds *b = &k->sweep->bounds;
	return q->ask != WORK_RACE ? capacity_limited_by(&a->found, b)
	       : a->race.met       ? NULL
				   : capacity_limited_by(&c, b);
}

/* A store that is continued keeps the order of its first plan. */
static void list_values(struct kept *k, const struct work_question *q,
			const struct asked *a)
{
	const struct plan *l = &k->sweep->plan;
	const struct names *axes = store_axes(k->store);
	for (size_t i = 0; i < axes->n; i++) {
		long at = plan_axis_named(l, axes->item[i]);
		k->axis_value[i] =
		    at < 0 ? "" : plan_value(l, (size_t)q->point, (size_t)at);
		for (int n = 0; n < N_ASKED; n++)
			if (!strcmp(axes->item[i], asked_axis[n]))
				k->axis_value[i] = a->text[n];
	}
}

int kept_add(struct kept *k, unsigned arm, const struct work_question *q,
	     const struct work_answer *x, struct problem *p)
{
	struct asked a;
	double number[STORE_NUMBERS];
	const char *text[STORE_TEXTS] = {NULL};
	if (!k->store || !kept_asks(q))
		return 0;
	if (x->is_known) {
		k->n_found++;
		return 0;
	}
	describe(&a, k, q);
	list_values(k, q, &a);
	kept_write(x, number);
	text[0] = limit_of(k, q, x);
	const struct store_row row = {
	    .point = a.name,
	    .axis = k->axis_value,
	    .arm = k->sweep->arms.item[arm],
	    .seed = k->sweep->config.workload_keys.seed,
	    .key = x->key,
	    .status = STATUS_OK,
	    .warning = *x->warning ? x->warning : NULL,
	    .number = number,
	    .text = text,
	    .at_s = (int64_t)time(NULL),
	    .seconds = x->seconds,
	    .cpu_seconds = x->seconds,
	    .host = k->host.nodename,
	    .process = getpid(),
	};
	k->n_added++;
	return store_add(k->store, &row, p);
}

int kept_moment(struct kept *k, struct problem *p)
{
	int64_t now = clock_now_ns();
	if (!k->store || now - k->committed_ns < (int64_t)COMMIT_MS * MS)
		return 0;
	k->committed_ns = now;
	return store_commit(k->store, p);
}

/* ---- the store ---- */

int kept_study(const struct sweep *s, struct store_study *study,
	       struct names *axis, struct problem *p)
{
	int rc = 0;
	*study = s->study;
	study->mode = STORE_RACE;
	study->points = 0; /* only the race tells */
	for (size_t i = 0; rc == 0 && i < s->axis.n; i++)
		rc = names_add(axis, s->axis.item[i]);
	for (int i = 0; rc == 0 && i < N_ASKED; i++)
		rc = names_add(axis, asked_axis[i]);
	return rc < 0 ? problem_no_memory(p) : 0;
}

/* points: of a shard. */
static int write_study(struct kept *k, int64_t points, struct problem *p)
{
	struct store_study study;
	struct names axis = {0};
	int rc = kept_study(k->sweep, &study, &axis, p);
	free(k->axis_value);
	k->axis_value = calloc(axis.n + 1, sizeof *k->axis_value);
	if (k->shards) {
		study.points = points;
		study.shard = k->shard;
		study.shards = k->shards;
	}
	if (rc == 0)
		rc = k->axis_value
			 ? store_begin(k->store, &study, axis.item, axis.n, p)
			 : problem_no_memory(p);
	names_free(&axis);
	return rc;
}

static int begin(struct kept *k, struct problem *p)
{
	return write_study(k, KEPT_RACING, p) < 0
		   ? -1
		   : damage_drop(k->store, &k->dropped, p);
}

int kept_finish(struct kept *k, struct problem *p)
{
	return k->store && k->shards
		   ? write_study(k, (int64_t)(k->n_found + k->n_added), p)
		   : 0;
}

int kept_open(struct kept *k, const char *path, const struct sweep *s,
	      int64_t shard, int64_t shards, struct problem *p)
{
	*k = (struct kept){.sweep = s,
			   .committed_ns = clock_now_ns(),
			   .shard = shard,
			   .shards = shards};
	uname(&k->host);
	/* A shard's store may be on a file system that hosts share. */
	k->store =
	    store_open(path, shards ? STORE_WRITE_ALONE : STORE_WRITE, p);
	return k->store ? begin(k, p) : -1;
}

int kept_close(struct kept *k, struct problem *p)
{
	int rc = k->store ? store_close(k->store, p) : 0;
	free(k->axis_value);
	*k = (struct kept){0};
	return rc;
}
