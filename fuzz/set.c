/* set.c -- Before a line "==" the MANIFEST of a set of tables (without such a
 * line there is none), behind it the name of a file and its bytes; may be
 * refused, must not crash. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "cost/kernel_op.h"
#include "tables/set.h"

static void told(void *user, const struct problem *p)
{
	(void)user;
	if (!p->text[0])
		abort();
}

static void read_set(void)
{
	static const struct table_bad bad = {.tell = told};
	struct table_set s;
	struct names names = {0};
	struct problem p;
	char *found = set_find(fuzz_folder(), NULL, "s", &p);
	free(found);
	free(set_find(fuzz_folder(), "bench_data", "ss", &p));
	if (set_names(&names, fuzz_folder(), KERNEL_OF_ANY) < 0)
		abort();
	names_free(&names);
	if (set_load(&s, fuzz_folder(), "s", KERNEL_OF_ANY, &p) == 0)
		set_free(&s);
	if (set_load_some(&s, fuzz_folder(), "s", &bad, &p) == 0)
		set_free(&s);
}

/* A few sets instead of all that are shipped; together their names are longer
 * than a message. */
static void put_shipped(void)
{
	char name[200];
	static int is_done;
	if (is_done++)
		return;
	fuzz_put_data("bench_data/zs/MANIFEST", "gpu = x\n");
	fuzz_put_data("bench_data/zs/gemm.csv",
		      "dtype,m,n,k,latency_us\nbf16,1,2,3,4\n");
	fuzz_put_data("bench_data/sz/moe.csv", "m,latency_us\n1,2\n");
	fuzz_put_data("bench_data/gemm/other/data.csv", "m,n\n1,2\n");
	fuzz_put_data("bench_data/.hidden/gemm.csv", "m,n\n1,2\n");
	for (int i = 1; i < 10; i++) {
		snprintf(name, sizeof name, "bench_data/%060d/gemm.csv", i);
		fuzz_put_data(name, "m,n\n1,2\n");
	}
}

static void remove_file(const char *name)
{
	char path[300];
	snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_.";
	char name[60] = "s/", line[50];
	size_t from, head = fuzz_split(data, size, &from), n = 0;
	put_shipped();
	data += from, size -= from;
	while (n < size && n < sizeof line - 1 && data[n] != '\n')
		n++;
	memcpy(line, data, n);
	line[n] = '\0';
	if (n == size || !n || line[0] == '.' || strspn(line, letters) != n)
		return 0;
	snprintf(name + 2, sizeof name - 2, "%s", line);
	fuzz_put(name, data + n + 1, size - n - 1);
	if (head)
		fuzz_put("s/MANIFEST", data - from, head);
	read_set();
	remove_file(name);
	remove_file("s/MANIFEST");
	return 0;
}
