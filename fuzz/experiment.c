/* experiment.c -- Any bytes as an experiment, and the points that it asks for;
 * may be refused, must not crash. */
#include "fuzz.h"
#include "experiment/load.h"
#include "experiment/point.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ini c;
	struct experiment x;
	struct problem p;
	if (ini_read(&c, (const char *)data, size, &p) == 0) {
		if (experiment_load(&x, &c, &p) == 0)
			experiment_list_points(&x, &p);
		experiment_free(&x);
		ini_free(&c);
	}
	return 0;
}
