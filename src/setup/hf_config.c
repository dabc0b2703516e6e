/* hf_config.c -- Reads a Hugging Face config.json as keys of [model]. */
#include <config.h>
#include "setup/hf_config.h"
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/filetype.h"
#include "base/infile.h"
#include "setup/hf_family.h"
#include "setup/hf_layers.h"
#include "setup/hf_quantization.h"
#include "setup/hf_reader.h"

/* Fields that change the layers in ways that no key can say. */
static const char *const foreign[] = {
    "block_configs",
    "layers_block_type",
    "hybrid_override_pattern",
    "num_kv_shared_layers",
    "global_head_dim",
    "num_global_key_value_heads",
    "full_attention_interval",
    "linear_num_key_heads",
    "attn_layer_period",
    "mamba_d_state",
    "ssm_cfg",
    "index_topk",
    "altup_num_inputs",
    "multi_query",
};

/* Files that lie beside a config.json and are taken for one. */
static int check_file(struct hf_reader *r)
{
	if (json_object_get(r->top, "producer") ||
	    json_is_object(json_object_get(r->top, "quantization")))
		return hf_fail(r, EXIT_INPUT, "quantization",
			       "is what hf_quant_config.json has; give the "
			       "config.json beside it");
	if (json_object_get(r->top, "n_layers") &&
	    json_object_get(r->top, "dim"))
		return hf_fail(r, EXIT_INPUT, "n_layers",
			       "is what params.json has; give the config.json "
			       "beside it");
	return 0;
}

/* The architecture, and what goes without saying in it. */
static int find_family(struct hf_reader *r)
{
	const char *type = hf_text(r->in, "model_type");
	char known[600];
	if (!*type)
		return hf_fail(r, EXIT_INPUT, "model_type",
			       "is missing: not the configuration of a model");
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
		const json_t *f = json_object_get(r->in, foreign[i]);
		if (f && !json_is_null(f) && !json_is_false(f))
			return hf_fail(r, EXIT_USAGE, foreign[i],
				       "makes layers that cannot be expressed");
	}
	if (hf_family_find(type, &r->has) == 0)
		return 0;
	hf_family_names(known, sizeof known);
	return hf_fail(
	    r, EXIT_USAGE, "model_type",
	    "'%.60s' is an architecture that cannot be expressed; known: %s",
	    type, known);
}

static void read_all(struct hf_reader *r)
{
	r->layers = hf_required(r, HF_NAMES("num_hidden_layers"));
	if (r->layers > 10000)
		hf_fail(r, EXIT_INPUT, "num_hidden_layers", "is above 10000");
	if (r->failed)
		return;
	hf_put_int(r, "num_hidden_layers", r->layers);
	hf_put_int(r, "hidden_size", hf_required(r, HF_NAMES("hidden_size")));
	hf_put_int(r, "vocab_size", hf_required(r, HF_NAMES("vocab_size")));
	hf_put_int(r, "max_position_embeddings",
		   hf_integer(r, HF_NAMES("max_position_embeddings"), 0));
	int tied =
	    hf_boolean(r, r->top, "tie_word_embeddings", r->has & HF_TIED);
	hf_put_true(r, "tie_word_embeddings",
		    hf_boolean(r, r->in, "tie_word_embeddings", tied));
	hf_read_layers(r);
	hf_read_formats(r);
}

/* Python writes Infinity and NaN, which JSON does not have.  In *text, of n
 * bytes, they become words as long, so that who needs a number there refuses
 * them, and who does not need it does not care. */
