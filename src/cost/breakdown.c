/* breakdown.c -- Names the parts of an answer and adds them up. */
#include <config.h>
#include "cost/breakdown.h"
#include <math.h>
#include <string.h>
#include "base/number.h"

const char *const part_name[N_PARTS] = {
    "prefill_gemm", "prefill_attention", "prefill_compute", "prefill_memory",
    "decode_gemm",  "decode_attention",  "decode_compute",  "decode_memory",
    "comm",         "overhead",
};
const char *const bound_name[] = {"none", "compute", "memory", "comm",
				  "overhead"};
const char *const provenance_name[SC_N_PROVENANCE + 1] = {
    "exact", "interpolated", "clamped", "substituted", "fallback", NULL};

uint32_t breakdown_strict(int choice)
{
	return choice == 0  ? SC_N_PROVENANCE
	       : choice < 0 ? SC_FALLBACK
			    : SC_CLAMPED + (uint32_t)(choice - 1);
}

/* A table and no switch: this is asked ten times a step. */
static const size_t part_at[N_PARTS] = {
    [PART_PREFILL_GEMM] = offsetof(sc_result, gemm_us[SC_PREFILL]),
    [PART_PREFILL_ATTENTION] = offsetof(sc_result, attention_us[SC_PREFILL]),
    [PART_PREFILL_COMPUTE] = offsetof(sc_result, compute_us[SC_PREFILL]),
    [PART_PREFILL_MEMORY] = offsetof(sc_result, memory_us[SC_PREFILL]),
    [PART_DECODE_GEMM] = offsetof(sc_result, gemm_us[SC_DECODE]),
    [PART_DECODE_ATTENTION] = offsetof(sc_result, attention_us[SC_DECODE]),
    [PART_DECODE_COMPUTE] = offsetof(sc_result, compute_us[SC_DECODE]),
    [PART_DECODE_MEMORY] = offsetof(sc_result, memory_us[SC_DECODE]),
    [PART_COMM] = offsetof(sc_result, comm_us),
    [PART_OVERHEAD] = offsetof(sc_result, overhead_us),
};

double part_of(const sc_result *r, enum part part)
{
	return *(const double *)(const void *)((const char *)r + part_at[part]);
}

double breakdown_or_zero(double us)
{
	return isnan(us) ? 0 : us;
}

double breakdown_exact_us(const sc_result *r)
{
	return isnan(r->exact_us) ? r->total_us : r->exact_us;
}

const char *breakdown_bound(const sc_result *r)
{
	return r->bound <= SC_BOUND_OVERHEAD ? bound_name[r->bound] : "";
}

int breakdown_column(const sc_result *r, const char *name, double *out)
{
	size_t n = strlen(name);
	if (!strcmp(name, "total_us") || !strcmp(name, "exact_us")) {
		*out = *name == 't' ? r->total_us : breakdown_exact_us(r);
		return 0;
	}
	for (int i = 0; i < N_PARTS; i++)
		if (n == strlen(part_name[i]) + 3 &&
		    !strncmp(name, part_name[i], n - 3) &&
		    !strcmp(name + n - 3, "_us")) {
			*out = part_of(r, (enum part)i);
			return 0;
		}
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		if (!strncmp(name, "lookups_", 8) &&
		    !strcmp(name + 8, provenance_name[i])) {
			*out = r->lookups[i];
			return 0;
		}
	return -1;
}

void breakdown_csv_head(FILE *f)
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

void breakdown_csv_cells(FILE *f, const sc_result *r)
{
	cell(f, r->total_us);
	fputc(',', f);
	cell(f, breakdown_exact_us(r));
	fprintf(f, ",%s", breakdown_bound(r));
	for (int i = 0; i < N_PARTS; i++) {
		fputc(',', f);
		cell(f, part_of(r, (enum part)i));
	}
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, ",%u", r->lookups[i]);
}

/* ---- sums ---- */

typedef double two_doubles
    __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t two_words
    __attribute__((vector_size(16), aligned(8), may_alias));

/* Of two parts that lie side by side in an answer. */
struct pair {
	two_doubles us;
	two_words has;
};

static inline struct pair pair_of(const struct breakdown *b, enum part first,
				  enum part second)
{
	return (struct pair){{b->part_us[first], b->part_us[second]},
			     {(int64_t)b->has[first], (int64_t)b->has[second]}};
}

static inline void set_pair(struct breakdown *b, enum part first,
			    enum part second, const struct pair *p)
{
	b->part_us[first] = p->us[0];
	b->part_us[second] = p->us[1];
	b->has[first] = (uint64_t)p->has[0];
	b->has[second] = (uint64_t)p->has[1];
}

/* NaN counts as 0, which changes no sum that began with 0. */
static inline void add_pair(struct pair *sum, const double *us)
{
	two_doubles x = *(const two_doubles *)us;
	two_words is_there = x >= -HUGE_VAL;
	sum->us += (two_doubles)((two_words)x & is_there);
	sum->has -= is_there;
}

static void add_parts(struct breakdown *b, uint32_t n,
		      const sc_result *const *r)
{
	struct pair gemm = pair_of(b, PART_PREFILL_GEMM, PART_DECODE_GEMM),
		    attention = pair_of(b, PART_PREFILL_ATTENTION,
					PART_DECODE_ATTENTION),
		    compute =
			pair_of(b, PART_PREFILL_COMPUTE, PART_DECODE_COMPUTE),
		    memory =
			pair_of(b, PART_PREFILL_MEMORY, PART_DECODE_MEMORY),
		    rest = pair_of(b, PART_COMM, PART_OVERHEAD);
	_Static_assert(offsetof(sc_result, overhead_us) ==
			   offsetof(sc_result, comm_us) + sizeof(double),
		       "side by side");
	for (uint32_t i = 0; i < n; i++) {
		add_pair(&gemm, r[i]->gemm_us);
		add_pair(&attention, r[i]->attention_us);
		add_pair(&compute, r[i]->compute_us);
		add_pair(&memory, r[i]->memory_us);
		add_pair(&rest, &r[i]->comm_us);
	}
	set_pair(b, PART_PREFILL_GEMM, PART_DECODE_GEMM, &gemm);
	set_pair(b, PART_PREFILL_ATTENTION, PART_DECODE_ATTENTION, &attention);
	set_pair(b, PART_PREFILL_COMPUTE, PART_DECODE_COMPUTE, &compute);
	set_pair(b, PART_PREFILL_MEMORY, PART_DECODE_MEMORY, &memory);
	set_pair(b, PART_COMM, PART_OVERHEAD, &rest);
}

void breakdown_add(struct breakdown *b, uint32_t n, const sc_result *const *r)
{
	add_parts(b, n, r);
	b->steps += n;
	for (uint32_t i = 0; i < n; i++)
		b->total_us += r[i]->total_us;
	for (uint32_t k = 0; k < b->named.n; k++)
		for (uint32_t i = 0; i < n; i++)
			b->named_us[k] += named_us(&b->named.part[k], r[i]);
}
