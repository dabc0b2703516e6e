/* configuration.c -- Any bytes as the INI that commands take, and before a line
 * "==" what --set says, a line each ("arms a,b": --arms); may be refused, must
 * not crash.  Models, GPUs, tables and plugins are found by name, where the
 * environment says; none is loaded from a path. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "arm/arm_gpus.h"
#include "arm/configuration.h"

enum { MOST_SETS = 20 };

/* "plugin = /path": the file would run. */
static int names_a_file(const char *text)
{
	for (; (text = strstr(text, "plugin")); text++)
		if (memchr(text, '/', strcspn(text, "\n")))
			return 1;
	return 0;
}

static void ask(const struct config *c)
{
	struct problem p;
	struct engine_keys k;
	struct hardware h;
	size_t arm;
	config_check_split(c, 0, &p);
	config_decode_arm(c, 0, &arm, &p);
	if (hardware_load(&h, &c->cfg, NULL, c->arm[0].section, SC_BF16, &p) ==
	    0)
		config_engine_keys(&k, c, 0, config_pool(c, 0, 1), &h, &p);
	hardware_free(&h);
	config_arm_gpus(c, 0);
	for (size_t i = 0; i < c->cfg.n; i++)
		config_parts(c->cfg.item[i].section, c->cfg.item[i].key);
}

/* What plugins and tables told once is kept. */
static const struct config *beside(void)
{
	static struct config first;
	struct problem p;
	if (!first.known)
		config_load(&first, "/dev/null", NULL, 0, NULL, &p);
	return &first;
}

static void load(const char *path, const char *const *set, size_t n,
		 const char *arms)
{
	struct config c;
	struct problem p;
	if (config_load_beside(&c, beside(), path, set, n, arms, &p) == 0) {
		char *text;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		struct jw j;
		jw_start(&j, f);
		jw_object(&j, NULL);
		config_write(&j, &c);
		jw_end(&j);
		jw_finish(&j);
		fclose(f);
		free(text);
		ask(&c);
	}
	config_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line, *rest;
	const char *set[MOST_SETS], *arms = NULL;
	size_t from, head = fuzz_split(data, size, &from), n = 0;
	char *ini = fuzz_text(data + from, size - from, 1 << 14);
	char *options = rest = fuzz_text(data, head, 1 << 12);
	int is_safe =
	    ini && options && !names_a_file(ini) && !names_a_file(options);
	while (is_safe && (line = strsep(&rest, "\n")))
		if (!strncmp(line, "arms ", 5))
			arms = line + 5;
		else if (*line && n < MOST_SETS)
			set[n++] = line;
	if (is_safe)
		load(fuzz_file(data + from, size - from), set, n, arms);
	free(ini);
	free(options);
	return 0;
}
