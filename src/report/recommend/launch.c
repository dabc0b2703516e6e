/* launch.c -- Writes the scripts that start a recommended configuration. */
#include "report/recommend/launch.h"
#include <stdlib.h>
#include <string.h>
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

struct making {
	struct launch_command *to;
	const struct ini *c;
	const char *pool; /* its section; NULL */
	struct flags flags;
	int has_experts;
};

static const char *value_of(const struct making *s, const char *key)
{
	const char *own = s->pool ? ini_get(s->c, s->pool, key) : NULL;
	return own ? own : ini_get(s->c, "engine", key);
}

static int64_t number_of(const struct making *s, const char *key)
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

/* Without memory the rest stands, in what follows. */
static void note_without_flag(struct making *s, const char *key,
			      const char *value, const char *where)
{
	char *text;
	if (asprintf(&text, "%s = %s%s%s", key, value,
		     where ? ": in the file of --config, as " : "",
		     where ? where : "") < 0)
		return;
	(void)names_add(&s->to->no_flag, text);
	free(text);
}

/* value: NULL: none */
static void add_argument(struct making *s, const char *before, const char *flag,
			 const char *value)
{
	struct launch_command *to = s->to;
	struct launch_argument *more =
	    realloc(to->argument, (to->n + 1) * sizeof *more);
	if (!more)
		return;
	to->argument = more;
	more += to->n++;
	*more = (struct launch_argument){.value = value ? strdup(value) : NULL};
	if (asprintf(&more->flag, "%s%s", before, flag) < 0) {
		free(more->value);
		to->n--;
	}
}

/* A server reads a whole number in digits alone.  A word, as `auto`, is what it
 * does without the flag. */
static void add_value(struct making *s, const struct flag *x, const char *value)
{
	double v;
	char digits[40];
	const char *end = number_parse(value, &v);
	int is_number = end != value && !*end;
	if ((x->type == FLAG_INT || x->type == FLAG_FLOAT) && !is_number)
		return;
	snprintf(digits, sizeof digits, "%.0f", v);
	add_argument(s, "", x->flag, x->type == FLAG_INT ? digits : value);
}

static void add_key(struct making *s, const char *key, const char *value)
{
	const struct flag *x = flag_of(&s->flags, key);
	if (!x || x->kind == FLAG_FILE)
		note_without_flag(s, key, value, x ? x->flag : NULL);
	else if (x->kind == FLAG_SWITCH)
		add_argument(s, is_true(value) ? "--" : "--no-", x->flag + 2,
			     NULL);
	else if (x->kind == FLAG_VALUE)
		add_value(s, x, value);
	else if (is_true(value))
		add_argument(s, "", x->flag, NULL);
}

/* ---- how a replica is split ---- */

/* vLLM counts the GPUs of one data-parallel rank; SGLang and TensorRT-LLM those
 * of a replica. */
static void add_split(struct making *s)
{
	int64_t tp = number_of(s, "tensor_parallel_size");
	int64_t dp = number_of(s, "data_parallel_size");
	const char *ep = value_of(s, "enable_expert_parallel");
	int is_vllm = !strcmp(s->to->engine, "vllm");
	char text[32];
	snprintf(text, sizeof text, "%lld",
		 (long long)(is_vllm || !s->has_experts ? tp : tp * dp));
	add_key(s, "tensor_parallel_size", text);
	if (value_of(s, "pipeline_parallel_size"))
		add_key(s, "pipeline_parallel_size",
			value_of(s, "pipeline_parallel_size"));
	if (dp > 1) {
		snprintf(text, sizeof text, "%lld", (long long)dp);
		if (is_vllm || flag_of(&s->flags, "data_parallel_size"))
			add_key(s, "data_parallel_size", text);
		if (!is_vllm && s->has_experts)
			add_key(s, "attention_dp", "true");
	}
	if (ep && is_vllm)
		add_key(s, "enable_expert_parallel", ep);
	if (ep && !is_vllm && is_true(ep)) {
		snprintf(text, sizeof text, "%lld", (long long)(tp * dp));
		add_key(s, "expert_parallel_size", text);
	}
}

/* Keys that add_split(), the head of the script, or the number of processes
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

/* The connector of a server of one pool is an object, or its pool's name. */
static void add_role(struct making *s)
{
	const struct flag *x = flag_of(&s->flags, "role");
	add_key(s, "role",
		x && x->type == FLAG_JSON
		    ? "{\"kv_connector\":\"NixlConnector\",\"kv_role\":"
		      "\"kv_both\"}"
		    : s->to->role);
}

static void add_keys(struct making *s)
{
	for (uint32_t i = 0; i < engine_n_keys; i++) {
		const char *key = engine_key[i]->name;
		const char *value = value_of(s, key);
		if (value && !is_said_elsewhere(key))
			add_key(s, key, value);
	}
	if (s->pool)
		add_role(s);
}

