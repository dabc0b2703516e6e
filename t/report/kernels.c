/* Priced kernels as text, CSV and JSON. */
#include "report/kernels.h"
#include "rendered.h"

static struct kernels kernels;
static const sc_kernel_result result[2] = {
    {.latency_us = 12.5, .mfu = .25, .provenance = SC_EXACT, .used = "a, b"},
    {.latency_us = 3, .mfu = NAN, .provenance = SC_FALLBACK, .used = "law"}};
static const struct floor_mark floors[2] = {
    {.least_us = 12},
    {.least_us = 4, .is_below = 1, .worst = {FLOOR_STEP, FLOOR_LINKS, 3, 4}}};
/* The second arm failed at the second kernel. */
static const struct kernel_errors errors = {
    .item = {{"all_reduce", SC_FALLBACK, 60, .5, 1.5}}, .n = 1};
static const struct kernel_prices arm[2] = {
    {.arm = "x", .result = result, .floor = floors, .errors = &errors, .n = 2},
    {.arm = "y", .result = result, .floor = floors, .n = 1}};

static void as_text(void)
{
	kernels_text(&kernels, arm, 2, rendered_begin());
	is(rendered_end(),
	   "gemm dtype=bf16 m=16 n=4096 k=1024: x: 12.5 us, mfu 0.25, exact, "
	   "a, b\n"
	   "gemm dtype=bf16 m=16 n=4096 k=1024: y: 12.5 us, mfu 0.25, exact, "
	   "a, b\n"
	   "all_reduce tp=2 message_bytes=1024: x: 3 us, mfu nan, fallback, "
	   "law; 90 %: 1.5 to 4.5 us\n",
	   "a line for each kernel and arm that priced it");
}

static void as_csv(void)
{
	kernels_csv(&kernels, arm, 2, rendered_begin());
	const char *text = rendered_end();
	is(rendered_cell(text, 2, "arm"), "y", "arms of a kernel");
	is(rendered_cell(text, 1, "m"), "16", "its size");
	is(rendered_cell(text, 1, "used"), "a, b", "its source");
	is(rendered_cell(text, 3, "op"), "all_reduce", "the next kernel");
	is(rendered_cell(text, 3, "m"), "", "which has no such size");
	is(rendered_cell(text, 3, "mfu"), "", "nor an MFU");
	is(rendered_cell(text, 3, "provenance"), "fallback", "its provenance");
	is(rendered_cell(text, 1, "floor_us"), "12", "what the GPU allows");
	is(rendered_cell(text, 1, "faster_than_hardware"), "0", "kept");
	is(rendered_cell(text, 3, "faster_than_hardware"), "1", "or not");
	is(rendered_cell(text, 1, "low_us"), "", "no interval is known");
	is(rendered_cell(text, 3, "low_us"), "1.5", "or one");
	is(rendered_cell(text, 3, "high_us"), "4.5", "with two ends");
	is(rendered_cell(text, 1, "window"), "(none)",
	   "a column that the file has not is not written");
	is(rendered_cell(text, 4, "arm"), "(none)", "no further row");
}

static void as_json(void)
{
	kernels_json(&kernels, arm, 2, rendered_begin());
	json_t *doc = rendered_json();
	ok(json_array_size(doc) == 3, "an array of rows");
	is(json_text_at(doc, "0.op"), "gemm", "a word is a text");
	ok(json_number_at(doc, "0.k") == 1024 &&
	       json_number_at(doc, "2.message_bytes") == 1024,
	   "a size is a number");
	ok(!json_object_get(json_at(doc, "2"), "m"),
	   "one that it has not is left out");
	ok(json_number_at(doc, "0.latency_us") == 12.5 &&
	       json_is_null(json_at(doc, "2.mfu")),
	   "no MFU is null");
	is(json_text_at(doc, "2.used"), "law", "its source");
	ok(json_number_at(doc, "2.high_us") == 4.5 &&
	       json_is_null(json_at(doc, "0.high_us")),
	   "its interval, where one is known");
	ok(json_number_at(doc, "2.floor_us") == 4 &&
	       json_is_true(json_at(doc, "2.faster_than_hardware")) &&
	       json_is_false(json_at(doc, "0.faster_than_hardware")),
	   "what the GPU allows");
}

int main(void)
{
	static const char text[] = "op,dtype,m,n,k,tp,message_bytes\n"
				   "gemm,bf16,16,4096,1024,,\n"
				   "all_reduce,,,,,2,1024\n";
	struct problem p;
	FILE *f = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
	if (!f || kernels_read(&kernels, f, "kernels.csv", &p) < 0)
		bail_out(p.text);
	fclose(f);
	as_text();
	as_csv();
	as_json();
	kernels_free(&kernels);
	return done();
}
