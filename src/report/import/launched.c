/* launched.c -- Turns flags of serving engines into keys. */
#include "report/import/launched.h"
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/file/infile.h"
#include "base/number.h"
#include "engine/keys/rows.h"
#include "engine/presets.h"
#include "keys/datafile.h"
#include "keys/keys.h"
#include "report/import/gateway.h"
#include "report/import/server_command.h"
#include "validate/result/yaml.h"

enum { LONGEST_MIB = 4, MAX_NAME = 200, MAX_VALUE = 1000 };

struct reading {
	struct launched *x;
	const char *path;
	struct problem *p;
	/* 1: only the files that flags name, which are read first, because
	 * flags take precedence; 0: the flags. */
	int files;
	int depth; /* of such a file: 1 */
	int known; /* flags that have a key */
};

/* ---- keys ---- */

static int list_other(struct launched *x, struct problem *p, const char *fmt,
		      ...) __attribute__((format(printf, 3, 4)));
static int list_other(struct launched *x, struct problem *p, const char *fmt,
		      ...)
{
	char text[MAX_VALUE];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return names_add_new(&x->other, text) < 0 ? problem_no_memory(p) : 0;
}

/* Flags are compared without dashes in front, and with - for _. */
static void plain_name(char *to, const char *flag)
{
	size_t n = 0;
	for (flag += strspn(flag, "-"); *flag && n + 1 < MAX_NAME; flag++)
		to[n++] = *flag == '_' ? '-' : *flag;
	to[n] = '\0';
}

static const struct flag *flag_called(const struct flags *f, const char *name)
{
	char is[MAX_NAME];
	for (size_t i = 0; i < f->n; i++) {
		plain_name(is, f->item[i].flag);
		if (!strcmp(is, name))
			return &f->item[i];
	}
	return NULL;
}

/* A key of the engine that has the flag's name. */
static const char *key_called(const struct launched *x, const char *name)
{
	char key[MAX_NAME];
	int obeyed = 0;
	snprintf(key, sizeof key, "%s", name);
	for (char *c = key; *c; c++)
		*c = *c == '-' ? '_' : *c;
	const struct engine_row *r = engine_row_named(key);
	for (int i = 0; r && i < ENGINE_N_PRESETS; i++)
		obeyed |= !strcmp(engine_scheduler_of(engine_preset_words[i]),
				  x->engine) &&
			  engine_row_is_obeyed(r, (enum engine_preset)i);
	return obeyed ? r->knob.name : NULL;
}

/* The key of a flag, and the value that it stands for (NULL: its own). */
static const char *key_of(const struct launched *x, const char *name,
			  const char **value)
{
	const struct flag *f = flag_called(&x->flags, name);
	const struct ini_item *other = ini_find(&x->more, x->engine, name);
	if (!other)
		other = ini_find(&x->more, "*", name);
	*value = other && *other->at ? other->at : NULL;
	if (f && f->kind != FLAG_COMMAND)
		return f->key;
	return other ? other->value : key_called(x, name);
}

/* ---- values ---- */

/* vLLM reads 8k as 8000, 8K as 8192, and so for m and g. */
static void whole_number(char *to, const char *value)
{
	double v;
	const char *end = number_parse(value, &v);
	const char *unit = *end ? strchr("kmgKMG", *end) : NULL;
	snprintf(to, MAX_VALUE, "%s", value);
	if (end == value || !unit || end[1])
		return;
	int by = tolower((unsigned char)*end) == 'k'   ? 1
		 : tolower((unsigned char)*end) == 'm' ? 2
						       : 3;
	v *= pow(islower((unsigned char)*end) ? 1000 : 1024, by);
	if (v < 1e15)
		snprintf(to, MAX_VALUE, "%.0f", floor(v));
}

