/* hf_modules.c -- Finds modules in the lists of a config.json. */
#include "model/hf_modules.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/problem.h"

#define N(array) (sizeof(array) / sizeof *(array))

/* ---- names ---- */

/* Names that an architecture uses for the layers of model.h. */
static const struct rename {
	const char *type; /* a prefix of model_type */
	const char *from, *to;
} renames[] = {
    {"", "mlp.shared_experts", "mlp.shared_expert"},
    {"", "mlp.shared_experts", "share_expert"},
    {"", "mlp.experts.0.gate_proj", "block_sparse_moe.experts.0.w1"},
    {"", "mlp.experts.0.up_proj", "block_sparse_moe.experts.0.w3"},
    {"", "mlp.experts.0.down_proj", "block_sparse_moe.experts.0.w2"},
    {"", "mlp.shared_experts", "block_sparse_moe.shared_experts"},
    {"", "mlp.experts.0.gate_proj", "mlp.experts.gate_up_proj"},
    {"", "mlp.experts.0.up_proj", "mlp.experts.gate_up_proj"},
    {"", "mlp.experts.0.down_proj", "mlp.experts.down_proj"},
    {"", "mlp.experts.", "experts."}, /* Gemma 4 */
    {"deepseek_v4", "mlp.", "ffn."},
    {"llama4", "mlp.", "feed_forward."},
    {"llama4", "mlp.shared_experts", "feed_forward.shared_expert"},
    {"step3", "mlp.experts.0.", "moe."},
    {"nemotron_h", "mlp.", "mixer."},
    {"nemotron_h", "self_attn.", "mixer."},
    {"nemotron_h", "linear_attn.", "mixer."},
    {"granitemoehybrid", "linear_attn.", "mamba."},
    {"qwen3_next", "linear_attn.in_proj", "linear_attn.in_proj_qkvz"},
    {"qwen3_5", "linear_attn.in_proj", "linear_attn.in_proj_qkv"},
    {"phi3", "self_attn.q_proj", "self_attn.qkv_proj"},
    {"phi3", "self_attn.k_proj", "self_attn.qkv_proj"},
    {"phi3", "self_attn.v_proj", "self_attn.qkv_proj"},
    {"phi3", "mlp.up_proj", "mlp.gate_up_proj"},
    {"phi3", "mlp.gate_proj", "mlp.gate_up_proj"},
};
static const char *const prefixes[] = {"model.", "language_model.model.",
				       "model.language_model.", "backbone.",
				       ""};
static void add_name(struct hf_module *m, int64_t layer, const char *from,
		     const char *to, const char *below)
{
	const char *rest = below + strlen(from);
	for (size_t i = 0; i < N(prefixes) && m->n < HF_MODULE_NAMES; i++)
		snprintf(m->name[m->n++], sizeof m->name[0],
			 "%slayers.%lld.%s%s", prefixes[i], (long long)layer,
			 to, rest);
}

void hf_module_name(struct hf_module *m, const char *type, int64_t layer,
		    const char *below)
{
	m->n = 0;
	if (layer < 0) {
		snprintf(m->name[m->n++], sizeof m->name[0], "%s", below);
		snprintf(m->name[m->n++], sizeof m->name[0],
			 "language_model.%s", below);
		return;
	}
	add_name(m, layer, "", "", below);
	for (size_t i = 0; i < N(renames); i++) {
		const struct rename *r = &renames[i];
		if (!strncmp(type, r->type, strlen(r->type)) &&
		    !strncmp(below, r->from, strlen(r->from)))
			add_name(m, layer, r->from, r->to, below);
	}
}

/* ---- lists ---- */

/* Translates the constructs that Python expressions in such lists use, matched
 * from the start of the name, to POSIX.  Returns NULL if an expression uses
 * more, or if memory is out. */
static char *posix_of(const char *s)
{
	static const char *const more[] = {"(?!", "(?=", "(?<", "(?P",
					   "{",   "\\1", "\\2", "\\3"};
	for (size_t i = 0; i < N(more); i++)
		if (strstr(s, more[i]))
			return NULL;
	if (strlen(s) > 2000)
		return NULL;
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	fputs("^(", f);
	for (; *s; s++) {
		if (*s == '\\' && s[1] == 'd')
			fputs("[0-9]", f), s++;
		else if (*s == '(' && s[1] == '?' && s[2] == ':')
			putc('(', f), s += 2;
		else if (*s == '\\' && s[1])
			putc('\\', f), putc(*++s, f);
		else
			putc(*s, f);
	}
	putc(')', f);
	return text_end(&t);
}

