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

/* A table and no switch: this is asked ten times a step. */
static const size_t part_at[N_PARTS] = {
    [PREFILL_GEMM] = offsetof(sc_result, gemm_us[SC_PREFILL]),
    [PREFILL_ATTENTION] = offsetof(sc_result, attention_us[SC_PREFILL]),
    [PREFILL_COMPUTE] = offsetof(sc_result, compute_us[SC_PREFILL]),
    [PREFILL_MEMORY] = offsetof(sc_result, memory_us[SC_PREFILL]),
    [DECODE_GEMM] = offsetof(sc_result, gemm_us[SC_DECODE]),
    [DECODE_ATTENTION] = offsetof(sc_result, attention_us[SC_DECODE]),
    [DECODE_COMPUTE] = offsetof(sc_result, compute_us[SC_DECODE]),
    [DECODE_MEMORY] = offsetof(sc_result, memory_us[SC_DECODE]),
    [COMM] = offsetof(sc_result, comm_us),
    [OVERHEAD] = offsetof(sc_result, overhead_us),
};

double part_of(const sc_result *r, enum part part)
{
	return *(const double *)(const void *)((const char *)r + part_at[part]);
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
