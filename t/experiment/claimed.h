/* claimed.h -- a claim of two arms over one table, priced by hand. */
#ifndef T_EXPERIMENT_CLAIMED_H
#define T_EXPERIMENT_CLAIMED_H
#include <math.h>
#include "experiment/claim.h"
#include "experiment/compute.h"
#include "experiment/load.h"
#include "tap.h"

static struct experiment x;
static struct ini ini;
static const char *instead; /* an assignment of --set, or NULL */

#define CLAIM_HEAD                                                             \
	"[claim]\nid = c\nhypothesis = h\nbase = a\ncounterfactual = b\n"      \
	"cause = k\neffect = at(t: n == 2, a.s.exact_us / b.s.exact_us)\n"
#define CLAIM_TABLE                                                            \
	"[table:t]\naxis.n = 1, 2\ndecode.s = 64x{n}\n"                        \
	"column.us = a.s.exact_us\n"                                           \
	"[cost_model:a]\nplugin = none\n[cost_model:b]\nplugin = none\n"

/* Reads head, more and table.  Returns 0, or -1 with *p filled in. */
static int claimed(const char *more, struct problem *p)
{
	char text[2000];
	experiment_free(&x);
	ini_free(&ini);
	snprintf(text, sizeof text, "%s%s%s", CLAIM_HEAD, more, CLAIM_TABLE);
	return ini_read(&ini, text, strlen(text), p) < 0 ||
		       (instead && ini_override(&ini, instead, p) < 0)
		   ? -1
		   : experiment_load(&x, &ini, p);
}

/* Prices n decodes: a takes 10 n us of attention, b takes `times` less. */
static void price(double times)
{
	for (size_t i = 0; i < x.n_points; i++) {
		struct xp_point *q = &x.point[i];
		double us = 10.0 * (double)(q->row + 1);
		us = q->arm[0] == 'a' ? us : us / times;
		sc_result *r = &q->result;
		for (int k = 0; k < 2; k++) {
			r->gemm_us[k] = r->compute_us[k] = NAN;
			r->memory_us[k] = r->attention_us[k] = NAN;
			r->attention_mfu[k] = r->attention_flops[k] = NAN;
			r->attention_mfu_low[k] = r->attention_mfu_high[k] =
			    NAN;
		}
		r->attention_us[SC_DECODE] = us;
		r->attention_flops[SC_DECODE] = 7.0 * (double)(q->row + 1);
		r->attention_mfu[SC_DECODE] = 0.5;
		r->attention_mfu_low[SC_DECODE] = 0.4;
		r->attention_mfu_high[SC_DECODE] = 0.6;
		r->comm_us = 3;
		r->overhead_us = NAN;
		r->exact_us = r->total_us = us;
		q->n_decode = (uint32_t)q->row + 1;
		q->min_kv = q->max_kv = 64;
	}
}
#endif
