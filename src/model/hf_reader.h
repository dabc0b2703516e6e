/* model/hf_reader.h -- a config.json being read: its fields, the keys of
 * [model] that they become, and the first message about what is wrong.
 *
 * After a fault nothing more is put and no other message replaces the first:
 * readers go on and look at `failed` once.  [one thread] */
#ifndef SC_MODEL_HF_READER_H
#define SC_MODEL_HF_READER_H
#include <jansson.h>
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"

/* The value of a field that is not there. */
struct hf_absent {
	const char *field; /* NULL: the end of a list */
	int64_t value;
};

struct hf_reader {
	struct ini *c;
	const char *origin, *text;      /* text: for line numbers, NULL: none */
	const json_t *top, *in;         /* in: text_config, or the top */
	const char *type;               /* model_type */
	unsigned has;                   /* HF_* of hf_family.h */
	const struct hf_absent *absent; /* NULL: none */
	int64_t layers;
	struct hf_layer *layer; /* [layers], of hf_kinds.h */
	struct problem *p;
	int failed;
};

/* "origin:line: key what" in *p, with that code; returns -1. */
int hf_fail(struct hf_reader *r, int code, const char *key, const char *what,
	    ...) __attribute__((format(printf, 4, 5)));

/* ---- fields ---- */

/* The names that a field goes by; the first that is there and not null is
 * taken, of the text part. */
#define HF_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
/* A whole number in [0, 4e9], which may be written 1000000.0; if none of the
 * names is there, what the architecture has then, or `absent`. */
int64_t hf_integer(struct hf_reader *r, const char *const *name,
		   int64_t absent);
/* The same, above 0. */
int64_t hf_required(struct hf_reader *r, const char *const *name);
/* The same of an object inside the text part, "attn_config". */
int64_t hf_integer_in(struct hf_reader *r, const json_t *in, const char *key,
		      int64_t absent);
int hf_boolean(struct hf_reader *r, const json_t *in, const char *key,
	       int absent);
/* "" if it is no text. */
const char *hf_text(const json_t *in, const char *key);
/* Is there a value that is not null, false, 0 or empty? */
int hf_given(const struct hf_reader *r, const char *key);
/* A list with an entry for each layer (more are left alone); NULL: there is no
 * such field, or it is no list; a shorter one is a fault. */
const json_t *hf_layer_list(struct hf_reader *r, const char *key);
/* The number at i of a list; 0 if it is none. */
int64_t hf_at(const json_t *list, int64_t i);

/* ---- keys ---- */

/* A key of [model], with the file as its place. */
void hf_put(struct hf_reader *r, const char *key, const char *value);
/* Nothing for 0. */
void hf_put_int(struct hf_reader *r, const char *key, int64_t v);
void hf_put_true(struct hf_reader *r, const char *key, int v);
void hf_put_number(struct hf_reader *r, const char *key, double v);
#endif