static void quote_non_numbers(char *text, size_t n)
{
	static const char *const word[] = {"-Infinity", "Infinity", "NaN"};
	int in_string = 0;
	for (size_t i = 0; i < n; i++) {
		if (in_string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			in_string = !in_string;
		for (size_t k = 0; !in_string && k < 3; k++) {
			size_t m = strlen(word[k]);
			if (n - i < m || memcmp(text + i, word[k], m) != 0)
				continue;
			text[i] = text[i + m - 1] = '"';
			i += m - 1;
			break;
		}
	}
}

static json_t *parse(const char *content, size_t len, const char *origin,
		     struct problem *p)
{
	json_error_t e;
	const char *why = filetype_not_text(content, len);
	size_t bom = filetype_bom(content, len);
	if (why) {
		problem_set(p, EXIT_INPUT, "%s:1: %s", origin, why);
		return NULL;
	}
	size_t n = len - bom;
	char *text = malloc(n + 1);
	if (!text) {
		problem_set(p, EXIT_USAGE, "out of memory");
		return NULL;
	}
	memcpy(text, content + bom, n);
	quote_non_numbers(text, n);
	json_t *top = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
	free(text);
	if (!top) {
		problem_set(p, EXIT_INPUT, "%s:%d: %s", origin, e.line, e.text);
	} else if (!json_is_object(top)) {
		problem_set(p, EXIT_INPUT,
			    "%s:1: not an object at the top: not the "
			    "configuration of a model",
			    origin);
		json_decref(top);
		top = NULL;
	}
	return top;
}

int hf_config_parse(struct ini *c, const char *content, size_t len,
		    const char *origin, struct problem *p)
{
	json_t *top = parse(content, len, origin, p);
	char *copy = strndup(content, len);
	struct hf_reader r = {
	    .c = c, .origin = origin, .text = copy, .top = top, .p = p};
	if (!top) {
		free(copy);
		return -1;
	}
	const json_t *v = json_object_get(top, "text_config");
	r.in = json_is_object(v) ? v : top;
	if (check_file(&r) == 0 && find_family(&r) == 0)
		read_all(&r);
	free(copy);
	json_decref(top);
	return r.failed ? -1 : 0;
}

enum { MAX_BYTES = 1 << 26 }; /* the largest known have 100 kB */

/* A whole file, with a NUL behind; NULL with *p. */
static char *slurp(const char *path, size_t *len, struct problem *p)
{
	char *content = NULL, buf[8192];
	size_t n;
	FILE *f = infile_open(path, p), *out = NULL;
	if (f)
		out = open_memstream(&content, len);
	if (f && !out) {
		problem_set(p, EXIT_USAGE, "out of memory");
		fclose(f);
	}
	if (!out)
		return NULL;
	while (ftello(out) <= MAX_BYTES && (n = fread(buf, 1, sizeof buf, f)))
		fwrite(buf, 1, n, out);
	int error = ferror(f) ? errno : 0, large = ftello(out) > MAX_BYTES;
	fclose(f), fclose(out);
	if (!error && !large)
		return content;
	if (error)
		problem_set(p, EXIT_USAGE, "%s: %s", path, strerror(error));
	else
		problem_set(p, EXIT_INPUT,
			    "%s: more than %d bytes: not the configuration of "
			    "a model",
			    path, MAX_BYTES);
	free(content);
	return NULL;
}

/* Some quantized models say so only in hf_quant_config.json, beside their
 * config.json. */
static int read_beside(struct ini *c, const char *path, struct problem *p)
{
	const char *slash = strrchr(path, '/');
	int n = slash ? (int)(slash - path + 1) : 0;
	char *beside;
	size_t len;
	if (ini_find(c, "model", "quantization") ||
	    strcmp(path + n, "config.json"))
		return 0;
	if (asprintf(&beside, "%.*shf_quant_config.json", n, path) < 0)
		return problem_set(p, EXIT_USAGE, "out of memory");
	char *content = slurp(beside, &len, NULL);
	int rc = 0;
	if (content) {
		json_t *top = parse(content, len, beside, p);
		struct hf_reader r = {
		    .c = c, .origin = beside, .text = content, .p = p};
		if (top)
			hf_read_quant_algo(
			    &r, hf_text(json_object_get(top, "quantization"),
					"quant_algo"));
		rc = top && !r.failed ? 0 : -1;
		json_decref(top);
	}
	free(content), free(beside);
	return rc;
}

int hf_config_read(struct ini *c, const char *path, struct problem *p)
{
	size_t len;
	char *content = slurp(path, &len, p);
	if (!content)
		return -1;
	c->path = c->path ? c->path : strdup(path);
	int rc = hf_config_parse(c, content, len, path, p);
	free(content);
	return rc < 0 ? -1 : read_beside(c, path, p);
}
