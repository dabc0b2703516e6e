/* launch.c -- Writes the scripts that start a recommended configuration. */
#include <config.h>
#include "report/recommend/launch.h"
#include <stdlib.h>
#include <string.h>
#include "arm/assignment.h"
#include "base/number.h"
#include "base/shell_word.h"
#include "engine/keys/rows.h"
#include "engine/presets.h"
#include "model/model_ids.h"
#include "report/recommend/flags.h"

/* ---- the configuration ---- */

int launch_ini(struct ini *c, const struct recommend *r, size_t point,
	       struct problem *p)
{
	struct names set = {0};
	char longest[64];
	int rc = sweep_set_point(&set, &r->from->set, &r->sweep.plan, point, p);
	snprintf(longest, sizeof longest, "engine.max_model_len=%llu",
		 (unsigned long long)r->max_model_len);
	if (rc == 0 && r->max_model_len && names_add(&set, longest) < 0)
		rc = problem_no_memory(p);
	if (rc == 0)
		rc = config_read(c, r->from->config, set.item, set.n, p);
	names_free(&set);
	return rc;
}

const char *launch_engine(const struct ini *c)
{
	const char *preset = ini_get(c, "engine", "preset");
	const char *own = preset ? engine_scheduler_of(preset) : NULL;
	const char *scheduler = ini_get(c, "engine", "scheduler");
	return own ? own : scheduler ? scheduler : "vllm";
}

/* ---- a command ---- */

struct script {
	FILE *f;
	const struct ini *c;
	const char *engine, *pool; /* section of the pool; NULL               */
	struct flags flags;
	int has_experts;
	struct names unsaid; /* "key = value", without a flag */
};

static const char *value_of(const struct script *s, const char *key)
{
	const char *own = s->pool ? ini_get(s->c, s->pool, key) : NULL;
	return own ? own : ini_get(s->c, "engine", key);
}

static int64_t number_of(const struct script *s, const char *key)
{
	int64_t v = 1;
	const char *text = value_of(s, key);
	if (text)
		number_parse_whole(text, &v);
	return v;
}

static int is_true(const char *value)
{
	return !strcmp(value, "true") || !strcmp(value, "1") ||
	       !strcmp(value, "yes") || !strcmp(value, "on");
}

static void leave_unsaid(struct script *s, const char *key, const char *value,
			 const char *where)
{
	char *text;
	if (asprintf(&text, "%s = %s%s%s", key, value,
		     where ? ": in the file of --config, as " : "",
		     where ? where : "") < 0)
		return;
	(void)names_add(&s->unsaid, text); /* without memory the rest stands */
	free(text);
}

/* A server reads a whole number in digits alone.  A word, as `auto`, is what it
 * does without the flag. */
static void write_value(FILE *f, const struct flag *x, const char *value)
{
	double v;
	const char *end = number_parse(value, &v);
	int is_number = end != value && !*end;
	if (x->type != FLAG_TEXT && !is_number)
		return;
	fprintf(f, " \\\n  %s ", x->flag);
	if (x->type == FLAG_INT)
		fprintf(f, "%.0f", v);
	else
		shell_word(f, value);
}

static void write_key(struct script *s, const char *key, const char *value)
{
	const struct flag *x = flag_of(&s->flags, key);
	if (!x || x->kind == FLAG_FILE) {
		leave_unsaid(s, key, value, x ? x->flag : NULL);
	} else if (x->kind == FLAG_SWITCH) {
		fprintf(s->f, " \\\n  --%s%s", is_true(value) ? "" : "no-",
			x->flag + 2);
	} else if (x->kind == FLAG_VALUE) {
		write_value(s->f, x, value);
	} else if (is_true(value)) {
		fprintf(s->f, " \\\n  %s", x->flag);
	}
}

/* ---- how a replica is split ---- */

/* vLLM counts the GPUs of one data-parallel rank; SGLang and TensorRT-LLM those
 * of a replica. */
