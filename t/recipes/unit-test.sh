words='ROOM=math NAME=probe_sum'
wants='PASS'
plant() {
	cat >src/math/probe_sum.h <<'X'
/* math/probe_sum.h -- adds. */
#ifndef SC_MATH_PROBE_SUM_H
#define SC_MATH_PROBE_SUM_H
int probe_sum(int a, int b);
#endif
X
	cat >src/math/probe_sum.c <<'X'
/* probe_sum.c -- Adds. */
#include <config.h>
#include "math/probe_sum.h"

int probe_sum(int a, int b)
{
	return a + b;
}
X
	cat >t/math/probe_sum.c <<'X'
#include "math/probe_sum.h"
#include "tap.h"

int main(void)
{
	ok(probe_sum(1, 2) == 3, "adds");
	return done();
}
X
}
