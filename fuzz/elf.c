/* elf.c -- Any bytes as a shared object; may be none, must not crash. */
#include "fuzz.h"
#include "plugin/file_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct file_finding found[N_FILE_CHECKS];
	struct dso d;
	struct problem p;
	if (dso_read(&d, fuzz_file(data, size), &p) == 0) {
		file_checks(&d, 0, found);
		file_checks(&d, ~0u, found);
	}
	dso_free(&d);
	return 0;
}
