/* protocol.c -- Reads how a kind of measurement was made. */
#include "validate/replay/protocol.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "keys/keys.h"
#include "math/expression.h"
#include "validate/measured/cells.h"
#include "validate/measured/rules.h"
#include "stepcost/knob.h"

/* In the order of the enumerations. */
static const char *const kinds[] = {
    "prompts", "replay", "single", "closed", "benchmark", "published", NULL};
static const char *const arrivals[] = {"closed", "poisson", "at_once", NULL};
static const char *const asyncs[] = {"auto", "true", "false", NULL};
static const char *const cachings[] = {"as_configured", "true", "false", NULL};

#define DOUBLE(field, def, unit, help)                                         \
	SC_DOUBLE(struct protocol, field, def, -1, 1e9, unit, help)
#define INT(field, def, help)                                                  \
	SC_INT(struct protocol, field, def, 0, 1e9, "1", help)
#define FORMULA(name_, field, help_)                                           \
	&(const sc_knob)                                                       \
	{                                                                      \
		.size = sizeof(sc_knob), .type = SC_KNOB_TEXT,                 \
		.offset = offsetof(struct protocol, field), .name = #name_,    \
		.def = "0", .unit = "", .help = help_                          \
	}
static const sc_knob *const protocol_key[] = {
    SC_CHOICE(struct protocol, kind, NULL, kinds,
	      "The client that sends the requests."),
    SC_CHOICE(struct protocol, async_scheduling, "auto", asyncs,
	      "Key of [engine]; auto: on from vLLM 0.14 on."),
    SC_CHOICE(struct protocol, enable_prefix_caching, "true", cachings,
	      "Key of [engine]."),
    DOUBLE(input_scale, "1", "1",
	   "Factor from the stated to the simulated prompt length."),
    DOUBLE(input_jitter_tokens, "14", "token",
	   "Each prompt is up to this much longer or shorter, at random."),
    DOUBLE(max_stage_s, "3600", "s",
	   "Longest time that is simulated of a stage."),
    DOUBLE(stage_gap_e2e, "1.3", "1",
	   "A stage starts this number of E2E latencies after the one before."),
    DOUBLE(stage_gap_s, "0", "s", "Arrivals start this long after a warm-up."),
    DOUBLE(api_overhead_us, "-1", "us", "Key of [engine]; -1: as configured."),
    DOUBLE(api_request_us, "-1", "us", "Key of [engine]; -1: as configured."),
    DOUBLE(response_overhead_us, "-1", "us",
	   "Key of [engine]; -1: as configured."),
    DOUBLE(response_sequence_us, "-1", "us",
	   "Key of [engine]; -1: as configured."),
    DOUBLE(schedule_us, "-1", "us", "Key of [engine]; -1: as configured."),
    DOUBLE(first_step_us, "-1", "us", "Key of [engine]; -1: as configured."),
    DOUBLE(expert_compile_us, "-1", "us",
	   "Key of [engine]; -1: as configured."),
    INT(prompts, "100", "Prompts in the pool."),
    INT(prompt_groups, "10",
	"Groups of prompts, each with a prefix of its own."),
    INT(requests, "6",
	"Requests, one at a time; in a closed loop for each client."),
    INT(max_requests, "1500", "Most requests of a closed loop."),
    FORMULA(max_num_seqs, seqs_formula,
	    "Key of [engine] for rows without it, a formula of `input` and "
	    "`clients`. 0: as configured."),
    FORMULA(max_num_batched_tokens, tokens_formula,
	    "Key of [engine] for rows without it, a formula of `input` and "
	    "`clients`. 0: as configured."),
    INT(seed, "1", "Seed of lengths, orders and gaps."),
    INT(seeds, "15",
	"Orders of prompts that are simulated; the result is the median."),
    SC_CHOICE(struct protocol, arrivals, "closed", arrivals,
	      "Arrivals of a published run: a new request for each that ended, "
	      "at random, or all at once."),
    INT(min_requests, "1", "Fewest requests of a published run."),
    DOUBLE(shortest, "1", "1",
	   "Lengths of a published run are drawn evenly between this share of "
	   "the stated length and `longest` of it."),
    DOUBLE(longest, "1", "1", "The other end of that range."),
    DOUBLE(first_wave_share, "-1", "1",
	   "Share in means of the requests that all clients send at first, if "
	   "fewer are simulated than were measured; -1: each request counts "
	   "alike."),
    INT(recycled_prompts, "0",
	"Prompts of a published run that are sent again and again, in one "
	"order. 0: all are different."),
    SC_BOOL(struct protocol, steady_state, "false",
	    "Requests of the first and the last wave, one a client, do not "
	    "count."),
    SC_BOOL(struct protocol, step_holds_prompt, "false",
	    "A step of a published run has room for a prompt beside a token "
	    "for each sequence, also where max_num_batched_tokens is less."),
};
enum { N_PROTOCOL_KEYS = sizeof protocol_key / sizeof *protocol_key };