/* Words of the engines that mean one of ours. */
static void our_word(char *to, const char *key, const char *value)
{
	static const struct {
		const char *key, *begins, *ours;
	} as[] = {{"kv_cache_dtype", "fp8", "fp8"},
		  {"kv_cache_dtype", "bf", "bfloat16"},
		  {"kv_cache_dtype", "float16", "bfloat16"},
		  {"kv_cache_dtype", "half", "bfloat16"},
		  {"speculative_method", "eagle", "eagle"},
		  {"speculative_method", "ngram", "ngram"},
		  {"speculative_method", "draft", "draft_model"},
		  {"speculative_method", "standalone", "draft_model"},
		  {"speculative_method", "nextn", "mtp"}};
	snprintf(to, MAX_VALUE, "%s", value);
	for (size_t i = 0; i < sizeof as / sizeof *as; i++)
		if (!strcmp(as[i].key, key) &&
		    !strncasecmp(as[i].begins, value, strlen(as[i].begins)))
			snprintf(to, MAX_VALUE, "%s", as[i].ours);
	if (!strcmp(key, "speculative_method") && strcasestr(value, "mtp"))
		snprintf(to, MAX_VALUE, "mtp");
	if (!strcasecmp(value, "true") || !strcasecmp(value, "false"))
		snprintf(to, MAX_VALUE, "%s",
			 !strcasecmp(value, "true") ? "true" : "false");
}

/* What the engine does without the flag. */
static int is_default(const char *key, const char *value)
{
	return !strcmp(value, "auto") ||
	       (!strcmp(key, "max_model_len") && !strcmp(value, "-1"));
}

static int put_key(struct reading *r, const char *key, const char *value,
		   const char *at)
{
	struct launched *x = r->x;
	const struct engine_row *row = engine_row_named(key);
	char number[MAX_VALUE], ours[MAX_VALUE];
	struct problem why;
	whole_number(number, value);
	our_word(ours, key, number);
	if (is_default(key, ours))
		return 0;
	/* [engine] has another name for these in some engines. */
	if (!strcmp(key, "attention_dp"))
		return ini_put(&x->c, "", key, ours, at, r->p);
	if (row && knob_check_value(&row->knob, ours, &why) == 0)
		return ini_put(&x->c, "engine", key, ours, at, r->p);
	return list_other(x, r->p, "%s%s%s", at, row ? ": " : "",
			  row ? why.text : "");
}

/* ---- a flag ---- */

static int read_file(struct reading *r, const char *name);

/* Returns 1 if the value names a pool, or SGLang's word for none. */
static int take_role(struct launched *x, const char *value)
{
	for (int i = 0; i < 2; i++) {
		const char *section = engine_pool_section[i];
		if (value && !strcmp(strchr(section, ':') + 1, value)) {
			x->pool = section;
			return 1;
		}
	}
	return value && !strcmp(value, "null");
}

/* Takes a value for a key of [engine], or for what launched has beside it. */
static int take_key(struct reading *r, const char *key, const char *value,
		    const char *at)
{
	struct launched *x = r->x;
	char **text = !strcmp(key, "model")          ? &x->model_id
		      : !strcmp(key, "quantization") ? &x->quantization
						     : NULL;
	if (!text)
		return put_key(r, key, value, at);
	free(*text);
	*text = strdup(value);
	return *text ? 0 : problem_no_memory(r->p);
}

/* value: NULL: the flag stands alone. */
static int take(struct reading *r, const char *flag, const char *value)
{
	struct launched *x = r->x;
	char name[MAX_NAME], at[MAX_VALUE];
	const char *fixed;
	plain_name(name, flag);
	snprintf(at, sizeof at, "%s%s%.700s", flag, value ? " " : "",
		 value ? value : "");
	const char *key = key_of(x, name, &fixed);
	if (!key && !strncmp(name, "no-", 3)) {
		key = key_of(x, name + 3, &fixed);
		value = value ? NULL : "false";
	}
	int is_file =
	    !strcmp(name, "config") || !strcmp(name, "extra-llm-api-options");
	if (is_file != r->files && !r->depth)
		return 0;
	if (is_file && value && !r->depth)
		return read_file(r, value);
	int is_role = key && !strcmp(key, "role");
	r->known += key != NULL;
	if (is_role && take_role(x, value))
		return 0;
	if (!key || is_role || (value && strchr(value, '$')))
		return list_other(x, r->p, "%s", at);
	value = value ? value : "true";
	if (fixed && strcasecmp(value, "true") != 0)
		return 0;
	return take_key(r, key, fixed ? fixed : value, at);
}

