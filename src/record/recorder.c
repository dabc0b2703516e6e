/* recorder.c -- Writes requests, steps and timeline while a simulation runs. */
#include "record/recorder.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/csv.h"
#include "base/text.h"
#include "base/number.h"
#include "cost/steps.h"
#include "record/steplog.h"
#include "cost/work.h"

const char *const recorder_ending[] = {"completed", "rejected", "unfinished",
				       "failed", "cancelled"};
static const char *const failure_name[N_FAILURES] = {"", "stream", "retries",
						     "no replica"};

/* ---- requests ---- */

void recorder_requests_head(FILE *f)
{
	fputs("arm,request,request_id,session,turn,slo_class,priority,replica,"
	      "status,input_tokens,output_tokens,generated_tokens,"
	      "cached_tokens,preemptions,arrival_ns,scheduled_ns,"
	      "first_token_ns,last_token_ns,ttft_ms,tpot_ms,e2el_ms,stays,"
	      "loaded_tokens,retries,failure\n",
	      f);
}

/* Both leave the cell empty if the value does not apply (-1). */
static void ns_cell(FILE *f, int64_t ns)
{
	fputc(',', f);
	if (ns >= 0)
		fprintf(f, "%" PRId64, ns);
}

static void scaled_cell(FILE *f, int64_t ns, double unit_ns)
{
	csv_next_number(f, ns < 0 ? (double)NAN : (double)ns / unit_ns);
}

/* Writes "0:100-900;2:950-1400". */
static void visits_cell(FILE *f, const struct request_event *e)
{
	fputc(',', f);
	for (uint32_t i = 0; i < e->n_visits && e->visit[i].to_ns >= 0; i++)
		fprintf(f, "%s%u:%" PRId64 "-%" PRId64, i ? ";" : "",
			e->visit[i].replica, e->visit[i].from_ns,
			e->visit[i].to_ns);
}

static void write_request(const struct recorder *r,
			  const struct request_event *e)
{
	const struct request *q = &e->request;
	FILE *f = r->requests;
	csv_text(f, r->arm);
	fprintf(f, ",%" PRIu64 ",", q->row);
	csv_text(f, q->name ? q->name : "");
	fprintf(f, ",%" PRIu64 ",%u,%u,%d,%u,%s,%u,%u,%u,%u,%u", q->session,
		q->turn, q->slo_class, q->priority, e->replica,
		recorder_ending[e->ending], q->input_tokens, q->output_tokens,
		e->generated_tokens, e->cached_tokens, e->preemptions);
	ns_cell(f, q->arrival_ns);
	ns_cell(f, e->scheduled_ns);
	ns_cell(f, e->first_token_ns);
	ns_cell(f, e->last_token_ns);
	scaled_cell(f, e->ttft_ns, 1e6);
	scaled_cell(f, e->tpot_ns, 1e6);
	scaled_cell(f, e->e2el_ns, 1e6);
	visits_cell(f, e);
	fprintf(f, ",%u,%u,%s\n", e->loaded_tokens, e->retries,
		failure_name[e->failure]);
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	const struct recorder *r = ctx;
	/* Only this thread writes it, so no atomic increment is necessary. */
	atomic_store_explicit(
	    &r->status->n_ended,
	    atomic_load_explicit(&r->status->n_ended, memory_order_relaxed) + 1,
	    memory_order_relaxed);
	if (r->requests)
		write_request(r, e);
	if (r->log_requests && e->ending == REQUEST_ENDED &&
	    !e->request.is_warm_up)
		steplog_write_request(r->log_requests, e);
	if (r->uncertainty.is_known && !e->request.is_warm_up &&
	    uncertainty_request(r->uncertainty.sum, e) < 0)
		return problem_no_memory(p);
	if (r->sessions && sessions_take(r->sessions, e, p) < 0)
		return -1;
	return r->timeline ? timeline_request(r->timeline, e, p) : 0;
}

/* ---- steps ---- */

void recorder_steps_head(FILE *f)
{
	fputs("step,arm,", f);
	breakdown_csv_head(f);
	fputs(",replica,schedule_ns,start_ns,end_ns,running,waiting,"
	      "kv_blocks,preempted,decode,prefill,sampled,rank,scheduled,"
	      "emitted,eager,cpu_chunks,encoded,encoder_cache,dp_tokens,"
	      "dp_max_tokens",
	      f);
	work_csv_head(f);
	fputc('\n', f);
}

