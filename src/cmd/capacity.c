/* capacity.c -- the highest request rate that meets latency bounds, for
 * every arm and every way to serve that is to be tried, what it costs, and
 * whether the arms would decide alike. */
#include <config.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arm/run.h"
#include "base/csv.h"
#include "base/json_writer.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "study/capacity.h"
#include "workload/workload.h"

struct options {
	const char *slo;
	struct names try_;
	double rate, precision;
	int64_t jobs;
	int in_process;
	double answer_limit_s, memory_limit_gib;
};
static const struct options defaults = {
    .precision = 0.01, .answer_limit_s = 10, .memory_limit_gib = 4};

#define AT(field) offsetof(struct options, field)
static const struct option_def option[] = {
    {"slo", "METRIC=MS,...", OPTION_TEXT, AT(slo),
     "bounds to be met: {ttft,tpot,itl,e2el}_{mean,p50,p90,p95,p99}_ms", NULL,
     0, 0, 1},
    {"rate", "R", OPTION_NUMBER, AT(rate),
     "requests/s to be served: how many GPUs that takes", NULL, 0, 1e12, 0},
    {"try", "NAME:SECTION.KEY=VALUE,...", OPTION_LIST, AT(try_),
     "a way to serve, as what it sets (GPU, tensor_parallel_size, replicas, "
     "tables); repeatable",
     NULL, 0, 0, 0},
    {"precision", "X", OPTION_NUMBER, AT(precision),
     "relative, of the rate found", NULL, 1e-4, 1, 0},
    {"jobs", "N", OPTION_INT, AT(jobs),
     "searches at once; 0: as many as there are cores", NULL, 0, 4096, 0},
    {"answer-limit", "SECONDS", OPTION_NUMBER, AT(answer_limit_s),
     "a search ends when its plugin takes longer for one call; 0: no limit",
     NULL, 0, 1e6, 0},
    {"memory-limit", "GIB", OPTION_NUMBER, AT(memory_limit_gib),
     "address space of a search; 0: no limit", NULL, 0, 1e6, 0},
    {"in-process", NULL, OPTION_FLAG, AT(in_process),
     "no child processes: for debuggers; a crash ends it all", NULL, 0, 0, 0},
};

/* A way to serve: the configuration with a few keys set. */
struct way {
	const char *name;
	struct config config;
};

/* One search, as its job is told, and what it finds. */
struct task {
	const struct way *way;
	size_t arm;
	const struct bounds *bounds;
	double precision;
	size_t step_bytes;
};
struct found {
	struct capacity capacity;
	uint32_t gpus; /* of one deployment: all replicas                   */
	uint32_t reserved;
	double usd_per_hour; /* of one GPU; 0: unknown                       */
	_Alignas(64) unsigned char step_memory[];
};

struct bench {
	const struct cmdline *line;
	const struct options *o;
	struct bounds bounds;
	struct way *way;
	size_t n_ways, n_arms, n_tasks;
	struct task *task; /* [n_ways][n_arms]                               */
	struct job *job;
};

/* ---- one search, in its job ---- */

static int search(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct task *t = ctx;
	struct found *f = j->shared;
	struct cost *cost[2];
	const struct capacity_task c = {
	    .engine = &a->engine,
	    .cost = cost,
	    .workload = &t->way->config.workload_keys,
	    .cfg = &t->way->config.cfg,
	    .bounds = t->bounds,
	    .precision = t->precision,
	    .step_memory = f->step_memory,
	};
	arm_run_costs(a, cost);
	f->gpus = a->engine.tp * a->engine.replicas;
	f->usd_per_hour = a->hardware.view.usd_per_hour;
	return capacity_search(&c, &f->capacity, p);
}

static int job(struct job *j, struct problem *p)
{
	const struct task *t = j->user;
	return arm_run(j, &t->way->config, t->arm, NULL, search, j->user, p);
}

/* ---- what is to be tried ---- */

/* "name:section.key=value,section.key=value" as --set assignments behind those
 * of the command line.  An arm's section has a colon too: the name ends at the
 * first. */
