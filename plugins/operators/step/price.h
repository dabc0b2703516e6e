/* price.h -- Sums of priced kernels, by part and by how they were found. */
#ifndef OPERATORS_PRICE_H
#define OPERATORS_PRICE_H
#include "step/parts.h"
#include "price/answer.h"

/* The parts of attention, from PART_ATTENTION on. */
enum { N_ATTENTIONS = PART_ALL_REDUCE - PART_ATTENTION };
/* Time by part; attention by phase, SC_PREFILL and SC_DECODE, then part. */
struct parts {
	double part[N_PARTS];
	double attention_us[2][N_ATTENTIONS];
};
/* The same time by kind, and the lookups that it rests on. */
struct price {
	double share; /* of each added time that counts */
	double gemm_us, comm_us, attention_us[2], overhead_us;
	double *lookup_us; /* by provenance; of the slot or the answer, which */
	uint32_t *lookups; /* are not copied while they are written */
	struct parts *parts; /* NULL: not wanted */
};

#define PART_KIND(constant, kind, name, help) [constant] = SC_PART_##kind,
static const uint32_t kind_of_part[N_PARTS] = {PARTS(PART_KIND)};

/* Time in a part that has no phases. */
static inline void price_part(struct price *p, uint32_t part, double us)
{
	double *sum[] = {[SC_PART_GEMM] = &p->gemm_us,
			 [SC_PART_COMM] = &p->comm_us,
			 [SC_PART_OVERHEAD] = &p->overhead_us};
	*sum[kind_of_part[part]] += p->share * us;
	if (p->parts)
		p->parts->part[part] += p->share * us;
}

/* Counts a lookup, and the time that rests on it. */
static inline void price_lookup(struct price *p, uint32_t provenance, double us)
{
	p->lookups[provenance]++;
	p->lookup_us[provenance] += p->share * us;
}

/* `count` kernels in a part. */
static inline void price_add(struct price *p, uint32_t part, struct answer a,
			     double count)
{
	price_part(p, part, count * a.us);
	price_lookup(p, a.provenance, count * a.us);
}

/* `count` kernels of attention; part: PART_ATTENTION ... */
static inline void price_attention(struct price *p, uint32_t part, int phase,
				   struct answer a, double count)
{
	double us = count * a.us;
	p->attention_us[phase] += p->share * us;
	price_lookup(p, a.provenance, us);
	if (p->parts)
		p->parts->attention_us[phase][part - PART_ATTENTION] +=
		    p->share * us;
}

/* All of it. */
static inline double price_sum(const struct price *p)
{
	return p->gemm_us + p->attention_us[0] + p->attention_us[1] +
	       p->comm_us + p->overhead_us;
}

static inline void parts_merge(struct parts *sum, const struct parts *p,
			       double share)
{
	for (int i = 0; i < N_PARTS; i++)
		sum->part[i] += share * p->part[i];
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < N_ATTENTIONS; j++)
			sum->attention_us[i][j] +=
			    share * p->attention_us[i][j];
}

/* A lookup is one, however often its time counts. */
static inline void price_merge(struct price *sum, const struct price *p)
{
	double share = sum->share;
	sum->gemm_us += share * p->gemm_us;
	sum->comm_us += share * p->comm_us;
	sum->overhead_us += share * p->overhead_us;
	for (int i = 0; i < 2; i++)
		sum->attention_us[i] += share * p->attention_us[i];
	for (int i = 0; i < SC_N_PROVENANCE; i++) {
		sum->lookups[i] += p->lookups[i];
		sum->lookup_us[i] += share * p->lookup_us[i];
	}
	if (sum->parts)
		parts_merge(sum->parts, p->parts, share);
}
#endif
