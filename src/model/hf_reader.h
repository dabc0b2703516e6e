/* model/hf_reader.h -- the state while a config.json is read: its fields, the
 * keys of [model] that they become, and the first error message.
 *
 * After an error no more keys are put, and no other message replaces the first.
 * So readers go on, and check `failed` once at the end.  [one thread] */
#pragma once
#include <jansson.h>
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"

/* The default of a field that is absent. */
struct hf_absent {
	const char *field; /* NULL: end of the list */
	int64_t value;
};

struct hf_reader {
	struct ini *c;
	const char *origin, *text;      /* text: for line numbers; NULL: none */
	const json_t *top, *in;         /* in: text_config, or the top */
	const char *type;               /* model_type */
	unsigned has;                   /* HF_* of hf_family.h */
	const struct hf_absent *absent; /* NULL: no defaults */
	int64_t layers;
	struct hf_layer *layer; /* [layers], see hf_kinds.h */
	struct problem *p;
	int failed;
};

/* Writes "origin:line: key what" to *p with that code.  Returns -1. */
int hf_fail(struct hf_reader *r, int code, const char *key, const char *what,
	    ...) __attribute__((format(printf, 4, 5)));

/* ---- fields ---- */

/* The names of a field; the first one in the text part that is there and not
 * null counts. */
#define HF_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
/* Returns a whole number in [0, 4e9]; 1000000.0 is accepted.  If none of the
 * names is there, returns the architecture's default, or `absent`. */
int64_t hf_integer(struct hf_reader *r, const char *const *name,
		   int64_t absent);
/* The same for a field that must be there and above 0. */
int64_t hf_required(struct hf_reader *r, const char *const *name);
/* The same for a field of an object inside the text part, such as
 * "attn_config". */
int64_t hf_integer_in(struct hf_reader *r, const json_t *in, const char *key,
		      int64_t absent);
int hf_boolean(struct hf_reader *r, const json_t *in, const char *key,
	       int absent);
/* Returns "" if it is no text. */
const char *hf_text(const json_t *in, const char *key);
/* Returns 1 if there is a value that is not null, false, 0 or empty. */
int hf_given(const struct hf_reader *r, const char *key);
/* Returns a list with at least one entry per layer.  Returns NULL if there is
 * no such field or it is no list; a list that is too short is an error. */
const json_t *hf_layer_list(struct hf_reader *r, const char *key);
/* Returns the number at index i of a list, or 0 if it is no number. */
int64_t hf_at(const json_t *list, int64_t i);

/* ---- keys ---- */

/* Puts a key of [model], with the file as its place. */
void hf_put(struct hf_reader *r, const char *key, const char *value);
/* Puts nothing if v is 0. */
void hf_put_int(struct hf_reader *r, const char *key, int64_t v);
void hf_put_true(struct hf_reader *r, const char *key, int v);
void hf_put_number(struct hf_reader *r, const char *key, double v);
