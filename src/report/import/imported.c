/* imported.c -- Writes [model], [hardware], [engine] and the arms of a server
 * that told what it is. */
#include "report/import/imported.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/number.h"
#include "base/printable.h"
#include "engine/choices.h"

/* ---- lines ---- */

void imported_line(FILE *f, const char *key, const char *value, const char *why)
{
	char line[1200];
	int n = snprintf(line, sizeof line, "%s = %s", key, value);
	printable_line(f, line, strlen(line));
	fprintf(f, "%*s; ", n < 36 ? 36 - n : 1, "");
	printable_line(f, why, strlen(why));
	fputc('\n', f);
}

void imported_number(FILE *f, const char *key, double value, const char *why)
{
	char text[NUMBER_SIZE];
	number_format(text, value);
	imported_line(f, key, text, why);
}

int imported_missing(const struct imported *x, FILE *f, const char *key,
		     const char *value, const char *why)
{
	fputs(";? ", f);
	imported_line(f, key, value, why);
	return names_add_new(x->missing, key);
}

/* ---- the model and the GPU ---- */

/* What the server calls a thing, and our `config` of it. */
struct named {
	const char *kind, *key;
	const char *theirs, *ours; /* NULL: not told, or not known */
	const char *before;        /* their name, in a remark */
	const char *advice;        /* if we do not know their name */
	const char *untold;        /* why, if there is no name */
};

static int write_named(const struct imported *x, FILE *f, const struct named *n)
{
	char why[2 * VLLM_LOG_TEXT];
	if (n->ours) {
		snprintf(why, sizeof why, "%s%s", n->before, n->theirs);
		imported_line(f, "config", n->ours, why);
		return 0;
	}
	if (n->theirs)
		snprintf(why, sizeof why, "no %s is known as %s%s", n->kind,
			 n->theirs, n->advice);
	else
		snprintf(why, sizeof why, "%s", n->untold);
	return imported_missing(x, f, n->key, "", why);
}

static int write_model(const struct imported *x, FILE *f)
{
	const struct named n = {"model",
				"model.config",
				x->model_id,
				x->model,
				"the server's ",
				": give its config.json",
				"not told: a name such as llama-3.1-8b, or a "
				"config.json"};
	fputs("\n[model]\n", f);
	return write_named(x, f, &n);
}

/* The server's quantization, unless the model's file has one. */
static int write_quantization(const struct imported *x, FILE *f)
{
	static const struct {
		const char *theirs, *ours, *in_name;
	} as[] = {{"modelopt_fp4", "fp4", "fp4"}, {"fp8", "fp8", "fp8"},
		  {"fbgemm_fp8", "fp8", "fp8"},   {"ptpc_fp8", "fp8", "fp8"},
		  {"modelopt", "fp8", "fp8"},     {"awq", "int4", "int4"},
		  {"gptq", "int4", "int4"}};
	const char *theirs = x->log ? x->log->quantization : "";
	if (!*theirs || !x->model || strchr(x->model, '/') ||
	    !strcmp(theirs, "mxfp4"))
		return 0;
	for (size_t i = 0; i < sizeof as / sizeof *as; i++)
		if (!strncmp(theirs, as[i].theirs, strlen(as[i].theirs))) {
			if (!strstr(x->model, as[i].in_name))
				imported_line(f, "quantization", as[i].ours,
					      "the server's quantization");
			return 0;
		}
	return strstr(x->model, "fp") || strstr(x->model, "int")
		   ? 0
		   : imported_missing(x, f, "model.quantization", "",
				      "the server quantizes: fp8, int8, fp4 or "
				      "int4?");
}

static int write_hardware(const struct imported *x, FILE *f)
{
	const struct named n = {
	    "GPU",
	    "hardware.config",
	    x->gpu_id,
	    x->gpu,
	    "",
	    "",
	    "the GPU is not told: h100-sxm, a100-80-sxm, l40s, ..."};
	fputs("\n[hardware]\n", f);
	return write_named(x, f, &n);
}

int imported_served(const struct imported *x, FILE *f)
{
	return write_model(x, f) < 0 || write_quantization(x, f) < 0
		   ? -1
		   : write_hardware(x, f);
}

/* ---- the engine ---- */

static int write_preset(const struct imported *x, FILE *f)
{
	char why[VLLM_LOG_TEXT + 40];
	if (x->preset) {
		snprintf(why, sizeof why, "vLLM %s", x->log->version);
		imported_line(f, "preset", x->preset, why);
		return 0;
	}
	fputs("; The page does not tell the version of vLLM. This is the "
	      "newest preset;\n; ",
	      f);
	for (int i = PRESET_VLLM_015; i < PRESET_VLLM_NEWEST; i++)
		fprintf(f, "%s%s", i > PRESET_VLLM_015 ? " and " : "",
			engine_preset_words[i]);
	fputs(" are others.\n", f);
	imported_line(f, "preset", engine_preset_words[PRESET_VLLM_NEWEST],
		      "check");
	return names_add_new(x->missing, "engine.preset");
}

