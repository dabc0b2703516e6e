/* config.c -- Any bytes as a config.json, and, before a line "==", as the files
 * beside it; may fail, must not crash. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "model/hf_config.h"
#include "model/model.h"

static void load(struct ini *c)
{
	struct model m;
	struct problem p;
	model_load(&m, c, &p);
	model_free(&m);
}

static void alone(const uint8_t *data, size_t size)
{
	struct ini c = {.path = strdup("fuzz.json")};
	struct problem p;
	if (c.path &&
	    hf_config_parse(&c, (const char *)data, size, "fuzz.json", &p) == 0)
		load(&c);
	ini_free(&c);
}

static void with_files(const uint8_t *beside, size_t n, const uint8_t *data,
		       size_t size)
{
	char path[300];
	struct ini c = {0};
	struct problem p;
	fuzz_put("hf_quant_config.json", beside, n);
	fuzz_put("generation_config.json", beside, n);
	fuzz_put("config.json", data, size);
	snprintf(path, sizeof path, "%s/config.json", fuzz_folder());
	if (hf_config_read(&c, path, &p) == 0)
		load(&c);
	ini_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t from, head = fuzz_split(data, size, &from);
	if (head)
		with_files(data, head, data + from, size - from);
	else
		alone(data, size);
	return 0;
}
