/* api/pack.h -- values as bytes: msgpack (as msgspec writes it, shortest form)
 * or canonical CBOR.  [any thread] */
#pragma once
#include "api/buffer.h"

enum pack_form { PACK_MSGPACK, PACK_CBOR };
struct pack {
	struct buffer *to;
	enum pack_form form;
};
void pack_nil(struct pack p);
void pack_uint(struct pack p, uint64_t v);
void pack_int(struct pack p, int64_t v);
void pack_double(struct pack p, double v);
void pack_text(struct pack p, const char *s);
void pack_bytes(struct pack p, const void *s, size_t n);
/* Begin an array or a map; the caller then packs its n elements, for a map a
 * key and a value each. */
void pack_array(struct pack p, size_t n);
void pack_map(struct pack p, size_t n);