/* A number of the log.  If it has none: the log tells all arguments that were
 * given, so vLLM's default holds, which is `normal` or the preset's (NULL). */
static int write_of_log(const struct imported *x, FILE *f, const char *key,
			size_t offset, const char *normal, const char *missing)
{
	double v = NAN;
	if (x->log)
		memcpy(&v, (const char *)x->log + offset, sizeof v);
	if (!isnan(v)) {
		imported_number(f, key, v, "log");
		return 0;
	}
	if (x->log && x->log->has_arguments) {
		if (!normal)
			fprintf(f,
				"; %s: not given to the server; the preset "
				"has vLLM's default\n",
				key);
		return 0;
	}
	return imported_missing(x, f, key, normal ? normal : "", missing);
}

static int write_parallel(const struct imported *x, FILE *f)
{
#define OF(key, normal, missing)                                               \
	write_of_log(x, f, #key, offsetof(struct vllm_log, key), normal,       \
		     missing)
	int rc = OF(tensor_parallel_size, "1",
		    "not told: GPUs that share each layer");
	if (rc == 0)
		rc = OF(pipeline_parallel_size, "1",
			"not told: stages of a pipeline");
	if (x->page->engines > 1)
		imported_number(f, "data_parallel_size", x->page->engines,
				"engines on the page");
	else if (x->log && x->log->data_parallel_size > 1)
		imported_number(f, "data_parallel_size",
				x->log->data_parallel_size, "log");
	if (x->log && x->log->enable_expert_parallel == 1)
		imported_line(f, "enable_expert_parallel", "true", "log");
	return rc;
}

static int write_limits(const struct imported *x, FILE *f)
{
	int rc = OF(max_num_seqs, NULL, "not told: sequences in a step");
	if (rc == 0)
		rc = OF(max_num_batched_tokens, NULL,
			"not told: tokens in a step");
	if (rc == 0)
		rc = OF(max_model_len, "0", "not told; 0: the model's limit");
	if (x->log && x->log->long_prefill_token_threshold > 0)
		imported_number(f, "long_prefill_token_threshold",
				x->log->long_prefill_token_threshold, "log");
	if (x->log && !strcmp(x->log->scheduling_policy, "priority"))
		imported_line(f, "scheduling_policy", "priority", "log");
	return rc;
}

/* A label of the page, or else a number of the log. */
static int write_cache_size(const struct imported *x, FILE *f, const char *key,
			    enum vllm_cache_label label, double in_log,
			    const char *missing)
{
	const char *text = x->page->cache[label];
	char *end;
	double v = strtod(text, &end);
	if (end != text && !*end && v > 0) {
		imported_number(f, key, v, "page");
		return 0;
	}
	if (in_log > 0) {
		imported_number(f, key, in_log, "log");
		return 0;
	}
	return imported_missing(x, f, key, "", missing);
}

static int write_cache_dtype(const struct imported *x, FILE *f)
{
	const char *dtype = x->page->cache[VLLM_CACHE_DTYPE];
	if (!*dtype && x->log)
		dtype = x->log->kv_cache_dtype;
	if (!strcmp(dtype, "auto") || !*dtype)
		return 0;
	if (!strncmp(dtype, "fp8", 3))
		imported_line(f, "kv_cache_dtype", "fp8", dtype);
	else if (!strcmp(dtype, "bfloat16") || !strcmp(dtype, "float16"))
		imported_line(f, "kv_cache_dtype", "bfloat16", dtype);
	else
		return imported_missing(x, f, "kv_cache_dtype", "auto",
					"the server has another format");
	return 0;
}

static int write_cache(const struct imported *x, FILE *f)
{
	const char *found = x->page->cache[VLLM_PREFIX_CACHING];
	double in_log = x->log ? x->log->enable_prefix_caching : NAN;
	double blocks = x->log ? x->log->num_gpu_blocks : NAN;
	double size = x->log ? x->log->block_size : NAN;
	int rc = write_cache_size(x, f, "block_size", VLLM_BLOCK_SIZE, size,
				  "not told; vLLM's default is 16");
	if (rc == 0)
		rc = write_cache_size(x, f, "num_gpu_blocks", VLLM_GPU_BLOCKS,
				      blocks, "not told; auto computes them");
	if (!strcasecmp(found, "true") || !strcasecmp(found, "false"))
		imported_line(f, "enable_prefix_caching",
			      !strcasecmp(found, "true") ? "true" : "false",
			      "page");
	else if (!isnan(in_log))
		imported_line(f, "enable_prefix_caching",
			      in_log > 0 ? "true" : "false", "log");
	else if (rc == 0)
		rc = imported_missing(x, f, "enable_prefix_caching", "true",
				      "not told; vLLM's default is true");
	return rc == 0 ? write_cache_dtype(x, f) : rc;
}

