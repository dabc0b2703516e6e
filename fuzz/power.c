/* power.c -- Any bytes as a file of power laws, etc/power.csv; may be refused,
 * must not crash; a law that was read gives a power within its limit. */
#include <math.h>
#include <stdlib.h>
#include "fuzz.h"
#include "keys/power.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const double share[] = {0, 0.3, 1, 7};
	struct power_law l;
	struct problem p = {0};
	char text[POWER_LAW_TEXT];
	setenv("STEPCOST_DATA_PATH", fuzz_folder(), 1);
	fuzz_put("etc/power.csv", data, size);
	if (power_find("h100-sxm", &l, &p) < 0) {
		if (!p.code || !p.text[0])
			abort();
		return 0;
	}
	power_law_text(text, &l);
	for (int i = 0; i < 16; i++) {
		double w = power_watts(&l, share[i % 4], share[i / 4]);
		if (!(w >= 0) || !(w <= l.limit_w) || !isfinite(w))
			abort();
	}
	return 0;
}