/* Writes "row:context+new/drafts;…", or without "/drafts" if there are none. */
static void scheduled_cell(FILE *f, const struct step_event *e)
{
	for (uint32_t i = 0; i < e->n_scheduled; i++) {
		const struct scheduled *s = &e->scheduled[i];
		if (i)
			putc_unlocked(';', f);
		number_write(f, s->row);
		putc_unlocked(':', f);
		number_write(f, s->context);
		putc_unlocked('+', f);
		number_write(f, s->new_tokens);
		if (s->drafts)
			fprintf(f, "/%u", s->drafts);
	}
}

/* Writes the cells before the tokens of the step. */
static void cells_before(FILE *f, const struct recorder *r,
			 const struct step_event *e)
{
	fprintf(f, "%" PRIu64 ",", e->step->step_index);
	csv_text(f, r->arm);
	fputc(',', f);
	breakdown_csv_cells(f, e->result);
	fprintf(f,
		",%u,%" PRId64 ",%" PRId64 ",%" PRId64 ",%u,%u,%" PRIu64 ",%u,",
		e->step->replica, e->schedule_ns, e->start_ns, e->end_ns,
		e->running, e->waiting, e->blocks_used, e->preempted);
	steps_write_decode(f, e->step);
	fputc(',', f);
	steps_write_prefill(f, e->step);
	fprintf(f, ",%u,%u,", e->step->n_sampled, e->rank);
	scheduled_cell(f, e);
	fputc(',', f);
}

static void cells_behind(FILE *f, const struct recorder *r,
			 const struct step_event *e)
{
	struct work w;
	fprintf(f, ",%d,%" PRIu64 ",", !(e->step->flags & SC_STEP_GRAPH),
		e->cpu_chunks);
	for (uint32_t i = 0; i < e->n_encoded; i++)
		fprintf(f, "%s%" PRIu64 ":%" PRIu32, i ? ";" : "",
			e->encoded[i].row, e->encoded[i].item);
	fprintf(f, ",%" PRIu64, e->encoder_cache);
	if (e->step->dp_tokens)
		fprintf(f, ",%" PRIu32 ",%" PRIu32, e->step->dp_tokens,
			e->step->dp_max_tokens);
	else
		fputs(",,", f);
	work_of(&w, e->result, r->n_sigma[e->pool]);
	work_csv_cells(f, &w);
	fputc('\n', f);
}

/* Returns 0, or -1 if memory is out. */
static int hold_step(struct recorder *r, const struct step_event *e)
{
	char *before = NULL, *behind = NULL;
	size_t size;
	FILE *f = text_open(&before, &size);
	FILE *g = text_open(&behind, &size);
	if (f) {
		cells_before(f, r, e);
		fclose(f);
	}
	if (g) {
		cells_behind(g, r, e);
		fclose(g);
	}
	return held_steps_add(&r->held, e, before, behind);
}

static int write_step(struct recorder *r, const struct step_event *e,
		      struct problem *p)
{
	if (e->may_lose)
		return hold_step(r, e) < 0 ? problem_no_memory(p) : 0;
	cells_before(r->steps, r, e);
	held_steps_cell(r->steps, e->scheduled, e->n_scheduled);
	cells_behind(r->steps, r, e);
	return 0;
}

static int on_results(void *ctx, const struct results_event *e,
		      struct problem *p)
{
	struct recorder *r = ctx;
	(void)p;
	held_steps_write(&r->held, e, r->steps);
	return 0;
}

/* ---- copies between GPU and host ---- */

void recorder_transfers_head(FILE *f)
{
	fputs("arm,replica,kind,request,decided_ns,start_ns,end_ns,seen_ns,"
	      "blocks,chunks\n",
	      f);
}

static void write_transfer(const struct recorder *r,
			   const struct transfer_event *e)
{
	FILE *f = r->transfers;
	csv_text(f, r->arm);
	fprintf(f,
		",%u,%s,%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64
		",%" PRId64 ",%u,%u\n",
		e->replica, e->is_store ? "store" : "load", e->row,
		e->decided_ns, e->start_ns, e->end_ns, e->seen_ns, e->blocks,
		e->chunks);
}

static void on_transfer(void *ctx, const struct transfer_event *e)
{
	const struct recorder *r = ctx;
	if (r->transfers)
		write_transfer(r, e);
	if (r->timeline)
		timeline_transfer(r->timeline, e);
}

/* ---- the number of replicas ---- */

void recorder_scaling_head(FILE *f)
{
	fputs("arm,time_s,metric,replicas,desired\n", f);
}

void recorder_lifetimes_head(FILE *f)
{
	fputs("arm,replica,requested_s,ready_s,drain_s,gone_s,died\n", f);
}

static void thousandths(FILE *f, uint64_t n)
{
	char text[NUMBER_SIZE];
	number_format(text, (double)n / 1e3);
	fprintf(f, ",%s", text);
}

