/* Measured acceptance lengths: every row of the file is a possible one. */
#include "engine/acceptance.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static struct problem p;

static void rows(void)
{
	char path[4096], line[500], set[100], drafter[100];
	const char *data = getenv("STEPCOST_DATA_PATH");
	unsigned n = 0, drafts;
	double length, got;
	snprintf(path, sizeof path, "%s/etc/acceptance.csv", data ? data : ".");
	FILE *f = fopen(path, "r");
	if (!f)
		bail_out(path);
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "%99[^,],\"%99[^\"]\",%*[a-z],%u,%lf", set,
			   drafter, &drafts, &length) != 4)
			continue;
		n++;
		if (!(length >= 1 && length <= drafts + 1) ||
		    acceptance_length(&got, set, drafts, &p) < 0 ||
		    got != length)
			ok(0, "%s %u: %s", set, drafts, p.text);
	}
	fclose(f);
	ok(n > 100, "%u rows are found and possible", n);
}

int main(void)
{
	double length;
	rows();
	ok(acceptance_length(&length, "kimi-k2.5.eagle3", 4, &p) == 0 &&
	       length == 3.24,
	   "a length");
	ok(acceptance_length(&length, "kimi-k2.5.eagle3", 9, &p) < 0 &&
	       p.code == EXIT_USAGE &&
	       strstr(p.text, "no length for 9 drafts, only for 1, 2, 3"),
	   "%s", p.text);
	ok(acceptance_length(&length, "kimi", 2, &p) < 0 &&
	       strstr(p.text, "no set is called kimi; there are: ") &&
	       strstr(p.text, "glm-5.2.mtp"),
	   "%s", p.text);
	return done();
}
