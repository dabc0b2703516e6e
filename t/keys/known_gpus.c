/* Numbers that no GPU has, and the unit that was meant. */
#include "keys/known_gpus.h"
#include <stdlib.h>
#include "tap.h"

static struct problem p;

/* A GPU of the keys; 0, or -1 with p. */
static int load(const char *keys)
{
	struct ini c;
	struct hardware h;
	char text[300];
	p = (struct problem){0};
	snprintf(text, sizeof text, "[hardware]\nconfig = h100-sxm\n%s", keys);
	if (ini_read(&c, text, strlen(text), &p) < 0)
		bail_out(p.text);
	int rc = hardware_load(&h, &c, NULL, NULL, SC_BF16, &p);
	if (rc == 0)
		rc = hardware_check_known(&h, SC_BF16, &p);
	hardware_free(&h);
	ini_free(&c);
	return rc;
}

static void refused(const char *keys, const char *want)
{
	int rc = load(keys);
	if (!ok(rc < 0 && p.code == EXIT_USAGE && strstr(p.text, want), "%s",
		want))
		printf("# got %s\n", p.text);
}

static int is_h100(void *user, const char *gpu)
{
	return !strcmp(gpu, user);
}

static void ranges(void)
{
	struct known_range *r = calloc(hardware_n_keys, sizeof *r);
	static char name[] = "h100-sxm";
	int n = 0;
	if (!r)
		bail_out("out of memory");
	known_ranges(r, SC_BF16, NULL, NULL);
	for (uint32_t i = 0; i < hardware_n_keys; i++)
		n += r[i].most > r[i].least;
	ok(n > 10, "%d numbers differ among GPUs", n);
	known_ranges(r, SC_BF16, is_h100, name);
	n = 0;
	for (uint32_t i = 0; i < hardware_n_keys; i++) {
		n += r[i].most > r[i].least;
		if (!strcmp(hardware_key[i]->name, "memory_bandwidth_tbs"))
			near(r[i].most, 3.35, 0, "of that one");
	}
	ok(n == 0, "one GPU has one of each");
	free(r);
}

int main(void)
{
	ok(load("memory_bandwidth_tbs = 23\n") == 0,
	   "less than three times: %s", p.text);
	refused("\nmemory_bandwidth_tbs = 3350\n",
		"<text>:4: memory_bandwidth_tbs = 3350: more than three times "
		"that of every known GPU (8 of ");
	refused("memory_bandwidth_tbs = 3350\n", "; 3350 GB/s are 3.35 TB/s");
	refused("memory_gib = 81920\n", "; 81920 MiB are 80 GiB");
	refused("bf16_tflops = 989000\n", "; 989000 GFLOP/s are 989 TFLOP/s");
	refused("link_bandwidth_gbs = 450000\n", "; 450000 MB/s are 450 GB/s");
	refused("memory_bandwidth_tbs = 3.35e12\n",
		"; 3.35e+12 B/s are 3.35 TB/s");
	refused("bf16_tflops = 989e12\n", "; 9.89e+14 FLOP/s are 989 TFLOP/s");
	refused("memory_gib = 80e9\n", "; 8e+10 B are 74.51 GiB");
	refused("memory_bandwidth_tbs = 0.00335\n",
		": less than a third of that of every known GPU (0.3); 0.00335 "
		"PB/s are 3.35 TB/s");
	refused("link_bandwidth_gbs = 0.45\n", "; 0.45 TB/s are 450 GB/s");
	ok(load("bf16_tflops = 5\n") == 0, "a slow GPU: %s", p.text);
	refused("l2_mb = 51200\n", "; 51200 kB are 51.2 MB");
	refused("peak_tflops = 9890\n", "(2516.6 of mi355x)");
	ok(load("peak_tflops = 9890\n") < 0 &&
	       p.text[strlen(p.text) - 1] == ')',
	   "no unit makes it one that is known: %s", p.text);
	ok(load("usd_per_hour = 50000\nlink_latency_us = 90000\n") == 0,
	   "prices and latencies: %s", p.text);
	ranges();
	return done();
}