static void on_scaling(void *ctx, const struct scaling_event *e)
{
	const struct recorder *r = ctx;
	csv_text(r->scaling, r->arm);
	scaled_cell(r->scaling, e->at_ns, 1e9);
	thousandths(r->scaling, e->metric);
	fprintf(r->scaling, ",%" PRIu64 ",%" PRIu64 "\n", e->replicas,
		e->desired);
}

static void on_life(void *ctx, const struct replica_life *e)
{
	const struct recorder *r = ctx;
	FILE *f = r->lifetimes;
	csv_text(f, r->arm);
	fprintf(f, ",%" PRIu32, e->replica);
	scaled_cell(f, e->requested_ns, 1e9);
	scaled_cell(f, e->ready_ns, 1e9);
	scaled_cell(f, e->drain_ns, 1e9);
	scaled_cell(f, e->gone_ns, 1e9);
	fprintf(f, ",%d\n", e->has_died);
}

/* ---- both ---- */

static int check_floor(const struct recorder *r, const struct step_event *e,
		       struct problem *p)
{
	struct floor_finding found;
	char text[FLOOR_TEXT];
	if (!r->strict.floor ||
	    !floor_find_above(r->floor[e->pool], e->step, e->result, &found))
		return 0;
	r->status->failed_step = 1;
	return problem_set(p, EXIT_INPUT,
			   "%s: faster than the hardware: %s (--strict=floor)",
			   r->status->plugin, floor_text(text, &found));
}

/* Fails at what r->strict refuses; the job adds the step to the message. */
static int check_strict(const struct recorder *r, const struct step_event *e,
			struct problem *p)
{
	for (uint32_t c = SC_N_PROVENANCE; c-- > r->strict.lookups;)
		if (e->result->lookups[c]) {
			r->status->failed_step = 1;
			return problem_set(
			    p, EXIT_INPUT, "%s: %u %s lookup%s (--strict)",
			    r->status->plugin, e->result->lookups[c],
			    provenance_name[c],
			    e->result->lookups[c] > 1 ? "s" : "");
		}
	return check_floor(r, e, p);
}

static void log_step(struct recorder *r, const struct step_event *e)
{
	if (*r->log_cut)
		return;
	r->logged += steplog_write_step(r->log_steps, e, r->n_parts[e->pool]);
	*r->log_cut = r->logged > r->log_limit;
}

static void check_host_time(struct recorder *r, const struct step_event *e)
{
	if (!r->schedule_is_extra || !(e->result->host_us > 0) || !r->said)
		return;
	r->schedule_is_extra = 0;
	fputs("host time counts twice: schedule_us is added to steps that "
	      "already include host_us; set engine.schedule_us = 0\n",
	      r->said);
}

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	struct recorder *r = ctx;
	atomic_store_explicit(&r->status->clock_ns, e->end_ns,
			      memory_order_relaxed);
	breakdown_add(r->breakdown, 1, &e->result);
	check_host_time(r, e);
	if (uncertainty_is_asked(&r->uncertainty, e->pool, e->result) &&
	    uncertainty_add(&r->uncertainty, e->pool, e->step->replica,
			    e->start_ns, e->end_ns, e->result, p) < 0)
		return -1;
	if (r->steps && write_step(r, e, p) < 0)
		return -1;
	if (r->timeline)
		timeline_step(r->timeline, e);
	if (r->log_steps)
		log_step(r, e);
	return check_strict(r, e, p);
}

static int on_run(void *ctx, const struct decode_run *run, struct problem *p)
{
	struct recorder *r = ctx;
	atomic_store_explicit(&r->status->clock_ns, run->end_ns[run->n - 1],
			      memory_order_relaxed);
	breakdown_add(r->breakdown, run->n, run->result);
	return uncertainty_run_ends(&r->uncertainty, run, p);
}

/* Returns 1 if each step is needed, to write it or to refuse it. */
static int wants_each(const struct recorder *r)
{
	return r->steps || r->timeline || r->log_steps ||
	       r->schedule_is_extra || strict_is_on(&r->strict);
}

struct observer recorder_observe(struct recorder *r)
{
	return (struct observer){
	    .on_step = on_step,
	    .on_run = wants_each(r) ? NULL : on_run,
	    .on_request = on_request,
	    .on_transfer = r->transfers || r->timeline ? on_transfer : NULL,
	    .on_results = r->steps ? on_results : NULL,
	    .on_scaling = r->scaling ? on_scaling : NULL,
	    .on_life = r->lifetimes ? on_life : NULL,
	    .ctx = r,
	    .wants_scheduled = r->steps != NULL,
	};
}

void recorder_end(struct recorder *r)
{
	held_steps_end(&r->held, r->steps);
}
