/* timeline.c -- Writes steps and requests as trace events. */
#include "record/timeline.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The steps of a slice. */
struct stretch {
	uint64_t first_step, n_steps; /* n_steps 0: no slice is open */
	int64_t start_ns, end_ns;
	uint32_t n_decode, n_prefill, tokens, running;
};

enum counter { BATCH, KV_BLOCKS, QUEUE, N_COUNTERS };
static const char *const counter_name[N_COUNTERS] = {"batch", "kv_blocks",
						     "queue"};

struct track { /* of a replica */
	struct stretch is;
	uint64_t counted[N_COUNTERS];
	int has_counted;
	int has_copied[2]; /* from the host, and to it */
};

/* Tracks of copies begin behind all tracks of requests. */
enum { COPY_TRACKS = 1 << 30 };

struct lane {           /* a track of requests */
	int64_t end_ns; /* end of its last request */
	uint32_t number;
};

struct timeline {
	FILE *f;
	uint32_t pid, replicas;
	struct track *track; /* [replicas] */
	struct lane *lane;   /* in order of end_ns */
	uint32_t n_lanes, room;
};

struct timeline *timeline_open(FILE *f, uint32_t arm, uint32_t replicas,
			       struct problem *p)
{
	struct timeline *t = calloc(1, sizeof *t);
	struct track *track = calloc(replicas, sizeof *track);
	if (!t || !track) {
		free(t);
		free(track);
		problem_no_memory(p);
		return NULL;
	}
	*t = (struct timeline){
	    .f = f, .pid = arm + 1, .replicas = replicas, .track = track};
	return t;
}

/* ---- events ---- */

/* Writes us, exactly. */
static void put_time(FILE *f, const char *key, int64_t ns)
{
	fprintf(f, ",\"%s\":%" PRId64, key, ns / 1000);
	if (ns % 1000)
		fprintf(f, ".%03" PRId64, ns % 1000);
}

static void put_slice(const struct timeline *t, uint32_t track,
		      const char *name, int64_t from_ns, int64_t to_ns)
{
	fprintf(t->f, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u", t->pid,
		track + 1);
	put_time(t->f, "ts", from_ns);
	put_time(t->f, "dur", to_ns - from_ns);
	fprintf(t->f, ",\"name\":\"%s\"", name);
}

static void put_within(const struct timeline *t, uint32_t track,
		       const char *name, int64_t from_ns, int64_t to_ns)
{
	if (from_ns >= to_ns)
		return;
	put_slice(t, track, name, from_ns, to_ns);
	fputc('}', t->f);
}

static void put_name(FILE *f, const char *kind, uint32_t pid, uint32_t tid,
		     const char *name, const char *comma)
{
	fprintf(f,
		"%s\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,"
		"\"args\":{\"name\":\"%s\"}}",
		comma, kind, pid, tid, name);
}

/* ---- steps ---- */

static void put_stretch(const struct timeline *t, uint32_t replica)
{
	const struct stretch *s = &t->track[replica].is;
	if (!s->n_steps)
		return;
	put_slice(t, replica,
		  !s->n_prefill  ? "decode"
		  : !s->n_decode ? "prefill"
				 : "mixed",
		  s->start_ns, s->end_ns);
	fprintf(t->f, ",\"args\":{\"step\":%" PRIu64, s->first_step);
	if (s->n_steps > 1)
		fprintf(t->f, ",\"steps\":%" PRIu64, s->n_steps);
	if (s->n_decode)
		fprintf(t->f, ",\"decode\":%u", s->n_decode);
	if (s->n_prefill)
		fprintf(t->f, ",\"prefill\":%u,\"tokens\":%u", s->n_prefill,
			s->tokens);
	fputs("}}", t->f);
}

static void put_counters(const struct timeline *t, const struct step_event *e)
{
	struct track *k = &t->track[e->step->replica];
	const uint64_t now[N_COUNTERS] = {e->running, e->blocks_used,
					  e->waiting};
	for (int i = 0; i < N_COUNTERS; i++) {
		if (k->has_counted && k->counted[i] == now[i])
			continue;
		k->counted[i] = now[i];
		fprintf(t->f, ",\n{\"ph\":\"C\",\"pid\":%u", t->pid);
		put_time(t->f, "ts", e->start_ns);
		fprintf(
		    t->f, ",\"name\":\"%s %u\",\"args\":{\"%s\":%" PRIu64 "}}",
		    counter_name[i], e->step->replica, counter_name[i], now[i]);
	}
	k->has_counted = 1;
}

/* Returns 1 if the step continues the steps before it. */
static int goes_on(const struct stretch *s, const struct step_event *e)
{
	return s->n_steps && !s->n_prefill && !e->step->n_prefill &&
	       s->n_decode == e->step->n_decode && s->running == e->running &&
	       !e->preempted && !e->adapter_wait_ns;
}

/* What a step waits for and does besides the model. */
static void put_beside(const struct timeline *t, const struct step_event *e)
{
	uint32_t replica = e->step->replica;
	put_within(t, replica, "loading adapters",
		   e->start_ns - e->adapter_wait_ns, e->start_ns);
	put_within(t, replica, "encoders", e->start_ns,
		   e->start_ns + e->encoder_ns);
}

