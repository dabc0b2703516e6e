/* hf_scheme.c -- Reads the quantization_config of a config.json. */
#include "model/hf_scheme.h"
#include <stdio.h>
#include <string.h>

/* ---- rules ---- */

static struct hf_rule *add_rule(struct hf_rules *l, struct hf_reader *r,
				struct hf_scheme s)
{
	if (l->n == HF_MOST_RULES) {
		hf_fail(r, EXIT_USAGE, "quantization_config",
			"has more than %d schemes", HF_MOST_RULES);
		return NULL;
	}
	l->rule[l->n] = (struct hf_rule){.scheme = s, .all = 1};
	return &l->rule[l->n++];
}

static void read_modules(struct hf_modules *m, struct hf_reader *r,
			 const char *key, const json_t *list)
{
	const char *bad;
	if (hf_modules_read(m, list, &bad) < 0)
		hf_fail(r, EXIT_USAGE, key,
			"has an entry that cannot be read: %.80s", bad);
}

/* Adds a scheme for the modules that one entry names; takes the entry. */
static void add_rule_for(struct hf_rules *l, struct hf_reader *r,
			 struct hf_scheme s, const char *key, json_t *entry)
{
	struct hf_rule *rule = add_rule(l, r, s);
	json_t *list = json_pack("[o]", entry);
	if (!list) {
		hf_fail(r, EXIT_USAGE, key, "needs more memory than there is");
	} else if (rule) {
		rule->all = 0;
		read_modules(&rule->targets, r, key, list);
	}
	json_decref(list);
}

static void read_ignored(struct hf_rules *l, struct hf_reader *r,
			 const json_t *q, const char *first, const char *second)
{
	read_modules(&l->ignore[0], r, first, json_object_get(q, first));
	read_modules(&l->ignore[1], r, second, json_object_get(q, second));
}

static double number(const json_t *in, const char *key)
{
	return json_number_value(json_object_get(in, key));
}

/* ---- stored bits ---- */

/* Bits per weight for one scale per block. */
static double block_bits(const json_t *block, double scale)
{
	double a = json_number_value(json_array_get(block, 0));
	double b = json_number_value(json_array_get(block, 1));
	return a >= 1 && b >= 1 ? scale / (a * b) : 0;
}

/* Bits per weight for a scale and zero points per group.  Without groups they
 * belong to a row or a matrix and count as nothing. */
static double group_bits(double size, double scale, double zero)
{
	return size >= 1 ? (scale + zero) / size : 0;
}

static struct hf_scheme scheme(int64_t format, double bits, int64_t activation)
{
	return (struct hf_scheme){format, bits, activation};
}

/* ---- NVIDIA ModelOpt ---- */

static const struct {
	const char *name;
	struct hf_scheme is;
} algorithms[] = {
    {"FP8", {HF_FP8, 8, 8}},
    {"FP8_PER_CHANNEL_PER_TOKEN", {HF_FP8, 8, 8}},
    {"FP8_PB_WO", {HF_FP8, 8 + 32 / 16384., 8}},
    {"FP8_PB_REAL", {HF_FP8, 8 + 32 / 16384., 8}},
    {"MXFP8", {HF_FP8, 8 + 8 / 32., 8}},
    {"NVFP4", {HF_FP4, 4 + 8 / 16., 4}},
    {"NVFP4_AWQ", {HF_FP4, 4 + 8 / 16., 4}},
    {"W4A16_NVFP4", {HF_FP4, 4 + 8 / 16., 16}},
    {"W4A8_NVFP4_FP8", {HF_FP4, 4 + 8 / 16., 8}},
    {"MXFP4", {HF_FP4, 4 + 8 / 32., 4}},
    {"W4A8_MXFP4_FP8", {HF_FP4, 4 + 8 / 32., 8}},
    {"W4A16_MXFP4", {HF_FP4, 4 + 8 / 32., 16}},
    {"W4A16_AWQ", {HF_INT4, 4 + 16 / 128., 16}},
    {"W4A8_AWQ", {HF_INT4, 4 + 16 / 128., 8}},
    {"W8A16", {HF_INT8, 8, 16}},
    {"W8A8_SQ_PER_CHANNEL", {HF_INT8, 8, 8}},
    {"W8A8_SQ_PER_CHANNEL_PER_TOKEN_PLUGIN", {HF_INT8, 8, 8}},
    {"INT8", {HF_INT8, 8, 16}},
};
enum { N_ALGORITHMS = sizeof algorithms / sizeof *algorithms };

