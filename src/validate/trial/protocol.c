/* protocol.c -- Reads how a kind of measurement was made. */
#include <config.h>
#include "validate/trial/protocol.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "keys/keys.h"
#include "validate/measured/rules.h"
#include "stepcost/knob.h"

/* In the order of enum protocol_kind and enum protocol_async. */
static const char *const kinds[] = {
    "prompts", "replay", "single", "closed", "benchmark", "published", NULL};
static const char *const arrivals[] = {"closed", "poisson", "at_once", NULL};
static const char *const asyncs[] = {"auto", "true", "false", NULL};

#define DOUBLE(field, def, unit, help)                                         \
	SC_DOUBLE(struct protocol, field, def, -1, 1e9, unit, help)
#define INT(field, def, help)                                                  \
	SC_INT(struct protocol, field, def, 0, 1e9, "1", help)
static const sc_knob *const protocol_key[] = {
    SC_CHOICE(struct protocol, kind, NULL, kinds,
	      "The client that sends the requests."),
    SC_CHOICE(struct protocol, async_scheduling, "auto", asyncs,
	      "Key of [engine]; auto: on from vLLM 0.14 on."),
    SC_BOOL(struct protocol, enable_prefix_caching, "true", "Key of [engine]."),
    DOUBLE(input_scale, "1", "1",
	   "Factor from the stated to the simulated prompt length."),
    DOUBLE(input_jitter_tokens, "14", "token",
	   "Each prompt is up to this much longer or shorter, at random."),
    DOUBLE(max_stage_s, "3600", "s",
	   "Longest time that is simulated of a stage."),
    DOUBLE(stage_gap_e2e, "1.3", "1",
	   "A stage starts this number of E2E latencies after the one before."),
    DOUBLE(stage_gap_s, "0", "s", "Arrivals start this long after a warm-up."),
    DOUBLE(api_overhead_us, "6210", "us",
	   "Key of [engine]; -1: as configured."),
    DOUBLE(api_request_us, "-1", "us", "Key of [engine]; -1: as configured."),
    DOUBLE(response_overhead_us, "1500", "us",
	   "Key of [engine]; -1: as configured."),
    DOUBLE(response_sequence_us, "-1", "us",
	   "Key of [engine]; -1: as configured."),
    DOUBLE(schedule_us, "497", "us", "Key of [engine]; -1: as configured."),
    DOUBLE(first_step_us, "-1", "us", "Key of [engine]; -1: as configured."),
    DOUBLE(expert_compile_us, "-1", "us",
	   "Key of [engine]; -1: as configured."),
    INT(prompts, "100", "Prompts in the pool."),
    INT(prompt_groups, "10",
	"Groups of prompts, each with a prefix of its own."),
    INT(requests, "6",
	"Requests, one at a time; in a closed loop for each client."),
    INT(max_requests, "1500", "Most requests of a closed loop."),
    INT(max_num_seqs, "0",
	"Key of [engine] for rows without it. 0: as configured."),
    INT(max_num_batched_tokens, "0",
	"Key of [engine] for rows without it. 0: as configured."),
    INT(seed, "1", "Seed of lengths, orders and gaps."),
    INT(seeds, "15",
	"Orders of prompts that are simulated; the result is the median."),
    SC_CHOICE(struct protocol, arrivals, "closed", arrivals,
	      "Arrivals of a published run: a new request for each that ended, "
	      "at random, or all at once."),
    INT(min_requests, "1", "Fewest requests of a published run."),
    SC_BOOL(
	struct protocol, warm_up, "false",
	"Each client of a published run first sends one more request, which "
	"does not count."),
    INT(many_clients, "256",
	"If a published run has more clients than this, each sends "
	"requests_of_many requests instead of `requests`."),
    INT(requests_of_many, "5", "Requests of each client; see many_clients."),
    DOUBLE(shortest, "1", "1",
	   "Lengths of a published run are drawn evenly between this share of "
	   "the stated length and all of it."),
    SC_BOOL(struct protocol, step_holds_prompt, "false",
	    "A step of a published run has room for a prompt beside a token "
	    "for each sequence, also where max_num_batched_tokens is less."),
};
enum { N_PROTOCOL_KEYS = sizeof protocol_key / sizeof *protocol_key };

struct merge {
	struct ini own; /* the section, and what rules set of it */
	const char *section;
	struct problem *p;
};

static int set_key(void *ctx, const char *key, const char *value)
{
	struct merge *m = ctx;
	return ini_put(&m->own, m->section, key, value, m->section, m->p);
}

static int merge(struct merge *m, const struct measured_row *r,
		 const struct ini *aliases)
{
	for (size_t i = 0; i < aliases->n; i++) {
		const struct ini_item *t = &aliases->item[i];
		if (!strcmp(t->section, m->section) &&
		    ini_put(&m->own, t->section, t->key, t->value, t->at,
			    m->p) < 0)
			return -1;
	}
	return rules_each(aliases, r, "protocol.", set_key, m);
}

int protocol_read(struct protocol *to, const char *name,
		  const struct measured_row *r, const struct ini *aliases,
		  struct problem *p)
{
	char section[80];
	snprintf(section, sizeof section, "protocol:%s", name);
	if (!aliases || !ini_find(aliases, section, "kind"))
		return 0;
	struct merge m = {.section = section, .p = p};
	int rc = merge(&m, r, aliases);
	if (rc == 0)
		rc = knobs_fill(to, protocol_key, N_PROTOCOL_KEYS, NULL, &m.own,
				section, "", p);
	ini_free(&m.own);
	return rc < 0 ? -1 : 1;
}

double protocol_max_num_seqs(const struct protocol *c,
			     const struct measured_row *r)
{
	double clients = c->arrivals == ARRIVALS_CLOSED ? r->concurrency : 0;
	return r->max_num_seqs >= 1 ? r->max_num_seqs
	       : c->max_num_seqs    ? (double)c->max_num_seqs
				    : fmax(256, clients);
}

double protocol_step_tokens(const struct protocol *c,
			    const struct measured_row *r)
{
	double most = r->max_num_batched_tokens >= 1
			  ? r->max_num_batched_tokens
			  : (double)c->max_num_batched_tokens;
	double seqs = c->arrivals == ARRIVALS_CLOSED
			  ? r->concurrency
			  : protocol_max_num_seqs(c, r);
	return c->step_holds_prompt ? fmax(most, r->input_tokens + seqs) : most;
}
