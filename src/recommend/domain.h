/* recommend/domain.h -- the keys to try, and the values of each: a table of
 * defaults, which --search replaces and --fix leaves out.
 *
 * Values may be words that depend on the GPUs at hand: `all` replicas that fit,
 * `each` number of them, the `rest` of the GPUs of a replica.  Knows nothing of
 * cost models.  [main] */
#pragma once
#include "arm/configuration.h"
#include "base/names.h"

/* The keys of the table; others that --search names come behind. */
enum {
	DOMAIN_MODEL,
	DOMAIN_HARDWARE,
	/* of a replica that computes prompts and generates */
	DOMAIN_TP,
	DOMAIN_PP,
	DOMAIN_DP,
	DOMAIN_EP,
	DOMAIN_REPLICAS,
	/* of prefill and decode apart */
	DOMAIN_PREFILL_TP,
	DOMAIN_PREFILL_REPLICAS,
	DOMAIN_DECODE_TP,
	DOMAIN_DECODE_REPLICAS,
	/* limits of a step */
	DOMAIN_TOKENS,
	DOMAIN_SEQS,
	DOMAIN_KEYS
};
/* The GPUs of a node: more are not asked to share a matrix. */
enum { DOMAIN_NODE = 8 };

struct domain {
	const char *key; /* "section.key"                                    */
	char *owned;     /* of a key that is not in the table; NULL          */
	struct names value; /* empty: the key is not tried                   */
	int is_given;       /* by the user                                   */
};
struct domains {
	struct domain *item; /* [n] */
	size_t n;
};

/* What the user asks for; every text may be NULL. */
struct domain_request {
	const struct names *search; /* "SECTION.KEY=VALUES"                  */
	const struct names *fix;    /* "KEY", or "KEY,KEY"                   */
	const char *models, *hardware; /* "A,B"                              */
	double rate; /* requests/s to serve; 0: none                         */
	int has_roles; /* prefill and decode apart are tried              */
	int has_aggregated; /* replicas that do both are tried                */
};

/* base: the configuration without any point.  Returns 0, or -1 with *p
 * (EXIT_USAGE): a key given twice, or searched and fixed; a key that the
 * requests depend on; no value.  domains_free() in either case. */
int domains_make(struct domains *d, const struct domain_request *r,
		 const struct config *base, struct problem *p);
void domains_free(struct domains *d);
/* Returns the engine of the configuration. */
enum engine_scheduler domain_engine(const struct config *base);
/* Returns 1 if the key of a plan is such a limit, of any engine. */
int domain_is_limit(const char *key, int which);