struct hf_scheme hf_algorithm(const char *name)
{
	for (int i = 0; i < N_ALGORITHMS; i++)
		if (!strcmp(algorithms[i].name, name))
			return algorithms[i].is;
	return scheme(HF_NONE, 0, 0);
}

static int check_algorithm(struct hf_reader *r, const char *name)
{
	char known[400] = "";
	size_t n = 0;
	if (hf_algorithm(name).format != HF_NONE)
		return 0;
	for (int i = 0; i < N_ALGORITHMS && n < sizeof known; i++)
		n += (size_t)snprintf(known + n, sizeof known - n, "%s%s",
				      i ? ", " : "", algorithms[i].name);
	return hf_fail(r, EXIT_USAGE, "quant_algo",
		       "= %.40s is none of %s, MIXED_PRECISION", name, known);
}

static void read_by_name(struct hf_rules *l, struct hf_reader *r,
			 const json_t *map)
{
	const char *module;
	json_t *v;
	if (!json_is_object(map)) {
		hf_fail(r, EXIT_USAGE, "quantized_layers", "is missing");
		return;
	}
	json_object_foreach((json_t *)(uintptr_t)map, module, v)
	{
		if (check_algorithm(r, hf_text(v, "quant_algo")) < 0)
			return;
	}
	l->by_name = map;
	l->used = json_object();
}

static void read_config_groups(struct hf_rules *l, struct hf_reader *r,
			       const json_t *q);

static void read_modelopt(struct hf_rules *l, struct hf_reader *r,
			  const json_t *q)
{
	const char *algo = hf_text(q, "quant_algo");
	const char *kv = hf_text(q, "kv_cache_quant_algo");
	read_ignored(l, r, q, "exclude_modules", "ignore");
	l->head = 1;
	if (!strncmp(kv, "FP8", 3) || !strcmp(kv, "fp8"))
		l->kv_format = HF_FP8;
	else if (!strncmp(kv, "NVFP4", 5))
		l->kv_format = HF_FP4;
	if (!strcmp(algo, "MIXED_PRECISION"))
		read_by_name(l, r, json_object_get(q, "quantized_layers"));
	else if (!*algo && json_object_get(q, "config_groups"))
		read_config_groups(l, r, q);
	else if (*algo && check_algorithm(r, algo) == 0)
		add_rule(l, r, hf_algorithm(algo));
}

int hf_rules_read_modelopt(struct hf_rules *l, struct hf_reader *r,
			   const json_t *q)
{
	*l = (struct hf_rules){0};
	read_modelopt(l, r, q);
	return r->failed ? -1 : 0;
}

/* ---- compressed-tensors ---- */

/* Scales have 16 bits; in NVFP4 and MXFP4 they have 8. */
static double compressed_bits(const json_t *w, const char *format, double bits)
{
	double group = number(w, "group_size");
	int nv = strstr(format, "nvfp4") != NULL;
	int mx = strstr(format, "mxfp") != NULL ||
		 !strcmp(hf_text(w, "scale_dtype"), "torch.uint8");
	int is_4bit = bits == 4 && !strcmp(hf_text(w, "type"), "float");
	const char *strategy = hf_text(w, "strategy");
	if (!strcmp(strategy, "block"))
		return bits +
		       block_bits(json_object_get(w, "block_structure"), 16);
	if (!strcmp(strategy, "tensor") || !strcmp(strategy, "channel"))
		return bits;
	if (nv || mx || (is_4bit && group > 0 && group <= 32))
		return bits + group_bits(group, 8, 0);
	return bits + group_bits(group, 16,
				 json_is_false(json_object_get(w, "symmetric"))
				     ? bits
				     : 0);
}

