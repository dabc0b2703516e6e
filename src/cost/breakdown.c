/* breakdown.c -- Names the parts of a price and adds them up. */
#include "cost/breakdown.h"
#include <math.h>
#include <string.h>
#include "base/csv.h"
#include "base/two.h"

const char *const part_name[N_PARTS] = {
    "prefill_gemm", "prefill_attention", "prefill_compute", "prefill_memory",
    "decode_gemm",  "decode_attention",  "decode_compute",  "decode_memory",
    "comm",         "overhead",
};
static const char *const bound_name[] = {"none", "compute", "memory", "comm",
					 "overhead"};
const char *const provenance_name[] = {"exact", "interpolated", "clamped",
				       "substituted", "fallback"};

/* A table and not a switch, because each step asks for it ten times. */
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

/* Writes nothing for NaN. */
void breakdown_csv_cells(FILE *f, const sc_result *r)
{
	csv_number(f, r->total_us);
	csv_next_number(f, breakdown_exact_us(r));
	fprintf(f, ",%s", breakdown_bound(r));
	for (int i = 0; i < N_PARTS; i++)
		csv_next_number(f, part_of(r, (enum part)i));
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, ",%u", r->lookups[i]);
}

/* ---- sums ---- */

/* Two neighbouring parts of a price. */
struct pair {
	two_doubles us;
	two_words has;
};

static inline struct pair pair_at(const struct breakdown *b, size_t place)
{
	return (struct pair){*(const two_doubles *)&b->sum_us[place],
			     *(const two_words *)&b->has[place]};
}

static inline void set_pair(struct breakdown *b, size_t place,
			    const struct pair *p)
{
	*(two_doubles *)&b->sum_us[place] = p->us;
	*(two_words *)&b->has[place] = p->has;
}

/* NaN becomes 0, which changes no sum that began with 0. */
static inline two_doubles or_zeros(two_doubles us, two_words *is_there)
{
	*is_there = us <= HUGE_VAL;
	return (two_doubles)((two_words)us & *is_there);
}

static inline void add_pair(struct pair *sum, const double *us)
{
	two_words is_there;
	sum->us += or_zeros(*(const two_doubles *)us, &is_there);
	sum->has -= is_there;
}

/* Offset of the first part in sc_result; the others follow it. */
#define FIRST_PART offsetof(sc_result, gemm_us)

static void add_parts(struct breakdown *b, uint32_t n,
		      const sc_result *const *r)
{
	_Static_assert(offsetof(sc_result, overhead_us) ==
			   FIRST_PART + (N_PARTS - 1) * sizeof(double),
		       "side by side");
	struct pair gemm = pair_at(b, 0), attention = pair_at(b, 2),
		    compute = pair_at(b, 4), memory = pair_at(b, 6),
		    rest = pair_at(b, 8);
	for (uint32_t i = 0; i < n; i++) {
		add_pair(&gemm, r[i]->gemm_us);
		add_pair(&attention, r[i]->attention_us);
		add_pair(&compute, r[i]->compute_us);
		add_pair(&memory, r[i]->memory_us);
		add_pair(&rest, &r[i]->comm_us);
		b->total_us += r[i]->total_us;
	}
	set_pair(b, 0, &gemm);
	set_pair(b, 2, &attention);
	set_pair(b, 4, &compute);
	set_pair(b, 6, &memory);
	set_pair(b, 8, &rest);
}

/* Adds four neighbouring parts of n prices, in that order. */
static void add_four(double *sum_us, uint32_t n, const sc_result *const *r,
		     uint32_t place)
{
	two_doubles *to = (two_doubles *)sum_us, low = to[0], high = to[1];
	two_words unused;
	for (uint32_t i = 0; i < n; i++) {
		const two_doubles *us =
		    (const two_doubles *)(r[i]->part_us + place);
		low += or_zeros(us[0], &unused);
		high += or_zeros(us[1], &unused);
	}
	to[0] = low;
	to[1] = high;
}

/* Adds the named parts of one phase. */
static void add_named(struct breakdown *b, uint32_t phase, uint32_t n,
		      const sc_result *const *r)
{
	uint32_t i = 0, first = phase * b->named.n_parts;
	double *sum_us = b->named_us[phase];
	for (; i + 4 <= b->named.places[phase]; i += 4)
		add_four(sum_us + i, n, r, first + i);
	for (; i < b->named.places[phase]; i++)
		for (uint32_t k = 0; k < n; k++)
			sum_us[i] +=
			    breakdown_or_zero(r[k]->part_us[first + i]);
}

void breakdown_add(struct breakdown *b, uint32_t n, const sc_result *const *r)
{
	add_parts(b, n, r);
	b->steps += n;
	if (n && r[0]->part_us)
		for (uint32_t phase = 0; phase < 2; phase++)
			add_named(b, phase, n, r);
}

double breakdown_named_us(const struct breakdown *b, uint32_t i)
{
	const struct named_part *part = &b->named.part[i];
	uint32_t place = part->at - part->phase * b->named.n_parts;
	return b->named_us[part->phase][place];
}

double breakdown_sum_us(const struct breakdown *b, enum part part)
{
	size_t place = (part_at[part] - FIRST_PART) / sizeof(double);
	return b->has[place] ? b->sum_us[place] : NAN;
}