static int way_load(struct way *w, const struct cmdline *c, char *text,
		    struct problem *p)
{
	size_t n = c->set.n;
	const char **set = calloc(n + strlen(text) + 1, sizeof *set);
	char *item, *rest = strchr(text, ':');
	if (!set)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < n; i++)
		set[i] = c->set.item[i];
	if (rest)
		*rest++ = '\0';
	while ((item = strsep(&rest, ",")))
		set[n++] = item;
	w->name = text;
	int rc = config_load(&w->config, c->arg[0], set, n, c->arms, p);
	if (rc == 0 && w->config.workload_keys.concurrency)
		rc = problem_set(p, EXIT_USAGE,
				 "%s: a closed loop (concurrency) has no rate "
				 "to look for",
				 c->arg[0]);
	free(set);
	return rc;
}

static int load_ways(struct bench *b, struct problem *p)
{
	size_t n = b->o->try_.n;
	b->way = calloc(n + 1, sizeof *b->way);
	if (!b->way)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < (n ? n : 1); i++) {
		char *text = strdup(n ? b->o->try_.item[i] : "as configured");
		if (!text)
			return problem_set(p, EXIT_USAGE, "out of memory");
		b->n_ways++;
		b->way[i].name = text;
		if (way_load(&b->way[i], b->line, text, p) < 0)
			return -1;
	}
	b->n_arms = b->way[0].config.n_arms;
	return 0;
}

static int make_jobs(struct bench *b, struct problem *p)
{
	b->n_tasks = b->n_ways * b->n_arms;
	b->task = calloc(b->n_tasks, sizeof *b->task);
	b->job = calloc(b->n_tasks, sizeof *b->job);
	if (!b->task || !b->job)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < b->n_tasks; i++) {
		const struct way *w = &b->way[i / b->n_arms];
		size_t arm = i % b->n_arms;
		b->task[i] = (struct task){w, arm, &b->bounds, b->o->precision,
					   arm_run_step_bytes(&w->config)};
		b->job[i] = (struct job){.name = w->config.arm[arm].name,
					 .user = &b->task[i]};
	}
	return 0;
}

static int run_jobs(struct bench *b, struct jobs *a, struct problem *p)
{
	size_t most = 0;
	for (size_t i = 0; i < b->n_tasks; i++)
		if (b->task[i].step_bytes > most)
			most = b->task[i].step_bytes;
	const struct jobs_options o = {
	    .at_once = (unsigned)b->o->jobs,
	    .in_process = b->o->in_process,
	    .answer_limit_s = b->o->answer_limit_s,
	    .memory_limit_gib = b->o->memory_limit_gib,
	    .shared_bytes = sizeof(struct found) + most};
	return jobs_run(a, b->job, b->n_tasks, job, &o, p);
}

/* ---- what follows from it ---- */

static const struct found *found_by(const struct bench *b, size_t way,
				    size_t arm)
{
	const struct job *j = &b->job[way * b->n_arms + arm];
	return j->complaint ? NULL : j->shared;
}

/* Deployments that the asked-for rate takes; without one: one. */
static double deployments(const struct bench *b, const struct found *f)
{
	if (f->capacity.verdict == CAPACITY_NONE)
		return INFINITY;
	return b->o->rate > 0 ? ceil(b->o->rate / f->capacity.request_rate) : 1;
}

static double gpus_needed(const struct bench *b, const struct found *f)
{
	return deployments(b, f) * f->gpus;
}

static double usd_per_hour(const struct bench *b, const struct found *f)
{
	return f->usd_per_hour > 0 ? gpus_needed(b, f) * f->usd_per_hour : NAN;
}

/* Of a deployment at its capacity, per million output tokens. */
static double usd_per_mtok(const struct found *f)
{
	double per_hour = f->capacity.output_throughput * 3600;
	return f->usd_per_hour > 0 && f->capacity.verdict != CAPACITY_NONE
		   ? f->usd_per_hour * f->gpus / per_hour * 1e6
		   : NAN;
}

/* What a way is judged by: money if every way has a price, else GPUs; for the
 * asked-for rate, else per token or per request. */
