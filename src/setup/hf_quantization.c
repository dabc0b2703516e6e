/* hf_quantization.c -- Reads the number formats of a config.json. */
#include <config.h>
#include "setup/hf_quantization.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void read_dtype(struct hf_reader *r)
{
	static const char *const key[] = {"torch_dtype", "dtype"};
	const char *s = "";
	for (int i = 0; i < 4 && !*s; i++)
		s = hf_text(i < 2 ? r->in : r->top, key[i % 2]);
	if (!*s)
		return; /* the default, bfloat16, is what all of these use */
	if (strcmp(s, "bfloat16") && strcmp(s, "float16") &&
	    strcmp(s, "float32"))
		hf_fail(r, EXIT_USAGE, "torch_dtype",
			"is none of bfloat16, float16, float32");
	hf_put(r, "torch_dtype", s);
}

static void put_quantization(struct hf_reader *r, const char *format,
			     double bits)
{
	char s[32];
	hf_put(r, "quantization", format);
	if (bits > 0) {
		snprintf(s, sizeof s, "%.17g", bits);
		hf_put(r, "quantized_bits", s);
	}
}

/* One FP32 scale for each block of weights. */
static double block_scale_bits(const json_t *q)
{
	const json_t *block = json_object_get(q, "weight_block_size");
	double a = json_number_value(json_array_get(block, 0));
	double b = json_number_value(json_array_get(block, 1));
	return a >= 1 && b >= 1 ? 32 / (a * b) : 0;
}

/* Scales of 16 bits and zero points of `bits` for each group of weights. */
static double group_scale_bits(const json_t *q, double bits)
{
	double size = json_number_value(json_object_get(q, "group_size"));
	return size >= 1 ? (16 + bits) / size : 0;
}

void hf_read_quant_algo(struct hf_reader *r, const char *algo)
{
	if (!strcmp(algo, "FP8") || !strncmp(algo, "FP8_", 4))
		put_quantization(r, "fp8", 8);
	else if (!strcmp(algo, "NVFP4"))
		put_quantization(r, "fp4", 4.5); /* one FP8 scale for 16 */
	else if (*algo)
		hf_fail(r, EXIT_USAGE, "quant_algo", "is none of FP8, NVFP4");
}

static void read_compressed(struct hf_reader *r, const json_t *q)
{
	const json_t *groups = json_object_get(q, "config_groups");
	const char *name;
	json_t *group;
	json_object_foreach((json_t *)(uintptr_t)groups, name, group)
	{
		const json_t *w = json_object_get(group, "weights");
		double bits = json_number_value(json_object_get(w, "num_bits"));
		int is_float = !strcmp(hf_text(w, "type"), "float");
		if (bits == 8)
			put_quantization(r, is_float ? "fp8" : "int8", 8);
		else if (bits == 4)
			put_quantization(r, is_float ? "fp4" : "int4",
					 4 + group_scale_bits(w, 0));
		else
			hf_fail(r, EXIT_USAGE, "num_bits",
				"is neither 8 nor 4");
		return; /* of more than one group the first is taken */
	}
	hf_fail(r, EXIT_USAGE, "quantization_config", "has no config_groups");
}

static void read_fp8(struct hf_reader *r, const json_t *q)
{
	put_quantization(r, "fp8", 8 + block_scale_bits(q));
}

static void read_mxfp4(struct hf_reader *r, const json_t *q)
{
	(void)q;
	put_quantization(r, "fp4", 4.25); /* one scale for 32 */
	hf_put(r, "quantized_layers", "experts");
}

static void read_modelopt(struct hf_reader *r, const json_t *q)
{
	hf_read_quant_algo(r, hf_text(q, "quant_algo"));
}

static void read_integers(struct hf_reader *r, const json_t *q)
{
	double bits = json_number_value(json_object_get(q, "bits"));
	if (bits != 4 && bits != 8)
		hf_fail(r, EXIT_USAGE, "bits", "is neither 4 nor 8");
	put_quantization(r, bits == 4 ? "int4" : "int8",
			 bits + group_scale_bits(q, bits));
}

static const struct method {
	const char *name; /* quant_method */
	void (*read)(struct hf_reader *r, const json_t *q);
} methods[] = {
    {"fp8", read_fp8},
    {"fbgemm_fp8", read_fp8},
    {"mxfp4", read_mxfp4},
    {"modelopt", read_modelopt},
    {"compressed-tensors", read_compressed},
    {"awq", read_integers},
    {"gptq", read_integers},
};
enum { N_METHODS = sizeof methods / sizeof *methods };

static void refuse_method(struct hf_reader *r)
{
	char known[200] = "";
	for (int i = 0; i < N_METHODS; i++) {
		size_t n = strlen(known);
		snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "",
			 methods[i].name);
	}
	hf_fail(r, EXIT_USAGE, "quantization_config",
		"has a quant_method that is none of %s", known);
}

static void read_quantization(struct hf_reader *r)
{
	const json_t *q = json_object_get(r->in, "quantization_config");
	if (!json_is_object(q))
		q = json_object_get(r->top, "quantization_config");
	if (!json_is_object(q))
		return;
	const char *name = hf_text(q, "quant_method");
	if (!*name && json_object_get(q, "config_groups"))
		name = "compressed-tensors";
	for (int i = 0; i < N_METHODS; i++)
		if (!strcmp(methods[i].name, name)) {
			methods[i].read(r, q);
			return;
		}
	refuse_method(r);
}

void hf_read_formats(struct hf_reader *r)
{
	read_dtype(r);
	read_quantization(r);
}
