/* Faults on demand: read and drawn. */
#include "serve/faults.h"
#include <string.h>
#include "tap.h"

static void refuses(const char *text)
{
	struct fault_shares s;
	struct problem p;
	ok(fault_shares_parse(text, &s, &p) < 0 && p.code == EXIT_USAGE,
	   "refused: %s", text);
}

int main(void)
{
	struct fault_shares s;
	struct problem p;
	struct fault f;
	int n[N_FAULTS] = {0};
	ok(fault_parse(" stall:2.5 ", 11, &f) == 0 && f.kind == FAULT_STALL &&
	       f.value == 2.5,
	   "a stall");
	ok(fault_parse("cut", 3, &f) < 0 && fault_parse("429:1", 5, &f) < 0 &&
	       fault_parse("418", 3, &f) < 0 && fault_parse("", 0, &f) < 0,
	   "no faults");
	ok(fault_shares_parse("429=0.25, cut:3=0.5", &s, &p) == 0 && s.n == 2,
	   "shares");
	for (uint64_t i = 0; i < 10000; i++)
		n[fault_draw(&s, 7, i).kind]++;
	ok(n[FAULT_429] > 2300 && n[FAULT_429] < 2700 && n[FAULT_CUT] > 4800 &&
	       n[FAULT_CUT] < 5200,
	   "%d and %d of 10000", n[FAULT_429], n[FAULT_CUT]);
	ok(fault_draw(&s, 7, 5).kind == fault_draw(&s, 7, 5).kind,
	   "the same draw");
	refuses("429");
	refuses("429=2");
	refuses("429=0.6,500=0.6");
	refuses("429=0.1x");
	return done();
}