static int add_expr(struct hf_modules *l, const char *s)
{
	char *posix = posix_of(s);
	regex_t *more = realloc(l->expr, (l->n_expr + 1) * sizeof *more);
	l->expr = more ? more : l->expr;
	int rc = -1;
	if (posix && more)
		rc = regcomp(&more[l->n_expr], posix, REG_EXTENDED | REG_NOSUB);
	free(posix);
	if (rc)
		return -1;
	l->n_expr++;
	return 0;
}

/* Returns 1 if s names a module of one layer and is no pattern. */
static int is_name(const char *s)
{
	const char *layers = strstr(s, "layers.");
	return layers && layers[7] >= '0' && layers[7] <= '9' &&
	       !strpbrk(s, "*?[");
}

/* Each name of each layer is matched with each pattern. */
enum { MOST_PATTERNS = 1000 };
static const char too_many[] = "the 1001st pattern";

static int add_pattern(struct hf_modules *l, const char *s, const char **bad)
{
	if (l->n_glob + l->n_expr == MOST_PATTERNS) {
		*bad = too_many;
		return -1;
	}
	if (!strncmp(s, "re:", 3))
		return add_expr(l, s + 3);
	l->glob[l->n_glob++] = s;
	return 0;
}

static int add_entry(struct hf_modules *l, const char *s, const char **bad)
{
	if (!strncmp(s, "re:", 3) || (!is_name(s) && strpbrk(s, "*?")))
		return add_pattern(l, s, bad);
	return json_object_set_new(is_name(s) ? l->exact : l->inside, s,
				   json_true());
}

int hf_modules_read(struct hf_modules *l, const json_t *list, const char **bad)
{
	size_t n = json_array_size(list);
	*l =
	    (struct hf_modules){.list = json_incref((json_t *)(uintptr_t)list),
				.exact = json_object(),
				.inside = json_object(),
				.glob = calloc(MOST_PATTERNS, sizeof *l->glob)};
	*bad = out_of_memory;
	if (!l->exact || !l->inside || !l->glob)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const char *s = json_string_value(json_array_get(list, i));
		if (!s)
			continue;
		*bad = s;
		if (add_entry(l, s, bad) < 0)
			return -1;
	}
	return 0;
}

void hf_modules_free(struct hf_modules *l)
{
	json_decref(l->list), json_decref(l->exact), json_decref(l->inside);
	free(l->glob);
	for (size_t i = 0; i < l->n_expr; i++)
		regfree(&l->expr[i]);
	free(l->expr);
	*l = (struct hf_modules){0};
}

/* ---- looking up ---- */

/* Matches '*' and '?' as in file names; the time is at most the product of the
 * lengths. */
static int glob(const char *p, const char *s, const char *end)
{
	const char *star = NULL, *from = s;
	while (s < end) {
		if (*p == '*') {
			star = p++;
			from = s;
		} else if (*p && (*p == '?' || *p == *s)) {
			p++, s++;
		} else if (star) {
			p = star + 1;
			s = ++from;
		} else {
			return 0;
		}
	}
	while (*p == '*')
		p++;
	return !*p;
}

/* Matches the name, or a module above it. */
static int glob_above(const char *pattern, const char *name)
{
	for (const char *end = name; *end;) {
		end += 1 + strcspn(end + 1, ".");
		if (glob(pattern, name, end))
			return 1;
	}
	return 0;
}

/* Returns 1 if some components in a row of the name are an entry. */
static int is_inside(const json_t *inside, const char *name)
{
	char part[160];
	if (!json_object_size(inside))
		return 0;
	for (const char *from = name; from; from = strchr(from, '.')) {
		char *dot;
		from += from != name;
		snprintf(part, sizeof part, "%s", from);
		do {
			if (json_object_get(inside, part))
				return 1;
			dot = strrchr(part, '.');
			if (dot)
				*dot = '\0';
		} while (dot);
	}
	return 0;
}

static int is_exact(const json_t *exact, const char *name)
{
	char above[160];
	snprintf(above, sizeof above, "%s", name);
	for (char *dot = above; dot; dot = strrchr(above, '.')) {
		if (dot != above)
			*dot = '\0';
		if (json_object_get(exact, above))
			return 1;
	}
	return 0;
}

static int have(const struct hf_modules *l, const char *name)
{
	if (is_exact(l->exact, name) || is_inside(l->inside, name))
		return 1;
	for (size_t i = 0; i < l->n_glob; i++)
		if (glob_above(l->glob[i], name))
			return 1;
	for (size_t i = 0; i < l->n_expr; i++)
		if (regexec(&l->expr[i], name, 0, NULL, 0) == 0)
			return 1;
	return 0;
}

int hf_modules_have(const struct hf_modules *l, const struct hf_module *m)
{
	for (int i = 0; i < m->n; i++)
		if (have(l, m->name[i]))
			return 1;
	return 0;
}
