/* memo.h -- Answers by what they are a function of: most of a step depends on
 * its tokens alone, and padding leaves few numbers of tokens.  Made at
 * create(); a slot that is taken by another question is overwritten, so that an
 * answer is the same whatever was asked before. */
#ifndef OPERATORS_MEMO_H
#define OPERATORS_MEMO_H
#include "price/mla.h"
#include "step/price.h"

/* The kinds of questions. */
enum memo_kind {
	MEMO_TOKENS,       /* of this rank, of the group; decodes alone */
	MEMO_TOKENS_MIXED, /* the same with prompts */
	MEMO_SAMPLED,      /* sequences that emit a token */
	/* of an MLA call, for each of two phases: tokens around its core; or
	   decodes, in a module's projections */
	MEMO_AROUND,
};
struct memo_slot {
	uint32_t used, kind;
	double a, b, c;
	struct answer answer;               /* or */
	double projections_us[MAX_MODULES]; /* or */
	struct price price;                 /* with: */
	double lookup_us[SC_N_PROVENANCE];
	uint32_t lookups[SC_N_PROVENANCE];
	struct parts parts;
};
struct memo;

/* The slot answers that question. */
static inline int memo_is(const struct memo_slot *s, uint32_t kind, double a,
			  double b, double c)
{
	return s->used && s->kind == kind && s->a == a && s->b == b &&
	       s->c == c;
}
struct memo *memo_new(void); /* NULL: out of memory */
void memo_free(struct memo *m);
/* The slot of a question; *is_new: its answer is the caller's to fill, before
 * another question. */
struct memo_slot *memo_slot(struct memo *m, uint32_t kind, double a, double b,
			    double c, int *is_new);
#endif