static void write_split(struct script *s)
{
	int64_t tp = number_of(s, "tensor_parallel_size");
	int64_t dp = number_of(s, "data_parallel_size");
	const char *ep = value_of(s, "enable_expert_parallel");
	int is_vllm = !strcmp(s->engine, "vllm");
	char text[32];
	snprintf(text, sizeof text, "%lld",
		 (long long)(is_vllm || !s->has_experts ? tp : tp * dp));
	write_key(s, "tensor_parallel_size", text);
	if (value_of(s, "pipeline_parallel_size"))
		write_key(s, "pipeline_parallel_size",
			  value_of(s, "pipeline_parallel_size"));
	if (dp > 1) {
		snprintf(text, sizeof text, "%lld", (long long)dp);
		if (is_vllm || flag_of(&s->flags, "data_parallel_size"))
			write_key(s, "data_parallel_size", text);
		if (!is_vllm && s->has_experts)
			write_key(s, "attention_dp", "true");
	}
	if (ep && is_vllm)
		write_key(s, "enable_expert_parallel", ep);
	if (ep && !is_vllm && is_true(ep)) {
		snprintf(text, sizeof text, "%lld", (long long)(tp * dp));
		write_key(s, "expert_parallel_size", text);
	}
}

/* Keys that write_split(), the head of the script, or the number of processes
 * stand for. */
static int is_said_elsewhere(const char *key)
{
	static const char *const other[] = {"preset",
					    "scheduler",
					    "replicas",
					    "prefill_replicas",
					    "tensor_parallel_size",
					    "pipeline_parallel_size",
					    "data_parallel_size",
					    "enable_expert_parallel",
					    "memory_check",
					    "usage_context"};
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (!strcmp(other[i], key))
			return 1;
	return 0;
}

static void write_keys(struct script *s)
{
	for (uint32_t i = 0; i < engine_n_keys; i++) {
		const char *key = engine_key[i]->name;
		const char *value = value_of(s, key);
		if (value && !is_said_elsewhere(key))
			write_key(s, key, value);
	}
	if (s->pool)
		write_key(s, "role",
			  "{\"kv_connector\":\"NixlConnector\",\"kv_role\":"
			  "\"kv_both\"}");
}

/* ---- the script ---- */

/* id: NULL: not known, or not of these weights */
static void write_model(const struct script *s, const char *id)
{
	if (!id) {
		fputs(" \"${MODEL:?the name or folder of the checkpoint}\"",
		      s->f);
		return;
	}
	fputc(' ', s->f);
	shell_word(s->f, id);
}

/* Returns 1 if one command starts the data-parallel ranks of a replica.
 * TensorRT-LLM has them for experts alone; those of a dense model are servers
 * of their own. */
static int starts_all_ranks(const struct script *s)
{
	return s->has_experts || flag_of(&s->flags, "data_parallel_size");
}

static void write_head(const struct script *s)
{
	int64_t dp = number_of(s, "data_parallel_size");
	int64_t gpus = number_of(s, "tensor_parallel_size") *
		       number_of(s, "pipeline_parallel_size");
	int64_t n = number_of(s, "replicas");
	if (starts_all_ranks(s))
		gpus *= dp;
	else
		n *= dp;
	const char *role = s->pool ? strchr(s->pool, ':') : NULL;
	fprintf(
	    s->f,
	    "#!/bin/sh\n"
	    "# Start %lld of these%s%s, each on %lld GPU%s of its own; more "
	    "arguments, as the port, are passed on.\n",
	    (long long)n, role ? " for " : "", role ? role + 1 : "",
	    (long long)gpus, gpus == 1 ? "" : "s");
}

static void write_unsaid(const struct script *s)
{
	for (size_t i = 0; i < s->unsaid.n; i++)
		fprintf(s->f, "%s# %s\n",
			i ? ""
			  : "# Keys of the simulation that this command line "
			    "has no flag for:\n",
			s->unsaid.item[i]);
}

