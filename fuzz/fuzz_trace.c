/* libFuzzer target: the first byte is a format, the others a trace of it; may
 * be refused, must not crash, and what is read is within its limits. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "workload/replay.h"
#include "workload/trace_formats.h"

static void check(const struct request *q, int64_t ns)
{
	uint64_t tokens = 0;
	for (uint32_t i = 0; i < q->n_segments; i++)
		tokens += q->segment[i].tokens;
	if (ns < 0 || q->input_tokens < 1 || q->output_tokens < 1 ||
	    tokens > q->input_tokens)
		abort();
}

static void replay(struct trace *t)
{
	struct replay r;
	struct request q;
	struct problem p;
	int64_t ns, before = 0;
	if (replay_open(&r, t, 1000, 1, &p) < 0)
		return;
	while (replay_peek(&r, &ns, &p) == 1 && replay_take(&r, &q, &p) == 0) {
		check(&q, ns);
		if (ns < before)
			abort();
		before = ns;
	}
	replay_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct distribution length = {.a = 5, .min = 1, .max = 9};
	struct trace_options o = {.format = "auto",
				  .chars_per_token = 4,
				  .input = &length,
				  .output = &length};
	struct problem p;
	char path[40];
	int n = 0, fd = size ? memfd_create("trace", 0) : -1;
	while (trace_format[n])
		n++;
	if (fd < 0)
		return 0;
	if (data[0] % (n + 1) < n)
		o.format = trace_format[data[0] % (n + 1)]->name;
	if (data[0] & 0x80)
		o.block_tokens = 2;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (write(fd, data + 1, size - 1) == (ssize_t)size - 1) {
		struct trace *t = trace_open(path, &o, &p);
		if (t)
			replay(t);
	}
	close(fd);
	return 0;
}
