/* model/hf_kinds.h -- properties of individual layers in a config.json, turned
 * into kinds of layers (see model_kinds.h). */
#pragma once
#include "model/hf_reader.h"
#include "model/model_keys.h"

/* A layer, with the keys in which it differs from [model]. */
struct hf_layer {
	uint8_t mixer, ffn; /* MIX_*, FFN_* of model_keys.h */
	char *keys;         /* "key=value\n" …, or NULL */
};
/* Allocates r->layers layers with full attention and a dense FFN.  Returns 0,
 * or -1 after hf_fail(). */
int hf_layers_start(struct hf_reader *r);
void hf_layers_free(struct hf_reader *r);
/* Puts a key for layer i only. */
void hf_layer_put(struct hf_reader *r, int64_t i, const char *key,
		  const char *value);
void hf_layer_put_int(struct hf_reader *r, int64_t i, const char *key,
		      int64_t v);
/* Puts the properties of the layers into *c: layer_types, mlp_layer_types,
 * `layers` and its sections. */
void hf_layers_put(struct hf_reader *r, struct ini *c);
