/* arena_keys.c -- Lists the keys of [arena], and the files that they name. */
#include "keys/arena_keys.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "keys/datafile.h"
#include "keys/keys.h"
#include "stepcost/knob.h"

#define KEYS struct arena_keys
const sc_knob *const arena_key[] = {
    KEY_TEXT_OF(KEYS, sets, "",
		"files of measured steps, comma between; each is a set"),
    KEY_TEXT_OF(KEYS, runs, "",
		"files of measured serving runs, comma between; each is a set "
		"of its TTFT, its TPOT and its E2EL"),
    KEY_TEXT_OF(KEYS, arms, "", "as --arms; empty: all"),
    KEY_TEXT_OF(KEYS, baseline, "linear",
		"the arm that others must beat, linear (five numbers fitted to "
		"each set of steps), or none"),
    KEY_TEXT_OF(KEYS, output, "", "the page, as --html; empty: none"),
    SC_DOUBLE(KEYS, margin, "-1", -1, 1000, "%",
	      "arms within that many points of mean error of the best are "
	      "named; below 0: none"),
};
const uint32_t arena_n_keys = sizeof arena_key / sizeof *arena_key;

/* Returns the path of one file; NULL: memory is out. */
static char *resolve(const struct ini *c, const char *key, const char *file)
{
	char *path = ini_resolve_key(c, "arena", key, file);
	char *shipped = datafile_shipped(file);
	if (path && shipped && access(path, F_OK) < 0 &&
	    access(shipped, F_OK) == 0) {
		free(path);
		return shipped;
	}
	free(shipped);
	return path;
}

int arena_files(struct names *to, const struct ini *c, const char *key)
{
	const char *value = ini_get(c, "arena", key);
	char *list = strdup(value ? value : ""), *rest = list, *word;
	int rc = list ? 0 : -1;
	while (rc == 0 && (word = strsep(&rest, ", \t"))) {
		char *path = *word ? resolve(c, key, word) : NULL;
		if (*word)
			rc = path ? names_add(to, path) : -1;
		free(path);
	}
	free(list);
	return rc;
}
