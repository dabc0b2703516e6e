/* trust/support.h -- how far a prediction can be trusted: what is known of the
 * errors of its cost model at the point that was asked for.
 *
 * Its scored errors come in a file of the model's own; while none ships, every
 * answer is SUPPORT_NOT_SCORED.  Plain data; no printing. */
#ifndef SC_TRUST_SUPPORT_H
#define SC_TRUST_SUPPORT_H
#include <stdint.h>
#include <stdio.h>

enum support_verdict {
	SUPPORT_NOT_SCORED,   /* there are no scored errors                  */
	SUPPORT_EXTRAPOLATED, /* detail: in what no scored row is like it    */
	SUPPORT_MEASURED,     /* scored rows agree with it in everything     */
	SUPPORT_KNOWN_WRONG,  /* so they do, and their errors are large      */
};
extern const char *const support_name[];

struct support {
	enum support_verdict verdict;
	uint32_t n;   /* scored rows that it rests on                        */
	double error; /* mean of their absolute errors, 0.04: 4 %; NaN: none */
	char detail[200]; /* "" or more of it                                */
};

/* Of a plugin, by its name and version. */
struct support support_of(const char *plugin, const char *version);
/* "measured: 12 rows, mean error 4.1 %", "not scored". */
void support_write(const struct support *s, FILE *f);
#endif
