/* plugin/verdict.h -- how a promise of stepcost/plugin.h fared: what
 * conformance.h tells, line by line. */
#ifndef SC_PLUGIN_VERDICT_H
#define SC_PLUGIN_VERDICT_H

struct verdict {
	enum verdict_is { VERDICT_OK, VERDICT_NOT_OK, VERDICT_SKIP } is;
	const char *preset; /* "": the default knobs */
	const char *check;
	const char *why;   /* not ok: what and where; skip: the reason */
	const char *notes; /* lines, or "" */
};
/* Takes the verdicts as they come; they are gone after the call. */
typedef void (*verdict_fn)(void *user, const struct verdict *v);
#endif
