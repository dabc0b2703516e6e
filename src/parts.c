#include <config.h>
#include "parts.h"
#include <math.h>
#include "number.h"

const char *const part_name[N_PARTS] = {
    "prefill_gemm", "prefill_attention", "prefill_compute", "prefill_memory",
    "decode_gemm",  "decode_attention",  "decode_compute",  "decode_memory",
    "comm",         "overhead",
};
const char *const bound_name[] = {"none", "compute", "memory", "comm",
				  "overhead"};
const char *const provenance_name[SC_N_PROVENANCE] = {
    "exact", "interpolated", "clamped", "substituted", "fallback"};

double part_of(const sc_result *r, enum part part)
{
	switch (part) {
	case PREFILL_GEMM:
		return r->gemm_us[SC_PREFILL];
	case PREFILL_ATTENTION:
		return r->attention_us[SC_PREFILL];
	case PREFILL_COMPUTE:
		return r->compute_us[SC_PREFILL];
	case PREFILL_MEMORY:
		return r->memory_us[SC_PREFILL];
	case DECODE_GEMM:
		return r->gemm_us[SC_DECODE];
	case DECODE_ATTENTION:
		return r->attention_us[SC_DECODE];
	case DECODE_COMPUTE:
		return r->compute_us[SC_DECODE];
	case DECODE_MEMORY:
		return r->memory_us[SC_DECODE];
	case COMM:
		return r->comm_us;
	case OVERHEAD:
		return r->overhead_us;
	case N_PARTS:
		break;
	}
	return NAN;
}

void parts_csv_head(FILE *f)
{
	fputs("total_us,exact_us,bound", f);
	for (int i = 0; i < N_PARTS; i++)
		fprintf(f, ",%s_us", part_name[i]);
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, ",lookups_%s", provenance_name[i]);
}

/* Nothing for NaN. */
static void cell(FILE *f, double v)
{
	char text[NUMBER_SIZE] = "";
	if (!isnan(v))
		number_format(text, v);
	fputs(text, f);
}

void parts_csv_cells(FILE *f, const sc_result *r)
{
	cell(f, r->total_us);
	fputc(',', f);
	cell(f, isnan(r->exact_us) ? r->total_us : r->exact_us);
	fprintf(f, ",%s",
		bound_name[r->bound <= SC_BOUND_OVERHEAD ? r->bound : 0]);
	for (int i = 0; i < N_PARTS; i++) {
		fputc(',', f);
		cell(f, part_of(r, (enum part)i));
	}
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, ",%u", r->lookups[i]);
}

void breakdown_add(struct breakdown *b, const sc_result *r)
{
	b->steps++;
	b->total_us += r->total_us;
	for (int i = 0; i < N_PARTS; i++) {
		double v = part_of(r, (enum part)i);
		if (!isnan(v)) {
			b->part_us[i] += v;
			b->has[i]++;
		}
	}
}
