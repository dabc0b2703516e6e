/* units.h -- the tests of a room are one program (units.c), in which each
 * module leaves its test under the name of its file. */
#ifndef T_UNITS_H
#define T_UNITS_H

struct unit {
	const char *file;
	int (*run)(void);
	struct unit *next;
};
void unit_add(struct unit *u);

/* What the command line has after the name; ends with NULL. */
extern char **unit_arguments;
#endif
