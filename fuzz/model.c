/* model.c -- Any bytes as the keys of [model] and [hardware]; may be refused,
 * must not crash. */
#include "fuzz.h"
#include "setup/hardware.h"
#include "setup/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ini c;
	struct model m;
	struct hardware h;
	struct problem p;
	if (ini_read(&c, (const char *)data, size, &p) < 0)
		return 0;
	model_load(&m, &c, &p);
	model_free(&m);
	hardware_load(&h, &c, NULL, NULL, SC_BF16, &p);
	hardware_free(&h);
	ini_free(&c);
	return 0;
}
