/* vllm_log.c -- Finds in the log of a vLLM server what it was started with. */
#include "metrics/vllm_log.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of the text. */
struct part {
	const char *s, *end;
};

static int part_is(struct part a, const char *word)
{
	return strlen(word) == (size_t)(a.end - a.s) &&
	       !memcmp(a.s, word, (size_t)(a.end - a.s));
}

/* Returns what follows the first `word` in the line, or NULL. */
static const char *after(struct part line, const char *word)
{
	size_t n = strlen(word), most = (size_t)(line.end - line.s);
	const char *at = memmem(line.s, most, word, n);
	return at ? at + n : NULL;
}

/* ---- KEY=VALUE, and 'KEY': VALUE ---- */

/* Returns the end of a value, which is before a comma or a closing bracket of
 * its list. */
static const char *value_end(const char *s, const char *end)
{
	int depth = 0;
	char quote = 0;
	for (; s < end; s++) {
		if (quote) {
			if (*s == '\\' && s + 1 < end)
				s++;
			else if (*s == quote)
				quote = 0;
		} else if (*s == '\'' || *s == '"') {
			quote = *s;
		} else if (*s && strchr("([{", *s)) {
			depth++;
		} else if (*s && strchr(")]}", *s)) {
			if (depth-- == 0)
				return s;
		} else if (*s == ',' && depth == 0) {
			return s;
		}
	}
	return end;
}

static const char *skip(const char *s, const char *end, const char *what)
{
	while (s < end && *s && strchr(what, *s))
		s++;
	return s;
}

/* Takes the next item of a list off *s.  Returns 0 at its end. */
static int next_item(struct part *s, struct part *key, struct part *value)
{
	const char *at = skip(s->s, s->end, ", ");
	if (at < s->end && (*at == '\'' || *at == '"')) {
		const char *close =
		    memchr(at + 1, *at, (size_t)(s->end - at - 1));
		if (!close)
			return 0;
		*key = (struct part){at + 1, close};
		at = close + 1;
	} else {
		key->s = at;
		while (at < s->end && *at && !strchr("=,()[]{} ", *at))
			at++;
		key->end = at;
	}
	if (at == s->end || (*at != '=' && *at != ':'))
		return 0;
	value->s = skip(at + 1, s->end, " ");
	value->end = s->s = value_end(value->s, s->end);
	return 1;
}

/* ---- settings ---- */

enum kind { TEXT, NUMBER, PRESENT, LIST };
struct setting {
	const char *name;
	enum kind kind;
	size_t offset;               /* in struct vllm_log */
	const struct setting *inner; /* of a LIST; ends with a name NULL */
};
#define AT(field) offsetof(struct vllm_log, field)
/* clang-format off */
#define N(field) {#field, NUMBER, AT(field), NULL}
#define T(field) {#field, TEXT, AT(field), NULL}
/* clang-format on */
static const struct setting of_drafts[] = {
    T(method),
    {"model", TEXT, AT(draft_model), NULL},
    N(num_speculative_tokens),
    {"num_spec_tokens", NUMBER, AT(num_speculative_tokens), NULL},
    {NULL, TEXT, 0, NULL}};
static const struct setting of_graphs[] = {N(max_cudagraph_capture_size),
					   {NULL, TEXT, 0, NULL}};
static const struct setting setting[] = {
    T(model),
    T(quantization),
    T(kv_cache_dtype),
    T(scheduling_policy),
    N(tensor_parallel_size),
    N(pipeline_parallel_size),
    N(data_parallel_size),
    N(enable_expert_parallel),
    N(max_model_len),
    {"max_seq_len", NUMBER, AT(max_model_len), NULL},
    N(max_num_seqs),
    N(max_num_batched_tokens),
    N(long_prefill_token_threshold),
    N(block_size),
    {"num_gpu_blocks_override", NUMBER, AT(num_gpu_blocks), NULL},
    N(gpu_memory_utilization),
    N(enforce_eager),
    N(enable_prefix_caching),
    N(enable_chunked_prefill),
    {"chunked_prefill_enabled", NUMBER, AT(enable_chunked_prefill), NULL},
    N(async_scheduling),
    {"kv_transfer_config", PRESENT, AT(transfers_kv), NULL},
    {"enable_lora", PRESENT, AT(has_lora), NULL},
    {"speculative_config", LIST, 0, of_drafts},
    {"compilation_config", LIST, 0, of_graphs},
    {NULL, TEXT, 0, NULL}};

static void copy_text(char *to, struct part v)
{
	if (v.s < v.end && (*v.s == '\'' || *v.s == '"') && v.end - v.s >= 2)
		v.s++, v.end--;
	snprintf(to, VLLM_LOG_TEXT, "%.*s", (int)(v.end - v.s), v.s);
}

/* Reads a number, True or False.  Returns NaN for anything else. */
static double number_of(struct part v)
{
	char text[64], *end;
	if (part_is(v, "True"))
		return 1;
	if (part_is(v, "False"))
		return 0;
	snprintf(text, sizeof text, "%.*s", (int)(v.end - v.s), v.s);
	double x = strtod(text, &end);
	return end == text || *end || !isfinite(x) || x < 0 ? NAN : x;
}

static void read_list(struct vllm_log *l, const struct setting *of,
		      struct part list);

