/* library.c -- The C library of include/stepcost/oracle.h: an arm in the
 * process of its caller. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/arm.h"
#include "cost/floor.h"
#include "oracle/batch.h"
#include "stepcost/oracle.h"

#define PUBLIC __attribute__((visibility("default")))

struct sc_oracle {
	struct config config;
	struct arm arm;
	struct problem p;
};

static int open_arm(struct sc_oracle *o, const char *path, const char *arm,
		    struct problem *p)
{
	if (config_load_priced(&o->config, path, NULL, 0, arm, NULL, p) < 0)
		return -1;
	return arm_open(&o->arm, &o->config, 0, NULL, NULL, p);
}

PUBLIC sc_oracle *sc_oracle_open(const char *config, const char *arm,
				 char *error, size_t n)
{
	struct sc_oracle *o = calloc(1, sizeof *o);
	struct problem p = {0};
	if (n)
		error[0] = '\0';
	if (!o)
		problem_no_memory(&p);
	else if (open_arm(o, config, arm, &p) == 0)
		return o;
	if (n)
		snprintf(error, n, "%s", p.text);
	sc_oracle_close(o);
	return NULL;
}

PUBLIC int sc_oracle_price(sc_oracle *o, const sc_step *step,
			   sc_oracle_answer *to)
{
	const sc_result *r;
	enum floor_limit unused;
	sc_step own = *step;
	o->p.code = EXIT_DONE;
	*to = (sc_oracle_answer){0};
	if (own.size != sizeof own)
		return problem_set(&o->p, EXIT_USAGE,
				   "the size of a step is %u, not %zu",
				   own.size, sizeof own);
	own.decode_ctx_sum = 0;
	for (uint32_t i = 0; i < own.n_decode; i++)
		own.decode_ctx_sum += own.decode_ctx[i];
	if (batch_price(&o->arm, &own, &r, &o->p) != 0)
		return -1;
	to->seconds = 1e-6 * r->total_us;
	if (r->host_us > 0)
		to->host_seconds = 1e-6 * r->host_us;
	if (own.n_prefill + own.n_decode)
		to->floor_seconds =
		    1e-6 * floor_step_us(&o->arm.cost.floor, &own, FLOOR_STEP,
					 &unused);
	memcpy(to->lookups, r->lookups, sizeof to->lookups);
	return 0;
}

PUBLIC const char *sc_oracle_error(const sc_oracle *o)
{
	return o->p.code == EXIT_DONE ? "" : o->p.text;
}

PUBLIC void sc_oracle_close(sc_oracle *o)
{
	if (!o)
		return;
	arm_close(&o->arm);
	config_free(&o->config);
	free(o);
}
