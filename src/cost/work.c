/* work.c -- Names the work of a step, and takes it from an answer. */
#include "cost/work.h"
#include <math.h>
#include <string.h>
#include "base/csv.h"

const char *const work_name[N_WORK] = {"flops",
				       "bytes",
				       "prefill_attention_flops",
				       "decode_attention_flops",
				       "prefill_attention_mfu",
				       "decode_attention_mfu",
				       "kv_bytes",
				       "weight_bytes",
				       "energy_j",
				       "noise_us",
				       "sigma_us"};

/* Returns the sum of both phases, or the only one. */
static double of_phases(const double of[2])
{
	if (isnan(of[SC_PREFILL]))
		return of[SC_DECODE];
	return isnan(of[SC_DECODE]) ? of[SC_PREFILL]
				    : of[SC_PREFILL] + of[SC_DECODE];
}

static double all_sources(const double *sigma_us, uint32_t n)
{
	double sum = 0;
	if (!sigma_us || !n)
		return (double)NAN;
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(sigma_us[i]))
			sum += sigma_us[i] * sigma_us[i];
	return sqrt(sum);
}

void work_of(struct work *w, const sc_result *r, uint32_t n_sigma)
{
	*w = (struct work){{r->flops, r->bytes, r->attention_flops[SC_PREFILL],
			    r->attention_flops[SC_DECODE],
			    r->attention_mfu[SC_PREFILL],
			    r->attention_mfu[SC_DECODE], of_phases(r->kv_bytes),
			    r->weight_bytes, r->energy_j, r->noise_us,
			    all_sources(r->sigma_us, n_sigma)}};
}

int work_column(const sc_result *r, const char *name, double *out)
{
	struct work w;
	work_of(&w, r, 0);
	for (int i = 0; i < N_WORK; i++)
		if (!strcmp(name, work_name[i])) {
			*out = w.value[i];
			return 0;
		}
	return -1;
}

void work_csv_head(FILE *f)
{
	for (int i = 0; i < N_WORK; i++)
		fprintf(f, ",%s", work_name[i]);
}

void work_csv_cells(FILE *f, const struct work *w)
{
	for (int i = 0; i < N_WORK; i++)
		csv_next_number(f, w->value[i]);
}