static double expense(const struct bench *b, const struct found *f, int priced)
{
	if (f->capacity.verdict == CAPACITY_NONE)
		return INFINITY;
	if (b->o->rate > 0)
		return priced ? usd_per_hour(b, f) : gpus_needed(b, f);
	return priced ? usd_per_mtok(f) : f->gpus / f->capacity.request_rate;
}

static int all_priced(const struct bench *b)
{
	int priced = 1;
	for (size_t i = 0; i < b->n_tasks; i++) {
		const struct found *f =
		    found_by(b, i / b->n_arms, i % b->n_arms);
		priced &= !f || f->usd_per_hour > 0;
	}
	return priced;
}

/* The way that an arm would choose; n_ways: none meets the bounds. */
static size_t decision(const struct bench *b, size_t arm)
{
	size_t best = b->n_ways;
	double least = INFINITY;
	int priced = all_priced(b);
	for (size_t w = 0; w < b->n_ways; w++) {
		const struct found *f = found_by(b, w, arm);
		double x = f ? expense(b, f, priced) : INFINITY;
		if (x < least) {
			least = x;
			best = w;
		}
	}
	return best;
}

static int failed(const struct bench *b, size_t arm)
{
	for (size_t w = 0; w < b->n_ways; w++)
		if (!found_by(b, w, arm))
			return 1;
	return 0;
}

/* 1: two arms that could be judged choose differently. */
static int decision_changes(const struct bench *b)
{
	size_t first = SIZE_MAX;
	for (size_t arm = 0; arm < b->n_arms; arm++) {
		if (failed(b, arm))
			continue;
		if (first == SIZE_MAX)
			first = decision(b, arm);
		else if (decision(b, arm) != first)
			return 1;
	}
	return 0;
}

static const char *way_name(const struct bench *b, size_t way)
{
	return way < b->n_ways ? b->way[way].name : "none";
}

/* ---- output ---- */

static const char *broken_by(const struct bench *b, const struct capacity *c)
{
	return c->verdict == CAPACITY_OPEN ? ""
	       : c->broken_bound < 0
		   ? "saturation"
		   : b->bounds.bound[c->broken_bound].metric->name;
}

static void text_row(FILE *f, const struct bench *b, size_t way, size_t arm)
{
	const struct found *x = found_by(b, way, arm);
	fprintf(f, "%-20s %-20s", b->way[way].name,
		b->way[way].config.arm[arm].name);
	if (!x) {
		fputs(" failed\n", f);
		return;
	}
	const struct capacity *c = &x->capacity;
	if (c->verdict == CAPACITY_NONE) {
		fprintf(f, " none: %s even at %.3g requests/s\n",
			broken_by(b, c), c->request_rate);
		return;
	}
	fprintf(f, " %s%10.4g %9.0f %5.0f",
		c->verdict == CAPACITY_OPEN ? ">=" : "  ", c->request_rate,
		c->output_throughput, gpus_needed(b, x));
	for (int i = 0; i < 2; i++) {
		double usd = i ? usd_per_mtok(x) : usd_per_hour(b, x);
		if (isnan(usd))
			fprintf(f, " %9s", "-");
		else
			fprintf(f, " %9.4g", usd);
	}
	for (size_t i = 0; i < b->bounds.n; i++)
		fprintf(f, " %15.4g", c->value[i]);
	fprintf(f, "  %s\n", broken_by(b, c));
}

static void text_decision(FILE *f, const struct bench *b)
{
	fprintf(f, "\nJudged by %s%s.\n",
		all_priced(b) ? "USD"
			      : "GPUs, as not every GPU has a price "
				"(hardware.usd_per_hour)",
		b->o->rate > 0  ? " for the asked-for rate"
		: all_priced(b) ? " per output token"
				: " per request/s");
	for (size_t arm = 0; arm < b->n_arms; arm++)
		if (!failed(b, arm))
			fprintf(f, "%s would choose: %s\n",
				b->way[0].config.arm[arm].name,
				way_name(b, decision(b, arm)));
	if (b->n_arms > 1)
		fputs(decision_changes(b)
			  ? "The decision depends on the cost model.\n"
			  : "All arms decide alike.\n",
		      f);
}

