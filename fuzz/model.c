/* model.c -- Any bytes as the keys of [model] and [hardware] of a
 * configuration, and as the file of a model and of a GPU; may be refused, must
 * not crash. */
#include <string.h>
#include "fuzz.h"
#include "keys/hardware.h"
#include "model/model.h"

static void load(const struct ini *c)
{
	struct model m;
	struct hardware h;
	struct problem p;
	model_load(&m, c, &p);
	model_free(&m);
	hardware_load(&h, c, NULL, NULL, SC_BF16, &p);
	hardware_free(&h);
}

static void load_file(const char *path)
{
	struct ini c = {.path = strdup("fuzz.ini")};
	struct problem p;
	if (c.path && ini_put(&c, "model", "config", path, "f:1", &p) == 0 &&
	    ini_put(&c, "hardware", "config", path, "f:2", &p) == 0)
		load(&c);
	ini_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[300];
	struct ini c;
	struct problem p;
	if (ini_read(&c, (const char *)data, size, &p) == 0) {
		load(&c);
		ini_free(&c);
	}
	fuzz_put("own.ini", data, size);
	snprintf(path, sizeof path, "%s/own.ini", fuzz_folder());
	load_file(path);
	return 0;
}
