/* setup/hf_reader.h -- a config.json being read: its fields, the keys of
 * [model] that they become, and the first message about what is wrong.
 *
 * After a fault nothing more is put and no other message replaces the first:
 * readers go on and look at `failed` once.  [one thread] */
#ifndef SC_SETUP_HF_READER_H
#define SC_SETUP_HF_READER_H
#include <jansson.h>
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"

struct hf_reader {
	struct ini *c;
	const char *origin, *text; /* text: for line numbers, NULL: none */
	const json_t *top, *in;    /* in: text_config, or the top */
	unsigned has;              /* HF_* of hf_family.h */
	int64_t layers;
	struct problem *p;
	int failed;
};

/* "origin:line: key what" in *p, with that code; returns -1. */
int hf_fail(struct hf_reader *r, int code, const char *key, const char *what,
	    ...) __attribute__((format(printf, 4, 5)));

/* The names that a field goes by; the first that is there and not null is
 * taken, of the text part. */
#define HF_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
/* A whole number in [0, 4e9], which may be written 1000000.0; `absent` if none
 * of the names is there. */
int64_t hf_integer(struct hf_reader *r, const char *const *name,
		   int64_t absent);
/* The same, above 0. */
int64_t hf_required(struct hf_reader *r, const char *const *name);
int hf_boolean(struct hf_reader *r, const json_t *in, const char *key,
	       int absent);
/* "" if it is no text. */
const char *hf_text(const json_t *in, const char *key);

/* A key of [model], with the file as its place. */
void hf_put(struct hf_reader *r, const char *key, const char *value);
/* Nothing for 0. */
void hf_put_int(struct hf_reader *r, const char *key, int64_t v);
void hf_put_true(struct hf_reader *r, const char *key, int v);
#endif