/* The members of an object are flags with a dot. */
static int take_value(struct reading *r, const char *flag, const json_t *v)
{
	char name[MAX_NAME];
	const char *key;
	json_t *member;
	int rc = 0;
	if (json_is_object(v)) {
		json_object_foreach((json_t *)v, key, member)
		{
			snprintf(name, sizeof name, "%s%s%s", flag,
				 *flag ? "." : "", key);
			if (rc == 0)
				rc = take_value(r, name, member);
		}
		return rc;
	}
	if (json_is_string(v))
		return take(r, flag, json_string_value(v));
	if (json_is_null(v))
		return take(r, flag, NULL);
	char *text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
	rc = text ? take(r, flag, text) : problem_no_memory(r->p);
	free(text);
	return rc;
}

/* ---- the words of a command ---- */

static int is_flag(const char *word)
{
	return *word == '-' && word[1] && !isdigit((unsigned char)word[1]) &&
	       word[1] != '.';
}

/* A flag that takes no word behind it. */
static int stands_alone(const struct launched *x, const char *flag)
{
	char name[MAX_NAME];
	plain_name(name, flag);
	const struct flag *f = flag_called(&x->flags, name);
	return f && (f->kind == FLAG_TRUE || f->kind == FLAG_SWITCH);
}

static int take_text(struct reading *r, const char *flag, const char *value)
{
	json_t *v = value && *value == '{' ? json_loads(value, 0, NULL) : NULL;
	char name[MAX_NAME];
	plain_name(name, flag);
	/* kv-transfer-config is one setting. */
	const char *fixed, *key = key_of(r->x, name, &fixed);
	int rc = v && !key ? take_value(r, flag, v) : take(r, flag, value);
	json_decref(v);
	return rc;
}

static int take_words(struct reading *r, const struct names *word)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < word->n; i++) {
		char flag[MAX_NAME], value[MAX_VALUE] = "";
		const char *is = word->item[i];
		size_t n = strcspn(is, "="), from = i;
		snprintf(flag, sizeof flag, "%.*s", (int)n, is);
		if (!is_flag(is)) {
			rc = r->x->model_id ? list_other(r->x, r->p, "%s", is)
					    : take(r, "model", is);
			continue;
		}
		if (is[n]) {
			rc = take_text(r, flag, is + n + 1);
			continue;
		}
		while (!stands_alone(r->x, is) && i + 1 < word->n &&
		       !is_flag(word->item[i + 1])) {
			size_t len = strlen(value);
			snprintf(value + len, sizeof value - len, "%s%s",
				 len ? " " : "", word->item[++i]);
		}
		rc = take_text(r, flag, i > from ? value : NULL);
	}
	return rc;
}

/* ---- the split of a replica ---- */

static int64_t number_of(const struct launched *x, const char *key)
{
	int64_t v = 1;
	const char *text = ini_get(&x->c, "engine", key);
	if (text)
		number_parse_whole(text, &v);
	return v > 0 ? v : 1;
}

static int put_number(struct reading *r, const char *key, int64_t v)
{
	char text[32];
	snprintf(text, sizeof text, "%lld", (long long)v);
	return ini_put(&r->x->c, "engine", key, text, "of all GPUs", r->p);
}

/* SGLang and TensorRT-LLM count the GPUs of a replica, vLLM those of a rank. */
static int divide_ranks(struct reading *r)
{
	struct launched *x = r->x;
	const char *attention = ini_get(&x->c, "", "attention_dp");
	int64_t all = number_of(x, "tensor_parallel_size");
	int64_t dp = number_of(x, "data_parallel_size");
	int64_t ep = number_of(x, "expert_parallel_size");
	int is_apart = attention && !strcmp(attention, "true");
	int rc = 0;
	ini_drop(&x->c, "", "attention_dp");
	if (!strcmp(x->engine, "vllm"))
		return 0;
	if (ep > 1 && ep == all) {
		ini_drop(&x->c, "engine", "expert_parallel_size");
		rc = ini_put(&x->c, "engine", "enable_expert_parallel", "true",
			     "experts over all GPUs", r->p);
	}
	if (is_apart && !strcmp(x->engine, "tensorrt_llm"))
		dp = all;
	if (rc == 0 && is_apart && dp > 1 && all % dp == 0)
		rc = put_number(r, "tensor_parallel_size", all / dp) |
		     put_number(r, "data_parallel_size", dp);
	return rc;
}

