/* choose/sets.h -- The sets among the tables: which engine, version and GPU
 * each was measured for. */
#ifndef OPERATORS_CHOOSE_SETS_H
#define OPERATORS_CHOOSE_SETS_H
#include "stepcost/rates.h"
#include "policy/policy.h"

struct inst;

enum { MAX_SETS = 64, VERSION_NUMBERS = 4 };
struct set {
	const char *name;
	const sc_table *any; /* for its notes */
	uint32_t engine;     /* ENGINE_VLLM … ENGINE_OTHER */
	double version[VERSION_NUMBERS];
	struct sc_rates rates; /* of the GPU that it was measured on */
	int own;               /* that GPU is the one that is simulated */
	double distance;       /* of that GPU from it */
};

/* The sets among the tables, nearest GPU first, newest of an engine first. */
int32_t sets_read(struct inst *s, sc_error *err);
/* What version numbers a name ends with, "vllm-0.24"; [0] -1: none. */
void version_of(const char *name, double version[VERSION_NUMBERS]);
/* How many versions lie between two, by the first number that differs: 9 from
 * 0.15 to 0.24.  0: they are alike, or one is not known or a date. */
double versions_between(const double a[VERSION_NUMBERS],
			const double b[VERSION_NUMBERS]);
/* Tells the user if GEMMs of the simulated engine come from another version. */
void sets_say_version(const struct inst *s);
/* Returns 1 if it is at least first, which is major and minor. */
int version_from(const double version[VERSION_NUMBERS], const double first[2]);
#endif
