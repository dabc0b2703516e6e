/* imported_workload.c -- Ends of the last bucket, and rates of a log. */
#include "report/import/imported.h"
#include "tap.h"

static char *text;
static size_t size;
static struct names missing;

static void write_it(struct imported *x)
{
	free(text);
	x->missing = &missing;
	FILE *f = open_memstream(&text, &size);
	if (imported_workload(x, f) < 0)
		bail_out("memory");
	fclose(f);
}

static void has(const char *part)
{
	if (!ok(strstr(text, part), "%s", part))
		printf("# in: %s\n", text);
}

int main(void)
{
	struct vllm_page page = {.path = "f", .requests = 20000};
	struct vllm_log log = {.load_lines = 2, .output_tokens_per_s = 40};
	struct histogram *out = &page.of[VLLM_OUTPUT];
	struct imported x = {.page = &page, .log = &log, .page_path = "f"};
	for (int i = 0; i < N_VLLM_COUNTERS; i++)
		page.counter[i] = NAN;
	log.max_model_len = NAN;
	histogram_add(out, 2, 1), histogram_add(out, INFINITY, 2);
	out->sum = 5;
	histogram_finish(out);
	write_it(&x);
	has("request_rate = 8 ");
	has("num_requests = 10000 ");
	has("output_tokens = histogram:mean=2.5,2=1,4=1\n");
	log.max_model_len = 100;
	write_it(&x);
	has("output_tokens = histogram:mean=2.5,2=1,100=1\n");
	log.max_model_len = NAN;
	out->sum = 100;
	write_it(&x);
	has("histogram:mean=50,2=1,108=1\n");
	page.counter[VLLM_PREFIX_QUERIES] = 10;
	page.counter[VLLM_PREFIX_HITS] = 0;
	write_it(&x);
	ok(!strstr(text, "shared_prefix_tokens"), "nothing was cached");
	free(text);
	names_free(&missing);
	histogram_free(out);
	return done();
}