int launch_server(const struct recommend *r, const struct ini *c, int pool,
		  FILE *f, struct problem *p)
{
	struct script s = {.f = f,
			   .c = c,
			   .engine = launch_engine(c),
			   .pool = pool < 0 ? NULL : engine_pool_section[pool],
			   .has_experts =
			       model_has_experts(&r->sweep.config.model.view)};
	const char *model = ini_get(c, "model", "config");
	char *id = NULL;
	int is_quantized, rc = flags_read(&s.flags, s.engine, p);
	if (rc == 0)
		rc = model_ids_of(&id, model ? model : "", &is_quantized, p);
	const struct flag *command = flag_of(&s.flags, "command");
	if (rc == 0 && !command)
		rc = problem_set(p, EXIT_USAGE,
				 "etc/launch.csv: no command of %s", s.engine);
	if (rc == 0) {
		write_head(&s);
		fprintf(f, "# Flags as of %s %s.\nexec %s", s.engine,
			command->version, command->flag);
		write_model(&s, is_quantized ? NULL : id);
		write_split(&s);
		write_keys(&s);
		fputs(" \\\n  \"$@\"\n", f);
		write_unsaid(&s);
	}
	free(id);
	names_free(&s.unsaid);
	flags_free(&s.flags);
	return rc;
}

/* ---- the client ---- */

/* A length that the client can draw: one number, or a range around it. */
static int read_lengths(const char *text, double *mean, double *ratio)
{
	double low, high;
	int end = 0;
	*ratio = 0;
	if (!text)
		return 0;
	if (sscanf(text, "uniform:%lf,%lf%n", &low, &high, &end) == 2 &&
	    !text[end]) {
		*mean = (low + high) / 2;
		*ratio = (high - low) / (high + low);
		return 1;
	}
	if (!strncmp(text, "constant:", 9))
		text += 9;
	return sscanf(text, "%lf%n", mean, &end) == 1 && !text[end];
}

static void write_length(FILE *f, const char *flag, const char *name,
			 const char *text, double *ratio)
{
	double mean;
	fprintf(f, " \\\n  %s ", flag);
	if (read_lengths(text, &mean, ratio)) {
		fprintf(f, "%.0f", mean);
		return;
	}
	fprintf(f, "\"${%s:?tokens; in the simulation ", name);
	/* It may name a file. */
	for (const char *s = text ? text : "those of a trace"; *s; s++)
		fputc(*s == ' ' || shell_is_plain(*s) ? *s : '_', f);
	fputs("}\"", f);
}

static void write_whole(FILE *f, const char *flag, const char *text)
{
	int64_t v = 0;
	number_parse_whole(text, &v);
	fprintf(f, " \\\n  %s %lld", flag, (long long)v);
}

void launch_client(const struct ini *c, double rate, FILE *f)
{
	const char *n = ini_get(c, "workload", "num_requests");
	const char *seed = ini_get(c, "workload", "seed");
	const char *input = ini_get(c, "workload", "input_tokens");
	const char *output = ini_get(c, "workload", "output_tokens");
	double of_input = 0, of_output = 0;
	fprintf(f,
		"#!/bin/sh\n"
		"# Sends requests of the simulated lengths at the recommended "
		"rate.\n"
		"exec vllm bench serve --dataset-name random");
	write_length(f, "--random-input-len", "INPUT_LEN", input, &of_input);
	write_length(f, "--random-output-len", "OUTPUT_LEN", output,
		     &of_output);
	if (of_input > 0)
		fprintf(f, " \\\n  --random-range-ratio %.3g", of_input);
	write_whole(f, "--num-prompts", n ? n : "1000");
	if (rate > 0)
		fprintf(f, " \\\n  --request-rate %.4g", rate);
	if (seed)
		write_whole(f, "--seed", seed);
	fputs(" \\\n  --ignore-eos --save-result --save-detailed "
	      "\\\n  \"$@\"\n",
	      f);
	if (of_input != of_output)
		fprintf(f,
			"# The client has one ratio for prompts and answers; "
			"in the simulation answers have %.3g.\n",
			of_output);
}
