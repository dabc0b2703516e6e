/* plugin/verdict.h -- the verdict on a promise of stepcost/plugin.h, which
 * conformance.h reports line by line. */
#pragma once

struct verdict {
	enum verdict_is { VERDICT_OK, VERDICT_NOT_OK, VERDICT_SKIP } is;
	const char *preset; /* "": the default knobs */
	const char *check;
	const char *why; /* not ok: the fault and its place; skip: the reason */
	const char *notes; /* lines, or "" */
};
/* Receives each verdict; it is valid during the call. */
typedef void (*verdict_fn)(void *user, const struct verdict *v);