/* Reads the value of a setting into its field. */
static void set(struct vllm_log *l, const struct setting *x, struct part v)
{
	char *field = (char *)l + x->offset;
	double number;
	if (part_is(v, "None"))
		return;
	switch (x->kind) {
	case TEXT:
		copy_text(field, v);
		break;
	case NUMBER:
		number = number_of(v);
		if (!isnan(number))
			memcpy(field, &number, sizeof number);
		break;
	case PRESENT:
		*(int *)(void *)field = !part_is(v, "False");
		break;
	case LIST:
		while (v.s < v.end && *v.s != '{' && *v.s != '(')
			v.s++;
		if (v.s < v.end)
			read_list(l, x->inner, (struct part){v.s + 1, v.end});
	}
}

static void read_list(struct vllm_log *l, const struct setting *of,
		      struct part list)
{
	struct part key, value;
	while (next_item(&list, &key, &value))
		for (const struct setting *x = of; x->name; x++)
			if (part_is(key, x->name))
				set(l, x, value);
}

/* ---- lines ---- */

/* Copies the word at s, up to one of the characters. */
static void copy_word(char *to, const char *s, struct part line,
		      const char *until)
{
	const char *end = s;
	while (end < line.end && *end && !strchr(until, *end))
		end++;
	copy_text(to, (struct part){s, end});
}

/* Returns the number at s, which may have commas; NaN: none. */
static double number_at(const char *s, struct part line)
{
	char digits[40];
	size_t n = 0;
	for (; s < line.end && n < sizeof digits - 1; s++)
		if ((*s >= '0' && *s <= '9') || *s == '.')
			digits[n++] = *s;
		else if (*s != ',')
			break;
	digits[n] = '\0';
	char *end;
	double v = strtod(digits, &end);
	return end == digits ? NAN : v;
}

static void find_number(double *to, struct part line, const char *word)
{
	const char *s = after(line, word);
	double v = s ? number_at(s, line) : NAN;
	if (!isnan(v))
		*to = v;
}

static void read_configuration(struct vllm_log *l, struct part line)
{
	const char *args = after(line, "non-default args: {");
	const char *version = after(line, "LLM engine (v");
	const char *config = version ? after(line, ") with config: ") : NULL;
	if (args) {
		l->has_arguments = 1;
		read_list(l, setting, (struct part){args, line.end});
	}
	if (!version)
		version = after(line, "vLLM API server version ");
	if (version)
		copy_word(l->version, version, line, ") \r");
	if (config) {
		l->has_config = 1;
		read_list(l, setting, (struct part){config, line.end});
	}
}

/* The GPU is in the names of files with tuned kernels, and in lists of
 * nvidia-smi -L. */
static void read_device(struct vllm_log *l, struct part line)
{
	const char *file = after(line, "device_name=");
	const char *listed = after(line, "GPU 0: ");
	if (l->device[0])
		return;
	if (file)
		copy_word(l->device, file, line, ",'\" \r");
	else if (listed)
		copy_word(l->device, listed, line, "(\r");
	char *json = strstr(l->device, ".json");
	if (json)
		*json = '\0';
	for (char *s = l->device; *s; s++)
		if (*s == ' ')
			*s = s[1] ? '_' : '\0';
}

static void read_state(struct vllm_log *l, struct part line)
{
	find_number(&l->max_num_batched_tokens, line,
		    "enabled with max_num_batched_tokens=");
	find_number(&l->num_gpu_blocks, line, "num_gpu_blocks is: ");
	if (after(line, "Asynchronous scheduling is enabled"))
		l->async_scheduling = 1;
	if (after(line, "Asynchronous scheduling is disabled"))
		l->async_scheduling = 0;
}

/* "Engine 000: Avg prompt throughput: ... Avg generation throughput: ..." */
static void read_load(struct vllm_log *l, struct part line)
{
	double made = NAN;
	find_number(&made, line, "Avg generation throughput: ");
	if (!(made > 0))
		return;
	l->output_tokens_per_s += made;
	if (after(line, "Engine 000: ") || after(line, "Engines Aggregated: "))
		l->load_lines++;
}

static void forget(struct vllm_log *l)
{
	*l = (struct vllm_log){0};
	for (const struct setting *x = setting; x->name; x++)
		if (x->kind == NUMBER)
			memcpy((char *)l + x->offset, &(double){NAN},
			       sizeof(double));
	l->num_speculative_tokens = l->max_cudagraph_capture_size = NAN;
}

int vllm_log_read(struct vllm_log *l, const char *text, size_t n,
		  const char *path, struct problem *p)
{
	const char *end = text + n;
	forget(l);
	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		struct part line = {text, eol ? eol : end};
		read_configuration(l, line);
		read_device(l, line);
		read_state(l, line);
		read_load(l, line);
		text = line.end + 1;
	}
	if (l->has_arguments || l->has_config || l->load_lines ||
	    !isnan(l->max_num_batched_tokens))
		return 0;
	return problem_set(p, EXIT_INPUT,
			   "%s: no line of a vLLM server's log; give the lines "
			   "from the start of `vllm serve`, with \"non-default "
			   "args:\" or \"Initializing a V1 LLM engine\"",
			   path);
}

double vllm_log_output_rate(const struct vllm_log *l)
{
	return l->load_lines ? l->output_tokens_per_s / (double)l->load_lines
			     : NAN;
}
