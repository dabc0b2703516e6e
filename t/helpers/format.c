/* The list of number formats: every row can be found, by each of its names. */
#include "stepcost/format.h"
#include "tap.h"

static int same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static void one(const struct sc_format *f)
{
	const struct sc_format *kernels = sc_format_row(f->kernels);
	ok(f->code > 0 && f->code < SC_FORMAT_CODES,
	   "%s has a place in peak_flops", f->name);
	ok(sc_format_find(f->name) == f &&
	       (!f->alias || sc_format_find(f->alias) == f),
	   "%s is found by its names", f->name);
	ok(sc_format_row(f->code) <= f, "%s is its code's first, or after it",
	   f->name);
	ok(kernels && kernels->kernels == kernels->code,
	   "%s is measured in a format of its own", f->name);
	ok(f->bytes > 0 && f->stored >= 8 * f->bytes,
	   "%s is stored whole, with its scales", f->name);
}

int main(void)
{
	char text[256], small[8];
	int twice = 0;
	for (size_t i = 0; i < SC_N_FORMATS; i++) {
		one(&sc_formats[i]);
		for (size_t j = 0; j < i; j++)
			twice +=
			    !strcmp(sc_formats[i].name, sc_formats[j].name) ||
			    same(sc_formats[i].name, sc_formats[j].alias) ||
			    same(sc_formats[i].alias, sc_formats[j].name);
	}
	ok(SC_N_FORMATS >= 7 && !twice, "no name comes twice");
	ok(!strcmp(sc_format_name(SC_FP8), "fp8"), "a code has a name");
	ok(sc_format_named("fp16") == SC_FP16 &&
	       sc_format_kernels(SC_FP16) == SC_BF16,
	   "fp16 is its own format, and bf16's kernels");
	ok(sc_format_named("bfloat16") == SC_BF16, "names of PyTorch are read");
	ok(sc_format_named("fp8_block") == SC_FP8 &&
	       !strcmp(sc_format_name(SC_FP8), "fp8") &&
	       !strcmp(sc_format_find("w8a8_int8")->name, "int8"),
	   "of a code's formats the plain one names it");
	ok(!sc_format_row(0) && !sc_format_named("fp9") &&
	       !sc_format_kernels(99) && sc_format_bytes(99) == 2 &&
	       !strcmp(sc_format_name(99), "?"),
	   "what there is none of");
	ok(!strcmp(sc_format_names(text, sizeof text),
		   "fp32, fp16, bf16, fp8, int8, fp4, int4, fp8_block, nvfp4, "
		   "mxfp4, w4a16_mxfp4, w4a8_mxfp4_mxfp8, w4a4_mxfp4, w4a16, "
		   "w8a16"),
	   "all names");
	ok(!strcmp(sc_format_names(small, sizeof small), "fp32, f"),
	   "cut to fit");
	return done();
}
