/* arm/variants.h -- arms made from one arm of an INI: the same but for a knob.
 *
 * What they are is said as --set assignments and a list for --arms, so the
 * configuration that results is checked like any other.  A preset pair is
 * looked up in what the plugin declares, which a child process loads. [main] */
#ifndef SC_ARM_VARIANTS_H
#define SC_ARM_VARIANTS_H
#include <stddef.h>
#include "base/ini.h"
#include "base/problem.h"

struct variant {
	char *arm;          /* its name                                     */
	char *knob, *value; /* what is set; NULL: nothing                    */
};
struct variants {
	struct variant *item; /* item[0]: what the others are compared to    */
	size_t n;
	char **set; /* "--OPTION section.key=value", as config_read() takes  */
	size_t n_set;
	char *arms; /* "a,b,c", in order                                     */
};

/* Both: what an INI says, c, and an option's text.  0, or -1 with *p;
 * variants_free() in either case. */
/* "ARM.KNOB=a,b,c": that arm, and one more for each value.  ARM is an arm's
 * name or its plugin's. */
int variants_ablate(struct variants *v, const struct ini *c, const char *text,
		    struct problem *p);
/* "ARM=FROM,TO": the arm under preset TO, under FROM, and under TO with one
 * knob after another set back to what FROM says. */
int variants_leave_one_out(struct variants *v, const struct ini *c,
			   const char *text, struct problem *p);
void variants_free(struct variants *v);
#endif