static int is_every_linear(const json_t *targets)
{
	for (size_t i = 0; i < json_array_size(targets); i++) {
		const char *s = json_string_value(json_array_get(targets, i));
		if (s && !strncmp(s, "Linear", 6))
			return 1;
	}
	return json_array_size(targets) == 0;
}

static void read_group(struct hf_rules *l, struct hf_reader *r,
		       const json_t *group, const char *format)
{
	const json_t *w = json_object_get(group, "weights");
	const json_t *a = json_object_get(group, "input_activations");
	const json_t *targets = json_object_get(group, "targets");
	const char *own = hf_text(group, "format");
	double bits = number(w, "num_bits");
	int is_float = !strcmp(hf_text(w, "type"), "float");
	if (!json_is_object(w))
		return; /* only activations are quantized */
	if (bits != 8 && bits != 4) {
		hf_fail(r, EXIT_USAGE, "num_bits", "is neither 8 nor 4");
		return;
	}
	struct hf_rule *rule = add_rule(
	    l, r,
	    scheme(bits == 8 ? (is_float ? HF_FP8 : HF_INT8)
			     : (is_float ? HF_FP4 : HF_INT4),
		   compressed_bits(w, *own ? own : format, bits),
		   json_is_object(a) ? (int64_t)number(a, "num_bits") : 16));
	if (!rule)
		return;
	rule->all = is_every_linear(targets);
	if (!rule->all)
		read_modules(&rule->targets, r, "targets", targets);
}

static void read_config_groups(struct hf_rules *l, struct hf_reader *r,
			       const json_t *q)
{
	const json_t *groups = json_object_get(q, "config_groups");
	const json_t *kv = json_object_get(q, "kv_cache_scheme");
	const char *name;
	json_t *group;
	if (number(kv, "num_bits") == 8)
		l->kv_format =
		    strcmp(hf_text(kv, "type"), "int") ? HF_FP8 : HF_INT8;
	if (json_object_size(groups) == 0)
		hf_fail(r, EXIT_USAGE, "quantization_config",
			"has no config_groups");
	/* Groups for certain modules come before groups for every linear
	 * module. */
	for (int every = 0; every < 2; every++)
		json_object_foreach((json_t *)(uintptr_t)groups, name, group)
		{
			const json_t *to = json_object_get(group, "targets");
			if (is_every_linear(to) == every)
				read_group(l, r, group, hf_text(q, "format"));
		}
}

static void read_compressed(struct hf_rules *l, struct hf_reader *r,
			    const json_t *q)
{
	read_ignored(l, r, q, "ignore", "ignored_layers");
	l->head = 1;
	read_config_groups(l, r, q);
}

/* ---- one scheme for all ---- */

static void read_fp8(struct hf_rules *l, struct hf_reader *r, const json_t *q)
{
	const json_t *block = json_object_get(q, "weight_block_size");
	const char *experts = hf_text(r->in, "expert_dtype");
	read_ignored(l, r, q, "modules_to_not_convert", "ignored_layers");
	if (!strcmp(experts, "fp4")) {
		struct hf_rule *rule =
		    add_rule(l, r, scheme(HF_FP4, 4 + 8 / 32., 8));
		if (rule)
			rule->experts_only = 1;
	}
	add_rule(l, r, scheme(HF_FP8, 8 + block_bits(block, 32), 8));
}

static void read_mxfp8(struct hf_rules *l, struct hf_reader *r, const json_t *q)
{
	read_ignored(l, r, q, "modules_to_not_convert", "ignored_layers");
	add_rule(l, r, scheme(HF_FP8, 8 + 8 / 32., 8));
}

/* Quantizes experts only; the engine chooses the format of activations. */
static void read_mxfp4(struct hf_rules *l, struct hf_reader *r, const json_t *q)
{
	read_ignored(l, r, q, "modules_to_not_convert", "ignored_layers");
	struct hf_rule *rule = add_rule(l, r, scheme(HF_FP4, 4 + 8 / 32., 0));
	if (rule)
		rule->experts_only = 1;
}

