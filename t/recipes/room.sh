words='ROOM=probing NAME=probe'
wants='PASS'
plant() {
	mkdir src/probing t/probing
	cat >src/probing/probe.h <<'X'
/* probing/probe.h -- knows the answer. */
#pragma once
int probe_answer(void);
X
	cat >src/probing/probe.c <<'X'
/* probe.c -- Knows the answer. */
#include "probing/probe.h"

int probe_answer(void)
{
	return 42;
}
X
	cat >t/probing/probe.c <<'X'
#include "probing/probe.h"
#include "tap.h"

int main(void)
{
	ok(probe_answer() == 42, "knows it");
	return done();
}
X
	behind src/ROOMS '2  keys' '2  probing     answers'
	replace HACKING.md '^2  decide math draw keys ' '2  decide math draw keys probing '
}