void timeline_step(struct timeline *t, const struct step_event *e)
{
	struct stretch *s = &t->track[e->step->replica].is;
	put_beside(t, e);
	if (goes_on(s, e)) {
		s->n_steps++;
		s->end_ns = e->end_ns;
		return;
	}
	put_stretch(t, e->step->replica);
	put_counters(t, e);
	*s = (struct stretch){.first_step = e->step->step_index,
			      .n_steps = 1,
			      .start_ns = e->start_ns,
			      .end_ns = e->end_ns,
			      .n_decode = e->step->n_decode,
			      .n_prefill = e->step->n_prefill,
			      .tokens = e->tokens,
			      .running = e->running};
}

/* ---- requests ---- */

/* Returns how many lanes are free at that time. */
static uint32_t free_lanes(const struct timeline *t, int64_t at_ns)
{
	uint32_t low = 0, high = t->n_lanes;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (t->lane[mid].end_ns <= at_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int add_lane(struct timeline *t, struct problem *p)
{
	char name[32];
	if (t->n_lanes == t->room) {
		uint32_t room = t->room ? 2 * t->room : 64;
		struct lane *more = realloc(t->lane, room * sizeof *more);
		if (!more)
			return problem_no_memory(p);
		t->lane = more;
		t->room = room;
	}
	memmove(t->lane + 1, t->lane, t->n_lanes * sizeof *t->lane);
	t->lane[0] = (struct lane){.number = t->n_lanes++};
	snprintf(name, sizeof name, "requests %u", t->lane[0].number);
	put_name(t->f, "thread_name", t->pid,
		 t->replicas + t->lane[0].number + 1, name, ",");
	return 0;
}

/* Takes the lane that has been free for the shortest time, or a new one.
 * Returns -1 with *p filled in if memory is out. */
static int take_lane(struct timeline *t, int64_t from_ns, int64_t to_ns,
		     uint32_t *number, struct problem *p)
{
	uint32_t n = free_lanes(t, from_ns);
	if (!n && add_lane(t, p) < 0)
		return -1;
	struct lane *old = &t->lane[n ? n - 1 : 0];
	*number = old->number;
	old->end_ns = to_ns;
	uint32_t from = (uint32_t)(old - t->lane), to = from;
	while (to + 1 < t->n_lanes && t->lane[to + 1].end_ns <= to_ns)
		to++;
	const struct lane taken = *old;
	memmove(t->lane + from, t->lane + from + 1,
		(to - from) * sizeof *t->lane);
	t->lane[to] = taken;
	return 0;
}

int timeline_request(struct timeline *t, const struct request_event *e,
		     struct problem *p)
{
	const struct request *q = &e->request;
	char name[48];
	uint32_t lane;
	if (e->ending != REQUEST_ENDED)
		return 0;
	if (take_lane(t, q->arrival_ns, e->last_token_ns, &lane, p) < 0)
		return -1;
	lane += t->replicas;
	snprintf(name, sizeof name, "request %" PRIu64, q->row);
	put_slice(t, lane, name, q->arrival_ns, e->last_token_ns);
	fprintf(t->f, ",\"args\":{\"input\":%u,\"output\":%u", q->input_tokens,
		q->output_tokens);
	if (e->cached_tokens)
		fprintf(t->f, ",\"cached\":%u", e->cached_tokens);
	if (e->preemptions)
		fprintf(t->f, ",\"preemptions\":%u", e->preemptions);
	fputs("}}", t->f);
	put_within(t, lane, "queue", q->arrival_ns, e->scheduled_ns);
	put_within(t, lane, "load of KV", e->load_from_ns, e->load_to_ns);
	put_within(t, lane, "prefill", e->scheduled_ns, e->first_token_ns);
	put_within(t, lane, "decode", e->first_token_ns, e->last_token_ns);
	return 0;
}

/* ---- copies ---- */

void timeline_transfer(struct timeline *t, const struct transfer_event *e)
{
	static const char *const way[] = {"from the host", "to the host"};
	uint32_t track = COPY_TRACKS + 2 * e->replica + (uint32_t)e->is_store;
	int *has_copied = &t->track[e->replica].has_copied[e->is_store];
	char name[64];
	if (!*has_copied) {
		snprintf(name, sizeof name, "replica %u, KV %s", e->replica,
			 way[e->is_store]);
		put_name(t->f, "thread_name", t->pid, track + 1, name, ",");
		*has_copied = 1;
	}
	snprintf(name, sizeof name, "request %" PRIu64, e->row);
	put_slice(t, track, name, e->start_ns, e->end_ns);
	fprintf(t->f, ",\"args\":{\"blocks\":%u,\"chunks\":%u}}", e->blocks,
		e->chunks);
}

void timeline_close(struct timeline *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->replicas; i++)
		put_stretch(t, i);
	free(t->track);
	free(t->lane);
	free(t);
}

/* ---- the file ---- */

void timeline_head(FILE *f, const char *const *arm, uint32_t n_arms,
		   uint32_t replicas)
{
	char name[32];
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", f);
	for (uint32_t i = 0; i < n_arms; i++) {
		put_name(f, "process_name", i + 1, 0, arm[i], i ? "," : "");
		for (uint32_t k = 0; k < replicas; k++) {
			snprintf(name, sizeof name, "replica %u", k);
			put_name(f, "thread_name", i + 1, k + 1, name, ",");
		}
	}
}

void timeline_tail(FILE *f)
{
	fputs("\n]}\n", f);
}
