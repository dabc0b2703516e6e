words='ROOM=math NAME=probe_sum'
wants='PASS'
plant() {
	cat >src/math/probe_sum.h <<'X'
/* math/probe_sum.h -- adds. */
#pragma once
int probe_sum(int a, int b);
X
	cat >src/math/probe_sum.c <<'X'
/* probe_sum.c -- Adds. */
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