static int write_execution(const struct imported *x, FILE *f)
{
	const struct vllm_log *l = x->log;
	if (!l)
		return imported_missing(x, f, "async_scheduling", "true",
					"not told; the default of the preset");
	if (!isnan(l->async_scheduling))
		imported_line(f, "async_scheduling",
			      l->async_scheduling > 0 ? "true" : "false",
			      "log");
	if (l->enforce_eager == 1)
		imported_line(f, "graph_max_tokens", "0", "enforce_eager");
	else if (l->max_cudagraph_capture_size > 0)
		imported_number(f, "graph_max_tokens",
				l->max_cudagraph_capture_size, "log");
	if (l->enable_chunked_prefill == 0)
		fputs("; The server does not split prompts into chunks. The "
		      "preset does.\n",
		      f);
	if (l->transfers_kv)
		fputs("; The server sends or receives KV caches "
		      "(kv_transfer_config). This file simulates\n; one server "
		      "that does prefill and decode: see prefill_replicas.\n",
		      f);
	if (l->has_lora)
		fputs(
		    "; The server has LoRA adapters. They are not simulated.\n",
		    f);
	return 0;
}

/* ---- drafts ---- */

static const char *method_of(const char *theirs)
{
	if (!strncmp(theirs, "eagle", 5))
		return "eagle";
	if (strstr(theirs, "mtp"))
		return "mtp";
	if (!strncmp(theirs, "ngram", 5))
		return "ngram";
	return !strcmp(theirs, "draft_model") ? "draft_model" : NULL;
}

static void write_rates(const struct vllm_page *v, uint32_t n, FILE *f)
{
	char text[VLLM_POSITIONS * NUMBER_SIZE] = "", number[NUMBER_SIZE];
	double before = 1;
	for (uint32_t i = 0; i < n; i++) {
		double rate = i < v->positions
				  ? v->accepted_at[i] / v->counter[VLLM_DRAFTS]
				  : 0;
		before = fmin(before, rint(1e4 * fmax(0, rate)) / 1e4);
		number_format(number, before);
		if (i)
			strcat(text, ",");
		strcat(text, number);
	}
	imported_line(f, "synthetic_acceptance_rates", text,
		      "page: accepted at each position, of all drafts");
}

static int write_speculation(const struct imported *x, FILE *f)
{
	const struct vllm_page *v = x->page;
	double in_log = x->log ? x->log->num_speculative_tokens : NAN;
	uint32_t n =
	    in_log >= 1 ? (uint32_t)fmin(in_log, VLLM_POSITIONS) : v->positions;
	const char *method =
	    x->log && *x->log->method ? method_of(x->log->method) : NULL;
	if (n == 0)
		return 0;
	if (!(v->counter[VLLM_DRAFTS] > 0))
		return imported_missing(
		    x, f, "num_speculative_tokens", "",
		    "the server drafts tokens, but its page has no drafts yet: "
		    "fill in this and synthetic_acceptance_rates");
	imported_number(f, "num_speculative_tokens", n,
			in_log >= 1 ? "log" : "positions on the page");
	write_rates(v, n, f);
	if (method)
		imported_line(f, "speculative_method", method, x->log->method);
	else if (imported_missing(x, f, "speculative_method", "eagle",
				  "not told: eagle, mtp, draft_model or "
				  "ngram") < 0)
		return -1;
	return imported_missing(
	    x, f, "draft_us", "0",
	    "not told: time of one pass of the drafter, or draft_cost_model");
}

static int write_engine(const struct imported *x, FILE *f)
{
	fputs("\n[engine]\n", f);
	if (write_preset(x, f) < 0 || write_parallel(x, f) < 0 ||
	    write_limits(x, f) < 0 || write_cache(x, f) < 0 ||
	    write_execution(x, f) < 0)
		return -1;
	return write_speculation(x, f);
}

/* ---- all ---- */

static void write_head(const struct imported *x, FILE *f)
{
	fputs("; A running vLLM, as stepcost import vllm understood ", f);
	printable_line(f, x->page_path, strlen(x->page_path));
	if (x->log_path) {
		fputs(" and ", f);
		printable_line(f, x->log_path, strlen(x->log_path));
	}
	fputs(".\n; Lines that begin with \";?\" are what the server did not "
	      "tell: fill them in.\n"
	      ";     stepcost compare FILE\n"
	      ";     stepcost validate FILE --measured METRICS\n"
	      "[stepcost]\nschema = 1\n",
	      f);
}

const char imported_arms[] = "\n; Two cost models to compare.\n"
			     "[cost_model:smooth_roofline]\n"
			     "plugin = smooth_roofline\n"
			     "\n"
			     "[cost_model:operators]\n"
			     "plugin = operators\n"
			     "tables.set = auto\n";

int imported_write(const struct imported *x, FILE *f)
{
	write_head(x, f);
	if (imported_served(x, f) < 0 || write_engine(x, f) < 0)
		return -1;
	fputs(imported_arms, f);
	return imported_workload(x, f);
}