/* ---- files ---- */

static const char *add_more(void *user, uint64_t row, uint32_t n,
			    char *const *cell)
{
	struct launched *x = user;
	if (n != 5)
		return "not engine,flag,key,value,source";
	return row && ini_put(&x->more, cell[0], cell[1], cell[2], cell[3],
			      NULL) < 0
		   ? out_of_memory
		   : NULL;
}

static int read_tables(struct launched *x, struct problem *p)
{
	return datafile_csv("launch-import", add_more, x, p) < 0
		   ? -1
		   : flags_read(&x->flags, x->engine, p);
}

static int on_document(void *user, json_t *document, uint64_t line)
{
	struct reading *r = user;
	const char *kind = json_string_value(json_object_get(document, "kind"));
	if (gateway_is(document)) {
		r->x->engine = NULL;
		return gateway_take(&r->x->c, &r->x->other, document, r->path,
				    r->p);
	}
	if (!json_is_object(document) || kind)
		return problem_set(
		    r->p, EXIT_INPUT,
		    "%s:%llu: %s%s is neither a mapping of a server's flags "
		    "nor an EndpointPickerConfig",
		    r->path, (unsigned long long)line, kind ? "kind: " : "it",
		    kind ? kind : "");
	if (take_value(r, "", document) < 0)
		return -1;
	return r->known || r->depth
		   ? 0
		   : problem_set(r->p, EXIT_INPUT,
				 "%s:%llu: none of its members is a flag of %s "
				 "with a meaning here",
				 r->path, (unsigned long long)line,
				 r->x->engine);
}

/* A file that a flag names; the flags of the command take precedence. */
static int read_file(struct reading *r, const char *name)
{
	struct reading own = {.x = r->x, .p = r->p, .depth = 1};
	const char *slash = strrchr(r->path, '/');
	char path[4096];
	size_t n;
	snprintf(path, sizeof path, "%.*s%s",
		 *name == '/' || !slash ? 0 : (int)(slash + 1 - r->path),
		 r->path, name);
	own.path = path;
	if (infile_check(path, NULL) < 0)
		return list_other(r->x, r->p, "%s, a file that is not here",
				  name);
	char *text = infile_read(path, LONGEST_MIB, &n, r->p);
	int rc = text ? yaml_read(text, n, path, on_document, &own, r->p) : -1;
	free(text);
	return rc;
}

static int read_command(struct reading *r, const char *text)
{
	struct server_command c;
	int rc = server_command_read(&c, text, r->path, r->p);
	if (rc == 0) {
		r->x->engine = c.engine;
		rc = read_tables(r->x, r->p);
	}
	for (r->files = 1; rc == 0 && r->files >= 0; r->files--)
		rc = take_words(r, &c.word);
	r->files = 0;
	for (size_t i = 0; rc == 0 && i < c.set.n; i++)
		rc = list_other(r->x, r->p, "%s (environment)", c.set.item[i]);
	server_command_free(&c);
	return rc;
}

/* YAML of TensorRT-LLM has these, and that of vLLM not. */
static const char *engine_of_yaml(const char *text)
{
	return strstr(text, "kv_cache_config:") ||
		       strstr(text, "enable_attention_dp:") ||
		       strstr(text, "cuda_graph_config:")
		   ? "tensorrt_llm"
		   : "vllm";
}

int launched_read(struct launched *x, const char *path, const char *engine,
		  struct problem *p)
{
	struct reading r = {.x = x, .path = path, .p = p};
	size_t n;
	char *text = infile_read(path, LONGEST_MIB, &n, p);
	int rc = text ? 0 : -1;
	if (rc == 0 && yaml_begins(text, n)) {
		x->engine = engine ? engine : engine_of_yaml(text);
		rc = read_tables(x, p);
		if (rc == 0)
			rc = yaml_read(text, n, path, on_document, &r, p);
	} else if (rc == 0) {
		rc = read_command(&r, text);
	}
	if (rc == 0 && x->engine)
		rc = divide_ranks(&r);
	free(text);
	return rc;
}

void launched_free(struct launched *x)
{
	free(x->model_id);
	free(x->quantization);
	ini_free(&x->c);
	ini_free(&x->more);
	names_free(&x->other);
	flags_free(&x->flags);
}
