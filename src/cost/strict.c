/* strict.c -- The choices of --strict. */
#include "cost/strict.h"
#include <stddef.h>
#include "stepcost/plugin.h"

enum { CHOICE_FLOOR = SC_N_PROVENANCE - SC_CLAMPED + 1 };
const char *const strict_choice[] = {"clamped", "substituted", "fallback",
				     "floor", NULL};

struct strict strict_of(int choice)
{
	if (choice == CHOICE_FLOOR)
		return (struct strict){SC_N_PROVENANCE, 1};
	return (struct strict){choice == 0  ? SC_N_PROVENANCE
			       : choice < 0 ? SC_FALLBACK
					    : SC_CLAMPED + (uint32_t)choice - 1,
			       0};
}

int strict_is_on(const struct strict *s)
{
	return s->floor || s->lookups < SC_N_PROVENANCE;
}
