/* ini.c -- Any bytes as an INI file, and its first line as the text of --set;
 * may fail, must not crash, and the value that was set is found. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "base/ini.h"

static void override(struct ini *c, const char *text)
{
	struct problem p;
	char *line = strndup(text, strcspn(text, "\n"));
	size_t before = c->n;
	if (line && ini_override(c, line, &p) == 0 && c->n < before)
		abort();
	free(line);
}

static void check_item(const struct ini *c, const struct ini_item *t)
{
	if (!ini_find(c, t->section, t->key))
		abort();
	if (t->value[0])
		free(ini_resolve_key(c, t->section, t->key, t->value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ini c;
	struct problem p;
	char *text = fuzz_text(data, size, 1 << 16);
	if (ini_read(&c, (const char *)data, size, &p) == 0) {
		if (text)
			override(&c, text);
		for (size_t i = 0; i < c.n; i++)
			check_item(&c, &c.item[i]);
		ini_free(&c);
	}
	free(text);
	return 0;
}
