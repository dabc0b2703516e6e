/* replay.c -- main() of a fuzz target without libFuzzer: gives it each file
 * that is named, and each file of each folder; options are passed over. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

static size_t given;

static void give_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, n;
	if (!f) {
		perror(path);
		exit(2);
	}
	do {
		data = realloc(data, size + 65536);
		if (!data)
			abort();
		n = fread(data + size, 1, 65536, f);
		size += n;
	} while (n);
	fclose(f);
	/* No byte to spare: a read past the end is one past the block. */
	uint8_t *exact = malloc(size ? size : 1);
	if (!exact)
		abort();
	memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	free(data);
	given++;
}

static void give(const char *path)
{
	struct dirent *e;
	DIR *d = opendir(path);
	if (!d) {
		give_file(path);
		return;
	}
	while ((e = readdir(d))) {
		char *within = malloc(strlen(path) + strlen(e->d_name) + 2);
		if (!within)
			abort();
		sprintf(within, "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.')
			give(within);
		free(within);
	}
	closedir(d);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (argv[i][0] != '-')
			give(argv[i]);
	printf("%zu inputs\n", given);
	return given ? 0 : 1;
}
