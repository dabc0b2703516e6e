/* recorder.c -- Writes requests, steps and timeline as a simulation goes. */
#include <config.h>
#include "record/recorder.h"
#include <inttypes.h>
#include <string.h>
#include "base/number.h"
#include "cost/steps.h"
#include "record/steplog.h"

static const char *const ending_name[] = {"completed", "rejected",
					  "unfinished"};

/* ---- requests ---- */

void recorder_requests_head(FILE *f)
{
	fputs("arm,request,request_id,session,turn,slo_class,priority,replica,"
	      "status,input_tokens,output_tokens,generated_tokens,"
	      "cached_tokens,preemptions,arrival_ns,scheduled_ns,"
	      "first_token_ns,last_token_ns,ttft_ms,tpot_ms,e2el_ms,stays\n",
	      f);
}

static void text_cell(FILE *f, const char *s)
{
	if (!s[strcspn(s, ",\"\r\n")]) {
		fputs(s, f);
		return;
	}
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

/* Both leave the cell empty where it does not apply (-1). */
static void ns_cell(FILE *f, int64_t ns)
{
	fputc(',', f);
	if (ns >= 0)
		fprintf(f, "%" PRId64, ns);
}

static void ms_cell(FILE *f, int64_t ns)
{
	char text[NUMBER_SIZE];
	fputc(',', f);
	if (ns < 0)
		return;
	number_format(text, (double)ns / 1e6);
	fputs(text, f);
}

/* "0:100-900;2:950-1400" */
static void stays_cell(FILE *f, const struct request_event *e)
{
	fputc(',', f);
	for (uint32_t i = 0; i < e->n_stays && e->stay[i].to_ns >= 0; i++)
		fprintf(f, "%s%u:%" PRId64 "-%" PRId64, i ? ";" : "",
			e->stay[i].replica, e->stay[i].from_ns,
			e->stay[i].to_ns);
}

static void write_request(const struct recorder *r,
			  const struct request_event *e)
{
	const struct request *q = &e->request;
	FILE *f = r->requests;
	fprintf(f, "%s,%" PRIu64 ",", r->arm, q->row);
	text_cell(f, q->name ? q->name : "");
	fprintf(f, ",%" PRIu64 ",%u,%u,%d,%u,%s,%u,%u,%u,%u,%u", q->session,
		q->turn, q->slo_class, q->priority, e->replica,
		ending_name[e->ending], q->input_tokens, q->output_tokens,
		e->generated_tokens, e->cached_tokens, e->preemptions);
	ns_cell(f, q->arrival_ns);
	ns_cell(f, e->scheduled_ns);
	ns_cell(f, e->first_token_ns);
	ns_cell(f, e->last_token_ns);
	ms_cell(f, e->ttft_ns);
	ms_cell(f, e->tpot_ns);
	ms_cell(f, e->e2el_ns);
	stays_cell(f, e);
	fputc('\n', f);
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	const struct recorder *r = ctx;
	(void)p;
	atomic_fetch_add_explicit(&r->status->n_ended, 1, memory_order_relaxed);
	if (r->requests)
		write_request(r, e);
	if (r->log_requests && e->ending == REQUEST_ENDED)
		steplog_write_request(r->log_requests, e);
	return 0;
}

/* ---- steps ---- */

void recorder_steps_head(FILE *f)
{
	fputs("step,arm,", f);
	breakdown_csv_head(f);
	fputs(",replica,schedule_ns,start_ns,end_ns,running,waiting,"
	      "kv_blocks,preempted,decode,prefill,sampled\n",
	      f);
}

static void write_step(const struct recorder *r, const struct step_event *e)
{
	FILE *f = r->steps;
	fprintf(f, "%" PRIu64 ",%s,", e->step->step_index, r->arm);
	breakdown_csv_cells(f, e->result);
	fprintf(f,
		",%u,%" PRId64 ",%" PRId64 ",%" PRId64 ",%u,%u,%" PRIu64 ",%u,",
		e->step->replica, e->schedule_ns, e->start_ns, e->end_ns,
		e->running, e->waiting, e->blocks_used, e->preempted);
	steps_write_decode(f, e->step);
	fputc(',', f);
	steps_write_prefill(f, e->step);
	fprintf(f, ",%u\n", e->step->n_sampled);
}

/* ---- timeline ---- */

/* us with three decimals, which is exact. */
static void event_time(FILE *f, const char *key, int64_t ns)
{
	fprintf(f, ",\"%s\":%" PRId64 ".%03" PRId64, key, ns / 1000, ns % 1000);
}

static void counter(const struct recorder *r, const struct step_event *e,
		    const char *name, uint64_t value)
{
	FILE *f = r->timeline;
	fprintf(f, ",\n{\"ph\":\"C\",\"pid\":%u,\"name\":\"%s %u\"",
		r->arm_index + 1, name, e->step->replica);
	event_time(f, "ts", e->start_ns);
	fprintf(f, ",\"args\":{\"%s\":%" PRIu64 "}}", name, value);
}

static void write_events(const struct recorder *r, const struct step_event *e)
{
	FILE *f = r->timeline;
	const sc_step *s = e->step;
	fprintf(f, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\"",
		r->arm_index + 1, s->replica + 1,
		s->n_prefill == 0  ? "decode"
		: s->n_decode == 0 ? "prefill"
				   : "mixed");
	event_time(f, "ts", e->start_ns);
	event_time(f, "dur", e->end_ns - e->start_ns);
	fprintf(f,
		",\"args\":{\"step\":%" PRIu64 ",\"decode\":%u,\"prefill\":%u,"
		"\"tokens\":%u}}",
		s->step_index, s->n_decode, s->n_prefill, e->tokens);
	counter(r, e, "batch", e->running);
	counter(r, e, "kv_blocks", e->blocks_used);
	counter(r, e, "queue", e->waiting);
}

static void metadata(FILE *f, const char *kind, uint32_t pid, uint32_t tid,
		     const char *name, const char *comma)
{
	/* Names of arms are [a-z0-9_-]+: nothing to escape. */
	fprintf(f,
		"%s\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,"
		"\"args\":{\"name\":\"%s\"}}",
		comma, kind, pid, tid, name);
}

void recorder_timeline_begin(FILE *f, const char *const *arm, uint32_t n_arms,
			     uint32_t replicas)
{
	char name[32];
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", f);
	for (uint32_t i = 0; i < n_arms; i++) {
		metadata(f, "process_name", i + 1, 0, arm[i], i ? "," : "");
		for (uint32_t k = 0; k < replicas; k++) {
			snprintf(name, sizeof name, "replica %u", k);
			metadata(f, "thread_name", i + 1, k + 1, name, ",");
		}
	}
}

void recorder_timeline_end(FILE *f)
{
	fputs("\n]}\n", f);
}

/* ---- both ---- */

/* Fails at a lookup that is worse than r->strict allows; the job adds the step
 * to the message. */
static int check_strict(const struct recorder *r, const struct step_event *e,
			struct problem *p)
{
	for (uint32_t c = SC_N_PROVENANCE; c-- > r->strict;)
		if (e->result->lookups[c]) {
			r->status->step_to_blame = 1;
			return problem_set(
			    p, EXIT_INPUT, "%s: %u %s lookup%s (--strict)",
			    r->status->plugin, e->result->lookups[c],
			    provenance_name[c],
			    e->result->lookups[c] > 1 ? "s" : "");
		}
	return 0;
}

static void log_step(struct recorder *r, const struct step_event *e)
{
	if (*r->log_cut)
		return;
	r->logged += steplog_write_step(r->log_steps, e, r->n_parts[e->pool]);
	*r->log_cut = r->logged > r->log_limit;
}

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	struct recorder *r = ctx;
	atomic_store_explicit(&r->status->clock_ns, e->end_ns,
			      memory_order_relaxed);
	breakdown_add(r->breakdown, e->result);
	if (r->steps)
		write_step(r, e);
	if (r->timeline)
		write_events(r, e);
	if (r->log_steps)
		log_step(r, e);
	return check_strict(r, e, p);
}

struct observer recorder_observe(struct recorder *r)
{
	return (struct observer){
	    .on_step = on_step, .on_request = on_request, .ctx = r};
}
