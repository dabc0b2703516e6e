/* measured.c -- Any bytes as a file of measured runs, CSV or JSON as it begins,
 * as facts about them, and as the trace of one; before a line "==" an alias
 * file.  May be refused, must not crash; every value that was read is in the
 * file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "validate/measured/aliases.h"
#include "validate/measured/cells.h"
#include "validate/measured/facts.h"
#include "validate/measured/measured_read.h"
#include "validate/measured/measured_requests.h"
#include "validate/measured/rules.h"

static int set(void *user, const char *key, const struct ini_item *t)
{
	const struct measured_row *r = user;
	char value[300];
	if (cells_fill(t->value, r, value, sizeof value) &&
	    strlen(value) >= sizeof value)
		abort();
	return !key[0] || !t->value;
}

static void read_file(const char *path, const struct ini *aliases)
{
	struct measured m = {0};
	struct planned_request *request;
	struct problem p;
	uint64_t n;
	size_t laid;
	if (measured_read(&m, path, aliases, &p) == 0)
		for (size_t i = 0; i < m.n; i++) {
			if (strcmp(m.row[i].file, path) != 0)
				abort();
			if (m.row[i].gpu)
				alias_of(aliases, "gpu", m.row[i].gpu);
			rules_each(aliases, &m.row[i], "engine.", set,
				   &m.row[i]);
			rules_get(aliases, &m.row[i], "engine.block_size");
			measured_has_flag(&m.row[i], "A");
			facts_answer(&m.row[i], aliases, "A");
			measured_tpot_has_first_token(&m.row[i]);
		}
	facts_read(&m, path, aliases, &laid, &p);
	measured_keep_means(&m);
	measured_free(&m);
	if (measured_trace(path, aliases, NAN, &request, &n, &p) == 0)
		free(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH], own[300];
	struct ini aliases;
	struct problem p;
	size_t from, head = fuzz_split(data, size, &from);
	if (head)
		fuzz_put("aliases.ini", data, head);
	snprintf(own, sizeof own, "%s/aliases.ini", fuzz_folder());
	int named = head && aliases_read(&aliases, own, &p) == 0;
	int fd = fuzz_file(data + from, size - from, path);
	if (fd >= 0) {
		read_file(path, named ? &aliases : NULL);
		close(fd);
	}
	if (head)
		ini_free(&aliases);
	return 0;
}