/* AWQ, GPTQ and similar: 16-bit scales and zero points. */
static void read_integers(struct hf_rules *l, struct hf_reader *r,
			  const json_t *q)
{
	double bits = number(q, "bits"), size = number(q, "group_size");
	const json_t *dynamic = json_object_get(q, "dynamic");
	const char *pattern;
	json_t *v;
	if (bits == 0)
		bits = number(q, "w_bit");
	if (bits != 4 && bits != 8)
		hf_fail(r, EXIT_USAGE, "bits", "is neither 4 nor 8");
	read_ignored(l, r, q, "modules_to_not_convert", "ignored_layers");
	l->head = json_is_true(json_object_get(q, "lm_head"));
	/* GPTQModel: modules that match "-:EXPR" are left out. */
	json_object_foreach((json_t *)(uintptr_t)dynamic, pattern, v)
	{
		if (!strncmp(pattern, "-:", 2))
			add_rule_for(l, r, scheme(HF_NONE, 0, 0), "dynamic",
				     json_sprintf("re:.*%s", pattern + 2));
	}
	add_rule(l, r,
		 scheme(bits == 4 ? HF_INT4 : HF_INT8,
			bits + group_bits(size, 16, bits), 16));
}

/* NF4 in blocks of 64 with an FP32 scale, or with 8-bit scales that have scales
 * themselves. */
static void read_bitsandbytes(struct hf_rules *l, struct hf_reader *r,
			      const json_t *q)
{
	int is_4bit = json_is_true(json_object_get(q, "load_in_4bit")) ||
		      json_is_true(json_object_get(q, "_load_in_4bit"));
	int twice =
	    json_is_true(json_object_get(q, "bnb_4bit_use_double_quant"));
	double scales = twice ? 8 / 64. + 32 / (64. * 256) : 32 / 64.;
	read_ignored(l, r, q, "llm_int8_skip_modules",
		     "modules_to_not_convert");
	add_rule(l, r,
		 is_4bit ? scheme(HF_INT4, 4 + scales, 16)
			 : scheme(HF_INT8, 8, 8));
}

/* ---- torchao, quark ---- */

static void read_torchao(struct hf_rules *l, struct hf_reader *r,
			 const json_t *q)
{
	const json_t *type = json_object_get(q, "quant_type");
	const json_t *first =
	    json_is_object(type) ? json_object_get(type, "default") : NULL;
	const json_t *data = json_object_get(first, "_data");
	const char *name = json_is_string(type) ? json_string_value(type)
						: hf_text(first, "_type");
	double size = number(data, "group_size");
	read_ignored(l, r, q, "modules_to_not_convert", "ignored_layers");
	if (size == 0)
		size = 128;
	if (strcasestr(name, "int4"))
		add_rule(l, r,
			 scheme(HF_INT4, 4 + group_bits(size, 16, 16),
				strcasestr(name, "int8dyn") ? 8 : 16));
	else if (strcasestr(name, "float8"))
		add_rule(l, r,
			 scheme(HF_FP8, 8,
				strcasestr(name, "weightonly") ||
					strcasestr(name, "weight_only")
				    ? 16
				    : 8));
	else if (strcasestr(name, "int8"))
		add_rule(
		    l, r,
		    scheme(HF_INT8, 8, strcasestr(name, "dynamic") ? 8 : 16));
	else
		hf_fail(r, EXIT_USAGE, "quant_type",
			"is none of int4, int8, float8");
}

