/* protocol.c -- Reads how a kind of measurement was made. */
#include <config.h>
#include "validate/protocol.h"
#include <stdio.h>
#include "setup/keys.h"
#include "stepcost/knob.h"

/* In the order of enum protocol_kind and enum protocol_async. */
static const char *const kinds[] = {"prompts", "replay",    "single",
				    "closed",  "benchmark", NULL};
static const char *const asyncs[] = {"auto", "true", "false", NULL};

#define DOUBLE(field, def, unit, help)                                         \
	SC_DOUBLE(struct protocol, field, def, -1, 1e9, unit, help)
#define INT(field, def, help)                                                  \
	SC_INT(struct protocol, field, def, 0, 1e9, "1", help)
static const sc_knob *const protocol_key[] = {
    SC_CHOICE(struct protocol, kind, NULL, kinds, "Where requests come from."),
    SC_CHOICE(struct protocol, async_scheduling, "auto", asyncs,
	      "auto: from vLLM 0.14 on."),
    SC_BOOL(struct protocol, enable_prefix_caching, "true", "As [engine]."),
    DOUBLE(input_scale, "1", "1", "Prompts are longer than stated by this."),
    DOUBLE(input_jitter_tokens, "14", "token", "And by up to this, or less."),
    DOUBLE(max_stage_s, "600", "s", "Stages are cut to this."),
    DOUBLE(stage_gap_e2e, "1.3", "1",
	   "A stage starts so many E2E latencies after the one before."),
    DOUBLE(stage_gap_s, "0", "s", "Arrivals start so long after a warm-up."),
    DOUBLE(api_overhead_us, "6210", "us", "As [engine]; -1: leave it."),
    DOUBLE(response_overhead_us, "1500", "us", "As [engine]; -1: leave it."),
    DOUBLE(schedule_us, "497", "us", "As [engine]; -1: leave it."),
    INT(prompts, "100", "Of the pool."),
    INT(prompt_groups, "10", "With a shared prefix each."),
    INT(requests, "6", "One at a time; in a closed loop per client."),
    INT(max_requests, "1500", "In a closed loop."),
    INT(max_num_seqs, "0", "Where the row has none. 0: leave it."),
    INT(max_num_batched_tokens, "0", "Where the row has none. 0: leave it."),
    INT(seed, "1", "Of lengths and orders."),
};
enum { N_PROTOCOL_KEYS = sizeof protocol_key / sizeof *protocol_key };

const char *protocol_name(const struct measured_row *r,
			  const struct ini *aliases)
{
	const char letter[2] = {
	    r->id && r->id[0] && r->id[1] == '-' ? r->id[0] : '\0', '\0'};
	if (r->protocol)
		return r->protocol;
	if (r->request)
		return "benchmark";
	const char *of_class =
	    letter[0] && aliases ? ini_get(aliases, "class", letter) : NULL;
	return of_class ? of_class : letter[0] ? NULL : "benchmark";
}

int protocol_read(struct protocol *to, const char *name,
		  const struct ini *aliases, struct problem *p)
{
	char section[80];
	snprintf(section, sizeof section, "protocol:%s", name);
	if (!aliases || !ini_find(aliases, section, "kind"))
		return 0;
	return knobs_fill(to, protocol_key, N_PROTOCOL_KEYS, NULL, aliases,
			  section, "", p) < 0
		   ? -1
		   : 1;
}
