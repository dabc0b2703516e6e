/* choose/sets.h -- The sets among the tables: which engine, version and GPU
 * each was measured for. */
#ifndef OPERATORS_CHOOSE_SETS_H
#define OPERATORS_CHOOSE_SETS_H
#include "stepcost/kernel/rates.h"
#include "stepcost/kernel/version.h"
#include "policy/policy.h"

struct inst;

enum { MAX_SETS = 64 };
struct set {
	const char *name;
	const sc_table *any; /* for its notes */
	uint32_t engine;     /* ENGINE_VLLM … ENGINE_OTHER */
	double version[SC_VERSION_NUMBERS];
	struct sc_rates rates; /* of the GPU that it was measured on */
	int own;               /* that GPU is the one that is simulated */
	double distance;       /* of that GPU from it */
};

/* The sets among the tables, nearest GPU first, newest of an engine first. */
int32_t sets_read(struct inst *s, sc_error *err);
/* Tells the user if GEMMs of the simulated engine come from another version. */
void sets_say_version(const struct inst *s);
/* Returns 1 if it is at least first, which is major and minor. */
int version_from(const double version[SC_VERSION_NUMBERS],
		 const double first[2]);
#endif
