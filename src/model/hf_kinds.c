/* hf_kinds.c -- Turns the layers of a config.json into kinds of layers. */
#include "model/hf_kinds.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

int hf_layers_start(struct hf_reader *r)
{
	if (r->failed)
		return -1;
	r->layer = calloc((size_t)r->layers, sizeof *r->layer);
	return r->layer ? 0
			: hf_fail(r, EXIT_USAGE, "num_hidden_layers",
				  "need more memory than there is");
}

void hf_layers_free(struct hf_reader *r)
{
	for (int64_t i = 0; r->layer && i < r->layers; i++)
		free(r->layer[i].keys);
	free(r->layer);
	r->layer = NULL;
}

void hf_layer_put(struct hf_reader *r, int64_t i, const char *key,
		  const char *value)
{
	struct hf_layer *l = &r->layer[i];
	char *more;
	if (r->failed)
		return;
	if (asprintf(&more, "%s%s=%s\n", l->keys ? l->keys : "", key, value) <
	    0) {
		hf_fail(r, EXIT_USAGE, key, "needs more memory than there is");
		return;
	}
	free(l->keys);
	l->keys = more;
}

void hf_layer_put_int(struct hf_reader *r, int64_t i, const char *key,
		      int64_t v)
{
	char s[32];
	snprintf(s, sizeof s, "%lld", (long long)v);
	hf_layer_put(r, i, key, s);
}

/* ---- lists ---- */

/* Puts the shortest list that repeats to the given one (model_kinds.h).  The
 * words have up to 15 characters, or are the given ones. */
static void put_list(struct hf_reader *r, struct ini *c, const char *key,
		     const char *const *word, const uint16_t *kind)
{
	int64_t n = r->layers, period = 1;
	for (int64_t i = 0; i < n;)
		if (kind[i] != kind[i % period]) {
			period++;
			i = 0;
		} else {
			i++;
		}
	struct text t;
	FILE *f = text_begin(&t);
	if (!f) {
		r->failed = 1;
		return;
	}
	for (int64_t i = 0; i < period;) {
		int64_t from = i;
		while (i < period && kind[i] == kind[from])
			i++;
		fputs(from ? "," : "", f);
		if (word)
			fputs(word[kind[from]], f);
		else
			fprintf(f, kind[from] ? "kind%u" : "model", kind[from]);
		if (i - from > 1)
			fprintf(f, "*%lld", (long long)(i - from));
	}
	if (fclose(f) || ini_put(c, "model", key, t.s, r->origin, r->p) < 0)
		r->failed = 1;
	free(t.s);
}

/* Puts the section [layers:kindN]. */
static void put_kind(struct hf_reader *r, struct ini *c, unsigned n, char *keys)
{
	char section[40];
	snprintf(section, sizeof section, "layers:kind%u", n);
	for (char *s = keys; *s;) {
		char *line = s, *equals = strchr(s, '=');
		s = strchr(line, '\n');
		*equals = *s = '\0';
		if (ini_put(c, section, line, equals + 1, r->origin, r->p) < 0)
			r->failed = 1;
		*equals = '=';
		*s++ = '\n';
	}
}

enum { MOST_KINDS = 1000 };

/* Gives each layer a number: 0 if it is as [model] says; layers with equal keys
 * get equal numbers. */
static unsigned number_kinds(struct hf_reader *r, struct ini *c, uint16_t *kind)
{
	unsigned n = 0;
	for (int64_t i = 0; i < r->layers && n < MOST_KINDS; i++) {
		int64_t first = 0;
		if (!r->layer[i].keys)
			continue;
		while (!r->layer[first].keys ||
		       strcmp(r->layer[first].keys, r->layer[i].keys))
			first++;
		if (first == i)
			put_kind(r, c, ++n, r->layer[i].keys);
		kind[i] = first == i ? (uint16_t)n : kind[first];
	}
	if (n == MOST_KINDS)
		hf_fail(r, EXIT_USAGE, "num_hidden_layers",
			"are of more kinds than %d", MOST_KINDS);
	return n;
}

static void put_words(struct hf_reader *r, struct ini *c, uint16_t *kind)
{
	int ffn = 0;
	for (int64_t i = 0; i < r->layers; i++)
		kind[i] = r->layer[i].mixer;
	put_list(r, c, "layer_types", model_mixer_word, kind);
	for (int64_t i = 0; i < r->layers; i++) {
		kind[i] = r->layer[i].ffn;
		ffn |= kind[i] != FFN_DENSE;
	}
	if (ffn || ini_find(c, "model", "num_experts"))
		put_list(r, c, "mlp_layer_types", model_ffn_word, kind);
}

void hf_layers_put(struct hf_reader *r, struct ini *c)
{
	if (r->failed)
		return;
	uint16_t *kind = calloc((size_t)r->layers, sizeof *kind);
	if (!kind) {
		hf_fail(r, EXIT_USAGE, "num_hidden_layers",
			"need more memory than there is");
		return;
	}
	unsigned kinds = number_kinds(r, c, kind);
	if (kinds && !r->failed)
		put_list(r, c, "layers", NULL, kind);
	put_words(r, c, kind);
	free(kind);
}
