/* speculation.c -- Any bytes as the INI of an engine that drafts tokens; may be
 * refused, must not crash, and rates that are accepted are probabilities that
 * fall, of no more drafts than there are. */
#include <stdlib.h>
#include "fuzz.h"
#include "engine/keys/fill.h"
#include "engine/speculation.h"

static void check(const struct speculation *s)
{
	double before = 1;
	for (uint32_t i = 0; i < s->drafts; i++) {
		if (!(s->rate[i] >= 0 && s->rate[i] <= before) ||
		    !(s->accept[i] >= 0 && s->accept[i] <= 1))
			abort();
		before = s->rate[i];
	}
	for (size_t n = 1; n < 1 << 20; n *= 2)
		if (speculation_drafts(s, n) > s->drafts)
			abort();
	if (!speculation_same(s, s))
		abort();
}

static const char lengths[] =
    "set,drafter,thinking,drafts,acceptance_length,source\n"
    "a.mtp,MTP,yes,1,1.8,x\na.mtp,MTP,yes,2,2.3,x\nb.eagle,EAGLE,no,4,3,y\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ini c;
	const struct engine_source from = {.ini = &c};
	struct engine_keys k;
	struct speculation s;
	struct problem p;
	static int has_data;
	if (!has_data++)
		fuzz_put_data("etc/acceptance.csv", lengths);
	if (ini_read(&c, (const char *)data, size, &p) < 0)
		return 0;
	if (engine_keys_fill(&k, &from, &p) == 0 &&
	    speculation_resolve(&s, &k, &from, &p) == 0)
		check(&s);
	ini_free(&c);
	return 0;
}
