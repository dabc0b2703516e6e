/* prices.c -- Any bytes as a file of prices; may be refused, must not crash; a
 * price that was read is the median of prices that a list may have. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "keys/prices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	char text[PRICE_TEXT];
	struct price x;
	struct problem p = {0};
	if (prices_find(path, "h100-sxm", &x, &p) < 0) {
		if (!p.code || !strstr(p.text, path))
			abort();
	} else if (x.lists) {
		if (!(x.usd_per_hour > 0) || !(x.usd_per_hour <= 1e5) ||
		    strcmp(x.from, x.to) > 0 ||
		    !strstr(price_text(text, &x), x.kind))
			abort();
	} else if (x.usd_per_hour != 0) {
		abort();
	}
	return 0;
}
