/* units.c -- The program of a room: it runs the test of one module, which is
 * named by the link that starts it (t/sim/kv/kv, made by make) or by its first
 * argument (t/sim/all kv/kv).  Without a name it lists the tests that it has.
 */
#include "units.h"
#include <stdio.h>
#include <string.h>

char **unit_arguments;
static struct unit *units;

void unit_add(struct unit *u)
{
	u->next = units;
	units = u;
}

/* Returns what follows the last folder t/: sim/kv/kv.c of ../t/sim/kv/kv.c. */
static const char *below_t(const char *path)
{
	const char *below = path;
	for (const char *p = path; (p = strstr(p, "t/")); p++)
		if (p == path || p[-1] == '/')
			below = p + 2;
	return below;
}

static int list_units(void)
{
	for (const struct unit *u = units; u; u = u->next)
		printf("t/%s\n", below_t(u->file));
	return 0;
}

int main(int argc, char **argv)
{
	char file[512];
	const char *name = below_t(*argv), *last = strrchr(*argv, '/');
	unit_arguments = argv + 1;
	if (!last || strcmp(last, "/all") != 0)
		snprintf(file, sizeof file, "%s.c", name);
	else if (argc == 1)
		return list_units();
	else
		snprintf(file, sizeof file, "%.*s/%s.c", (int)(last - name),
			 name, *unit_arguments++);
	for (const struct unit *u = units; u; u = u->next)
		if (!strcmp(below_t(u->file), file))
			return u->run();
	fprintf(stderr, "%s: has no test t/%s\n", *argv, file);
	return 2;
}