/* {"weight": {"dtype": "fp4", "qscheme": "per_group", "group_size": 32 …}} */
static int quark_scheme(struct hf_reader *r, const json_t *c,
			struct hf_scheme *s)
{
	const json_t *w = json_object_get(c, "weight");
	const json_t *a = json_object_get(c, "input_tensors");
	const char *dtype = hf_text(w, "dtype"), *in = hf_text(a, "dtype");
	double group = number(w, "group_size");
	int64_t act = !json_is_object(a)          ? 16
		      : strstr(in, "4") == in + 2 ? 4
						  : 8;
	if (!strcmp(dtype, "fp4"))
		*s = scheme(HF_FP4, 4 + group_bits(group, 8, 0), act);
	else if (!strncmp(dtype, "fp8", 3))
		*s = scheme(HF_FP8, 8 + group_bits(group, 8, 0), act);
	else if (!strcmp(dtype, "int8") || !strcmp(dtype, "uint8"))
		*s = scheme(HF_INT8, 8 + group_bits(group, 16, 0), act);
	else if (!strcmp(dtype, "int4") || !strcmp(dtype, "uint4"))
		*s = scheme(HF_INT4, 4 + group_bits(group, 16, 4), act);
	else
		return hf_fail(r, EXIT_USAGE, "dtype",
			       "= %.20s is none of fp4, fp8, int8, int4",
			       dtype);
	return 0;
}

static void read_quark(struct hf_rules *l, struct hf_reader *r, const json_t *q)
{
	const json_t *global = json_object_get(q, "global_quant_config");
	const json_t *own = json_object_get(q, "layer_quant_config");
	const json_t *kv = json_object_get(q, "kv_cache_quant_config");
	struct hf_scheme s;
	const char *pattern;
	json_t *c;
	read_ignored(l, r, q, "exclude", "ignored_layers");
	l->head = 1;
	if (json_object_size(kv))
		l->kv_format = HF_FP8;
	json_object_foreach((json_t *)(uintptr_t)own, pattern, c)
	{
		if (quark_scheme(r, c, &s) == 0)
			add_rule_for(l, r, s, "layer_quant_config",
				     json_string(pattern));
	}
	if (quark_scheme(r, global, &s) == 0)
		add_rule(l, r, s);
}

/* ---- the methods ---- */

static const struct method {
	const char *name; /* quant_method */
	void (*read)(struct hf_rules *l, struct hf_reader *r, const json_t *q);
} methods[] = {
    {"fp8", read_fp8},
    {"fbgemm_fp8", read_fp8},
    {"deepseek_v4_fp8", read_fp8},
    {"mxfp4", read_mxfp4},
    {"mxfp8", read_mxfp8},
    {"modelopt", read_modelopt},
    {"modelopt_fp4", read_modelopt},
    {"modelopt_mixed", read_modelopt},
    {"compressed-tensors", read_compressed},
    {"compressed_tensors", read_compressed},
    {"awq", read_integers},
    {"gptq", read_integers},
    {"auto-round", read_integers},
    {"intel/auto-round", read_integers},
    {"bitsandbytes", read_bitsandbytes},
    {"torchao", read_torchao},
    {"quark", read_quark},
};
enum { N_METHODS = sizeof methods / sizeof *methods };

static void refuse_method(struct hf_reader *r, const char *name)
{
	char known[400] = "";
	for (int i = 0; i < N_METHODS; i++) {
		size_t n = strlen(known);
		snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "",
			 methods[i].name);
	}
	hf_fail(r, EXIT_USAGE, "quantization_config",
		"has the quant_method '%.40s', which is none of %s", name,
		known);
}

int hf_rules_read(struct hf_rules *l, struct hf_reader *r, const json_t *q)
{
	const char *name = hf_text(q, "quant_method");
	*l = (struct hf_rules){0};
	if (!*name)
		name = json_object_get(q, "quant_algo") ? "modelopt"
		       : json_object_get(q, "config_groups")
			   ? "compressed-tensors"
		       : json_object_get(q, "weight_block_size") ? "fp8"
								 : "";
	for (int i = 0; i < N_METHODS; i++)
		if (!strcmp(methods[i].name, name)) {
			methods[i].read(l, r, q);
			return r->failed ? -1 : 0;
		}
	refuse_method(r, name);
	return -1;
}

void hf_rules_free(struct hf_rules *l)
{
	for (int i = 0; i < l->n; i++)
		hf_modules_free(&l->rule[i].targets);
	hf_modules_free(&l->ignore[0]);
	hf_modules_free(&l->ignore[1]);
	json_decref(l->used);
}
