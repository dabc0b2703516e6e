/* servegen.c -- Any bytes as windows of a ServeGen client and, after a line
 * "==", their lengths; may be refused, must not crash, and all values are
 * within their limits. */
#include "fuzz.h"
#include "traced.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct trace_options o = {.format = "servegen",
					       .chars_per_token = 4};
	char path[300];
	struct problem p;
	size_t second, first = fuzz_split(data, size, &second);
	fuzz_put("chunk-1-trace.csv", data, first ? first : size);
	fuzz_put("chunk-1-dataset.json", data + second, size - second);
	snprintf(path, sizeof path, "%s/chunk-1-trace.csv", fuzz_folder());
	struct trace *t = trace_open(path, &o, &p);
	if (t)
		traced(t, 1);
	return 0;
}