static void write_text(FILE *f, const struct bench *b)
{
	fprintf(f, "%-20s %-20s   %10s %9s %5s %9s %9s", "serving", "arm",
		"requests/s", "tokens/s", "GPUs", "USD/h", "USD/Mtok");
	for (size_t i = 0; i < b->bounds.n; i++)
		fprintf(f, " %15s", b->bounds.bound[i].metric->name);
	fputs("  broken first\n", f);
	for (size_t way = 0; way < b->n_ways; way++)
		for (size_t arm = 0; arm < b->n_arms; arm++)
			text_row(f, b, way, arm);
	if (b->n_ways > 1)
		text_decision(f, b);
}

/* CSV and JSON have the same figures under the same names. */
struct figure_of {
	const char *name;
	double (*get)(const struct bench *b, const struct found *f);
};

static double get_rate(const struct bench *b, const struct found *f)
{
	(void)b;
	return f->capacity.request_rate;
}
static double get_scale(const struct bench *b, const struct found *f)
{
	(void)b;
	return f->capacity.scale;
}
static double get_throughput(const struct bench *b, const struct found *f)
{
	(void)b;
	return f->capacity.output_throughput;
}
static double get_gpus(const struct bench *b, const struct found *f)
{
	(void)b;
	return f->gpus;
}
static double get_usd_per_mtok(const struct bench *b, const struct found *f)
{
	(void)b;
	return usd_per_mtok(f);
}
static double get_broken_scale(const struct bench *b, const struct found *f)
{
	(void)b;
	return f->capacity.broken_scale;
}
static double get_broken_value(const struct bench *b, const struct found *f)
{
	(void)b;
	return f->capacity.broken_value;
}
static double get_n(const struct bench *b, const struct found *f)
{
	(void)b;
	return f->capacity.n_tried;
}

static const struct figure_of figure[] = {
    {"request_rate", get_rate},
    {"rate_scale", get_scale},
    {"output_throughput", get_throughput},
    {"gpus_per_deployment", get_gpus},
    {"deployments", deployments},
    {"gpus", gpus_needed},
    {"usd_per_hour", usd_per_hour},
    {"usd_per_million_output_tokens", get_usd_per_mtok},
    {"broken_rate_scale", get_broken_scale},
    {"broken_value", get_broken_value},
    {"simulations", get_n},
};
enum { N_FIGURES = sizeof figure / sizeof *figure };

/* Neither CSV nor JSON has an infinity: what cannot be is left out. */
static double or_nothing(double v)
{
	return isfinite(v) ? v : NAN;
}

static void csv_row(FILE *f, const struct bench *b, const struct found *x)
{
	fprintf(f, ",%s", capacity_verdict_name[x->capacity.verdict]);
	for (int k = 0; k < N_FIGURES; k++) {
		fputc(',', f);
		csv_number(f, or_nothing(figure[k].get(b, x)));
	}
	fprintf(f, ",%s", broken_by(b, &x->capacity));
	for (size_t k = 0; k < b->bounds.n; k++) {
		fputc(',', f);
		csv_number(f, x->capacity.value[k]);
	}
	fputs(",\n", f);
}

static void write_csv(FILE *f, const struct bench *b)
{
	fputs("serving,arm,verdict", f);
	for (int k = 0; k < N_FIGURES; k++)
		fprintf(f, ",%s", figure[k].name);
	fputs(",broken_by", f);
	for (size_t i = 0; i < b->bounds.n; i++)
		fprintf(f, ",%s", b->bounds.bound[i].metric->name);
	fputs(",error\n", f);
	for (size_t i = 0; i < b->n_tasks; i++) {
		const struct found *x =
		    found_by(b, i / b->n_arms, i % b->n_arms);
		csv_text(f, b->task[i].way->name);
		fprintf(f, ",%s", b->job[i].name);
		if (x) {
			csv_row(f, b, x);
			continue;
		}
		for (size_t k = 0; k < N_FIGURES + b->bounds.n + 3; k++)
			fputc(',', f);
		csv_text(f, b->job[i].complaint);
		fputc('\n', f);
	}
}

