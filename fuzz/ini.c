/* ini.c -- Any bytes as an INI file, and its first line as the text of --set;
 * may fail, must not crash, the value that was set is found, and an INI that
 * was written has the same keys when it is read again. */
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

/* A path in a value may have become absolute. */
static void check_again(const struct ini *c, const struct ini *again)
{
	if (again->n != c->n)
		abort();
	for (size_t i = 0; i < c->n; i++) {
		const struct ini_item *t = &c->item[i];
		const char *value = ini_get(again, t->section, t->key);
		if (!value || (strcmp(value, t->value) && !strchr(value, '/')))
			abort();
	}
}

static void write_and_read(const struct ini *c)
{
	char *text = NULL;
	size_t n = 0;
	struct ini again;
	struct problem p;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return;
	int rc = ini_write(c, f, &p);
	fclose(f);
	if (rc == 0) {
		if (ini_read(&again, text, n, &p) < 0)
			abort();
		check_again(c, &again);
		ini_free(&again);
	}
	free(text);
}

/* Without its first key, there is one key less. */
static void drop_first(struct ini *c)
{
	size_t before = c->n;
	if (!before)
		return;
	char *section = strdup(c->item[0].section);
	char *key = strdup(c->item[0].key);
	ini_drop(c, section, key);
	if (c->n != before - 1 || ini_find(c, section, key))
		abort();
	ini_drop(c, section, key);
	if (c->n != before - 1 || !ini_section_at(c, section))
		abort();
	free(section);
	free(key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ini c;
	struct problem p;
	char *text = fuzz_text(data, size, 1 << 16);
	if (ini_read(&c, (const char *)data, size, &p) == 0) {
		write_and_read(&c);
		if (text)
			override(&c, text);
		for (size_t i = 0; i < c.n; i++)
			check_item(&c, &c.item[i]);
		drop_first(&c);
		ini_free(&c);
	}
	free(text);
	return 0;
}