/* Returns 1 if one command starts the data-parallel ranks of a replica.
 * TensorRT-LLM has them for experts alone; those of a dense model are servers
 * of their own. */
static int starts_all_ranks(const struct making *s)
{
	return s->has_experts || flag_of(&s->flags, "data_parallel_size");
}

static void count(struct making *s)
{
	int64_t dp = number_of(s, "data_parallel_size");
	s->to->gpus = number_of(s, "tensor_parallel_size") *
		      number_of(s, "pipeline_parallel_size");
	s->to->replicas = number_of(s, "replicas");
	if (starts_all_ranks(s))
		s->to->gpus *= dp;
	else
		s->to->replicas *= dp;
}

/* NULL: the engine has none. */
static char *copy_of(const struct flags *f, const char *key)
{
	const struct flag *x = flag_of(f, key);
	return x ? strdup(x->flag) : NULL;
}

/* Fills in the command: program, model, images and the flags of the
 * configuration. */
static int fill(struct making *s, const struct recommend *r, struct problem *p)
{
	struct launch_command *to = s->to;
	const char *model = ini_get(s->c, "model", "config");
	int is_quantized;
	if (flags_read(&s->flags, to->engine, p) < 0 ||
	    model_ids_of(&to->model, model ? model : "", &is_quantized, p) < 0)
		return -1;
	const struct flag *command = flag_of(&s->flags, "command");
	if (!command)
		return problem_set(p, EXIT_USAGE,
				   "etc/launch.csv: no command of %s",
				   to->engine);
	if (is_quantized) { /* not of these weights */
		free(to->model);
		to->model = NULL;
	}
	to->command = strdup(command->flag);
	to->version = strdup(command->version);
	to->image = copy_of(&s->flags, "image");
	to->router = copy_of(&s->flags, "router");
	to->router_image = copy_of(&s->flags, "router_image");
	to->bootstrap = copy_of(&s->flags, "bootstrap_port");
	to->llm_d_image = copy_of(&s->flags, "llm_d_image");
	s->has_experts = model_has_experts(&r->sweep.config.model.view);
	count(s);
	add_split(s);
	add_keys(s);
	return to->command && to->version ? 0 : problem_no_memory(p);
}

int launch_command(struct launch_command *to, const struct recommend *r,
		   const struct ini *c, int pool, struct problem *p)
{
	const char *section = pool < 0 ? NULL : engine_pool_section[pool];
	const char *role = section ? strchr(section, ':') : NULL;
	struct making s = {.to = to, .c = c, .pool = section};
	*to = (struct launch_command){.engine = launch_engine(c),
				      .role = role ? role + 1 : "serve"};
	int rc = fill(&s, r, p);
	flags_free(&s.flags);
	return rc;
}

void launch_command_free(struct launch_command *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->argument[i].flag), free(l->argument[i].value);
	free(l->argument), free(l->command), free(l->version);
	free(l->image), free(l->model);
	free(l->router), free(l->router_image);
	free(l->bootstrap), free(l->llm_d_image);
	names_free(&l->no_flag);
}

/* ---- the script ---- */

void launch_keys_without_flag(const struct launch_command *l, FILE *f)
{
	for (size_t i = 0; i < l->no_flag.n; i++) {
		fputs(i ? "# "
			: "# Keys of the simulation that this command line "
			  "has no flag for:\n# ",
		      f);
		/* A comment ends with its line. */
		for (const char *s = l->no_flag.item[i]; *s; s++)
			fputc(*s == '\n' || *s == '\r' ? ' ' : *s, f);
		fputc('\n', f);
	}
}

void launch_server(const struct launch_command *l, FILE *f)
{
	int has_role = strcmp(l->role, "serve") != 0;
	fprintf(
	    f,
	    "#!/bin/sh\n"
	    "# Start %lld of these%s%s, each on %lld GPU%s of its own; more "
	    "arguments, as the port, are passed on.\n"
	    "# Flags as of %s %s.\nexec %s",
	    (long long)l->replicas, has_role ? " for " : "",
	    has_role ? l->role : "", (long long)l->gpus,
	    l->gpus == 1 ? "" : "s", l->engine, l->version, l->command);
	fputc(' ', f);
	if (l->model)
		shell_word(f, l->model);
	else
		fputs("\"${MODEL:?the name or folder of the checkpoint}\"", f);
	for (size_t i = 0; i < l->n; i++) {
		fprintf(f, " \\\n  %s", l->argument[i].flag);
		if (l->argument[i].value) {
			fputc(' ', f);
			shell_word(f, l->argument[i].value);
		}
	}
	fputs(" \\\n  \"$@\"\n", f);
	launch_keys_without_flag(l, f);
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
	/* The text may name a file with odd characters. */
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
