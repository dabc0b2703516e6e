/* trace.c -- The first byte is a format, the others a trace of it; may
 * be refused, must not crash, and what is read is within its limits. */
#include <unistd.h>
#include "fuzz.h"
#include "traced.h"
#include "workload/trace_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct distribution length = {.a = 5, .min = 1, .max = 9};
	struct trace_options o = {.format = "auto",
				  .chars_per_token = 4,
				  .input = &length,
				  .output = &length};
	struct problem p;
	char path[FUZZ_PATH];
	int n = 0;
	if (!size)
		return 0;
	while (trace_format[n])
		n++;
	if (data[0] % (n + 1) < n)
		o.format = trace_format[data[0] % (n + 1)]->name;
	if (data[0] & 0x80)
		o.block_tokens = 2;
	int fd = fuzz_file(data + 1, size - 1, path);
	struct trace *t = fd < 0 ? NULL : trace_open(path, &o, &p);
	if (t)
		traced(t);
	if (fd >= 0)
		close(fd);
	return 0;
}