struct merge {
	struct ini own; /* the section, and what rules set of it */
	const struct measured_row *r;
	const char *section;
	struct problem *p;
};

static int set_key(void *ctx, const char *key, const struct ini_item *t)
{
	struct merge *m = ctx;
	char value[4096];
	if (!cells_fill(t->value, m->r, value, sizeof value))
		return 0;
	return ini_put(&m->own, m->section, key, value, t->at, m->p);
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

/* ---- formulas ---- */

struct formula {
	const struct measured_row *r;
	const char *key;
};

static int row_value(void *user, const char *name, struct value *out,
		     struct problem *p)
{
	const struct formula *f = user;
	*out = (struct value){0};
	if (!strcmp(name, "input"))
		out->number = ceil(f->r->input_tokens);
	else if (!strcmp(name, "clients"))
		out->number = f->r->concurrency;
	else
		return problem_set(p, EXIT_USAGE,
				   "%s: %s is neither input nor clients",
				   f->key, name);
	return 0;
}

/* A row that lacks what the formula asks has no such limit. */
static int work_out(double *to, const char *text, const struct formula *f,
		    struct problem *p)
{
	const struct expression_scope scope = {.user = (void *)(uintptr_t)f,
					       .name = row_value};
	struct value v;
	struct expression *e = expression_parse(text, f->key, p);
	int rc = e ? expression_value(e, &scope, &v, p) : -1;
	*to = rc == 0 && v.number >= 1 ? v.number : 0;
	expression_free(e);
	return rc;
}

static int work_out_limits(struct protocol *c, const struct measured_row *r,
			   struct problem *p)
{
	const struct formula seqs = {r, "protocol.max_num_seqs"};
	const struct formula tokens = {r, "protocol.max_num_batched_tokens"};
	int rc = work_out(&c->max_num_seqs, c->seqs_formula, &seqs, p);
	if (rc == 0)
		rc = work_out(&c->max_num_batched_tokens, c->tokens_formula,
			      &tokens, p);
	c->seqs_formula = c->tokens_formula = NULL;
	return rc;
}

/* ---- the whole ---- */

int protocol_read(struct protocol *to, const char *name,
		  const struct measured_row *r, const struct ini *aliases,
		  struct problem *p)
{
	char section[80];
	snprintf(section, sizeof section, "protocol:%s", name);
	if (!ini_find(aliases, section, "kind"))
		return 0;
	struct merge m = {.r = r, .section = section, .p = p};
	int rc = merge(&m, r, aliases);
	if (rc == 0)
		rc = knobs_fill(to, protocol_key, N_PROTOCOL_KEYS, NULL, &m.own,
				section, "", p);
	if (rc == 0)
		rc = work_out_limits(to, r, p);
	ini_free(&m.own);
	return rc < 0 ? -1 : 1;
}

double protocol_max_num_seqs(const struct protocol *c,
			     const struct measured_row *r)
{
	double clients = c->arrivals == ARRIVALS_CLOSED ? r->concurrency : 0;
	return r->max_num_seqs >= 1  ? r->max_num_seqs
	       : c->max_num_seqs > 0 ? c->max_num_seqs
				     : fmax(256, clients);
}

double protocol_step_tokens(const struct protocol *c,
			    const struct measured_row *r)
{
	double most = r->max_num_batched_tokens >= 1
			  ? r->max_num_batched_tokens
			  : c->max_num_batched_tokens;
	double seqs = c->arrivals == ARRIVALS_CLOSED
			  ? r->concurrency
			  : protocol_max_num_seqs(c, r);
	return c->step_holds_prompt ? fmax(most, ceil(r->input_tokens) + seqs)
				    : most;
}