static void json_search(struct jw *j, const struct bench *b, size_t way,
			size_t arm)
{
	const struct found *x = found_by(b, way, arm);
	jw_object(j, NULL);
	jw_text(j, "serving", b->way[way].name);
	jw_text(j, "arm", b->way[way].config.arm[arm].name);
	if (!x) {
		jw_text(j, "error", b->job[way * b->n_arms + arm].complaint);
		jw_end(j);
		return;
	}
	jw_text(j, "verdict", capacity_verdict_name[x->capacity.verdict]);
	for (int k = 0; k < N_FIGURES; k++)
		jw_number(j, figure[k].name, figure[k].get(b, x));
	jw_text(j, "broken_by", broken_by(b, &x->capacity));
	for (size_t k = 0; k < b->bounds.n; k++)
		jw_number(j, b->bounds.bound[k].metric->name,
			  x->capacity.value[k]);
	jw_end(j);
}

static void write_json(FILE *f, const struct bench *b)
{
	struct jw j;
	jw_start(&j, f);
	jw_object(&j, NULL);
	jw_int(&j, "schema", 1);
	jw_text(&j, "stepcost", PACKAGE_VERSION);
	jw_text(&j, "command", "capacity");
	jw_flat_object(&j, "slo");
	for (size_t i = 0; i < b->bounds.n; i++)
		jw_number(&j, b->bounds.bound[i].metric->name,
			  b->bounds.bound[i].limit);
	jw_end(&j);
	if (b->o->rate > 0)
		jw_number(&j, "rate", b->o->rate);
	jw_array(&j, "searches");
	for (size_t i = 0; i < b->n_tasks; i++)
		json_search(&j, b, i / b->n_arms, i % b->n_arms);
	jw_end(&j);
	jw_object(&j, "decisions");
	for (size_t arm = 0; arm < b->n_arms; arm++)
		jw_text(&j, b->way[0].config.arm[arm].name,
			failed(b, arm) ? NULL : way_name(b, decision(b, arm)));
	jw_end(&j);
	jw_bool(&j, "decision_changes", decision_changes(b));
	jw_end(&j);
	jw_finish(&j);
}

/* ---- the command ---- */

static int complain_of_jobs(const struct bench *b)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < b->n_tasks; i++) {
		const struct job *j = &b->job[i];
		if (!j->complaint)
			continue;
		fprintf(stderr, "stepcost: %s: %s\n", b->task[i].way->name,
			j->complaint);
		code = j->problem->code > code ? j->problem->code : code;
	}
	return code;
}

static int search_all(struct bench *b, int *code, struct problem *p)
{
	struct outfile out = {0};
	struct jobs arms = {0};
	int rc = outfile_open(&out, b->line->output, p);
	if (rc == 0)
		rc = make_jobs(b, p);
	if (rc == 0)
		rc = run_jobs(b, &arms, p);
	if (rc == 0) {
		*code = complain_of_jobs(b);
		if (b->line->format == FORMAT_JSON)
			write_json(out.f, b);
		else if (b->line->format == FORMAT_CSV)
			write_csv(out.f, b);
		else
			write_text(out.f, b);
		rc = outfile_commit(&out, p);
	}
	outfile_discard(&out);
	jobs_free(&arms);
	return rc;
}

static int run(const struct cmdline *line)
{
	struct bench b = {.line = line, .o = line->own};
	struct problem p = {0};
	int code = EXIT_DONE;
	int rc = bounds_parse(&b.bounds, b.o->slo, &p);
	if (rc == 0)
		rc = load_ways(&b, &p);
	if (rc == 0)
		rc = search_all(&b, &code, &p);
	for (size_t i = 0; i < b.n_ways; i++) {
		config_free(&b.way[i].config);
		free((char *)(uintptr_t)b.way[i].name);
	}
	free(b.way), free(b.task), free(b.job);
	return rc < 0 ? complain(&p) : code;
}

const struct command command_capacity = {
    .name = "capacity",
    .args = "CONFIG",
    .summary = "the highest request rate that meets latency bounds, per arm",
    .min_args = 1,
    .max_args = 1,
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .defaults = &defaults,
    .own_size = sizeof(struct options),
    .run = run,
};
