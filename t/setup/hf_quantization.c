/* Number formats as config.json names them, as keys of [model]. */
#include "setup/hf_quantization.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static struct ini c;
static struct problem p;

/* The keys that come of it, "key=value …", or the message. */
static const char *keys(struct hf_reader *r)
{
	static char text[400];
	size_t n = 0;
	if (r->failed)
		return p.text;
	text[0] = '\0';
	for (size_t i = 0; i < c.n; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=%s",
				      n ? " " : "", c.item[i].key,
				      c.item[i].value);
	return text;
}

static const char *formats(const char *json)
{
	ini_free(&c);
	c.path = strdup("f");
	json_t *top = json_loads(json, 0, NULL);
	if (!top || !c.path)
		bail_out(json);
	struct hf_reader r = {.c = &c,
			      .origin = "f",
			      .text = json,
			      .top = top,
			      .in = json_object_get(top, "text_config"),
			      .p = &p};
	if (!r.in)
		r.in = top;
	hf_read_formats(&r);
	const char *text = keys(&r);
	json_decref(top);
	return text;
}

#define QUANTIZED(fields) "{\"quantization_config\": {" fields "}}"
#define METHOD(name) "\"quant_method\": \"" name "\""

static void dtypes(void)
{
	is(formats("{}"), "", "nothing said, nothing put");
	is(formats("{\"torch_dtype\": \"float16\"}"), "torch_dtype=float16",
	   "torch_dtype");
	is(formats("{\"dtype\": \"float32\"}"), "torch_dtype=float32",
	   "or dtype");
	is(formats("{\"dtype\": \"float32\", \"text_config\": {\"dtype\": "
		   "\"bfloat16\"}}"),
	   "torch_dtype=bfloat16", "that of the text part first");
	is(formats("{\"torch_dtype\": \"int7\"}"),
	   "f:1: torch_dtype is none of bfloat16, float16, float32", "others");
}

static void floats(void)
{
	is(formats(QUANTIZED(METHOD("fp8"))),
	   "quantization=fp8 quantized_bits=8", "fp8");
	is(formats(
	       QUANTIZED(METHOD("fp8") ", \"weight_block_size\": [128, 128]")),
	   "quantization=fp8 quantized_bits=8.001953125",
	   "with a scale for each block");
	is(formats(QUANTIZED(METHOD("fbgemm_fp8"))),
	   "quantization=fp8 quantized_bits=8", "fbgemm_fp8");
	is(formats(QUANTIZED(METHOD("mxfp4"))),
	   "quantization=fp4 quantized_bits=4.25 quantized_layers=experts",
	   "mxfp4");
	is(formats(QUANTIZED(METHOD("modelopt") ", \"quant_algo\": "
						"\"NVFP4\"")),
	   "quantization=fp4 quantized_bits=4.5", "modelopt: NVFP4");
	is(formats(QUANTIZED(METHOD("modelopt") ", \"quant_algo\": "
						"\"W4A8_AWQ\"")),
	   "f:1: quant_algo is none of FP8, NVFP4", "modelopt: another");
}

static void integers(void)
{
	is(formats(QUANTIZED(METHOD("awq") ", \"bits\": 4, \"group_size\": "
					   "128")),
	   "quantization=int4 quantized_bits=4.15625",
	   "awq: scales and zero points of its groups");
	is(formats(QUANTIZED(METHOD("gptq") ", \"bits\": 8, \"group_size\": "
					    "-1")),
	   "quantization=int8 quantized_bits=8", "gptq without groups");
	is(formats(QUANTIZED(METHOD("gptq") ", \"bits\": 3")),
	   "f:1: bits is neither 4 nor 8", "of 3 bits");
}

#define GROUP(fields)                                                          \
	"\"config_groups\": {\"group_0\": {\"weights\": {" fields "}}}"
static void compressed(void)
{
	is(formats(QUANTIZED(METHOD("compressed-tensors") ", " GROUP(
	       "\"num_bits\": 8, \"type\": \"float\""))),
	   "quantization=fp8 quantized_bits=8", "compressed-tensors: fp8");
	is(formats(QUANTIZED(GROUP("\"num_bits\": 4, \"type\": \"int\", "
				   "\"group_size\": 32"))),
	   "quantization=int4 quantized_bits=4.5",
	   "told by its groups; int4 with scales");
	is(formats(QUANTIZED(METHOD("compressed-tensors"))),
	   "f:1: quantization_config has no config_groups", "without groups");
}

static void refused(void)
{
	is(formats(QUANTIZED(METHOD("hqq"))),
	   "f:1: quantization_config has a quant_method that is none of fp8, "
	   "fbgemm_fp8, mxfp4, modelopt, compressed-tensors, awq, gptq",
	   "a method that is not known");
	struct hf_reader r = {.c = &c, .origin = "g", .p = &p};
	ini_free(&c);
	c.path = strdup("g");
	hf_read_quant_algo(&r, "FP8_PB_WO");
	is(keys(&r), "quantization=fp8 quantized_bits=8",
	   "an algo alone, as beside a config.json");
	hf_read_quant_algo(&r, "");
	ok(c.n == 2 && !r.failed, "none, and nothing is said");
}

int main(void)
{
	dtypes();
	floats();
	integers();
	compressed();
	refused();
	ini_free(&c);
	return done();
}
