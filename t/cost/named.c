/* Parts that a plugin names, by kind and phase. */
#include "cost/named.h"
#include <math.h>
#include "tap.h"

static const sc_part moe = {sizeof moe, SC_PART_GEMM, "moe", ""};
static const sc_part mla = {sizeof mla, SC_PART_ATTENTION, "mla", ""};
static const sc_part sent = {sizeof sent, SC_PART_COMM,
			     "a_name_that_is_longer_than_there_is_room_for",
			     ""};
static const sc_part *const part[] = {&moe, &mla, &sent};

int main(void)
{
	sc_plugin p = {.size = sizeof p, .n_parts = 3};
	struct named_parts n;
	named_parts(&n, &p);
	ok(n.n == 0, "a plugin without names");
	p.part = part;
	named_parts(&n, &p);
	ok(n.n == 5, "two in both phases, one in none");
	ok(!strcmp(n.part[1].name, "moe") && n.part[1].phase == SC_DECODE &&
	       n.part[1].at == 3 && n.part[0].at == 0,
	   "decode stands behind all of prefill");
	ok(n.part[2].kind == SC_PART_ATTENTION && n.part[4].at == 2 &&
	       n.part[4].phase == 0,
	   "a kind without a phase stands in front");
	ok(strlen(n.part[4].name) == NAMED_SIZE - 1, "a long name is cut");
	ok(named_has_phases(SC_PART_GEMM) &&
	       named_has_phases(SC_PART_ATTENTION) &&
	       !named_has_phases(SC_PART_COMM) &&
	       !named_has_phases(SC_PART_OVERHEAD),
	   "kinds with phases");

	double us[6] = {1, NAN, 3, 4, 5, NAN};
	sc_result r = {.size = sizeof r};
	ok(named_us(&n.part[0], &r) == 0, "nobody asked");
	r.part_us = us;
	ok(named_us(&n.part[0], &r) == 1 && named_us(&n.part[2], &r) == 0 &&
	       named_us(&n.part[3], &r) == 5 && named_us(&n.part[4], &r) == 3,
	   "as answered, NaN as nothing");

	static const sc_part *many[40];
	for (int i = 0; i < 40; i++)
		many[i] = &moe;
	p.part = many;
	p.n_parts = 40;
	named_parts(&n, &p);
	ok(n.n == NAMED_PARTS, "no more than there is room for");
	return done();
}
