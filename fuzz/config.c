/* config.c -- Any bytes as a config.json; may fail, must not crash. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "setup/hf_config.h"
#include "setup/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ini c = {.path = strdup("fuzz.json")};
	struct model m;
	struct problem p;
	if (c.path && hf_config_parse(&c, (const char *)data, size, "fuzz.json",
				      &p) == 0) {
		model_load(&m, &c, &p);
		model_free(&m);
	}
	ini_free(&c);
	return 0;
}
