/* base/json_writer.h -- jw_: writes a JSON document as it comes, to a FILE the
 * caller owns (jansson reads them; its names begin with json_).
 *
 * A key is NULL in an array and at the top.  What is opened with a flat_
 * function stays on one line, with all that is in it; the rest is one value a
 * line.  Texts that are not UTF-8 get U+FFFD, numbers that are not finite
 * null.  Write errors stay with the FILE (ferror). */
#ifndef SC_BASE_JSON_WRITER_H
#define SC_BASE_JSON_WRITER_H
#include <stdint.h>
#include <stdio.h>

#define JW_MAX_DEPTH 32

struct jw {
	FILE *f;
	int depth, flat; /* flat: the depth that is on one line, 0: none */
	char close[JW_MAX_DEPTH];
	unsigned char used[JW_MAX_DEPTH + 1]; /* the level has a value */
};

void jw_start(struct jw *j, FILE *f);
/* After the last value: the newline. */
void jw_finish(struct jw *j);
void jw_object(struct jw *j, const char *key);
void jw_array(struct jw *j, const char *key);
void jw_flat_object(struct jw *j, const char *key);
void jw_flat_array(struct jw *j, const char *key);
void jw_end(struct jw *j); /* of the object or array opened last */
void jw_text(struct jw *j, const char *key, const char *s); /* NULL: null */
void jw_int(struct jw *j, const char *key, int64_t v);
void jw_uint(struct jw *j, const char *key, uint64_t v);
void jw_number(struct jw *j, const char *key, double v);
void jw_bool(struct jw *j, const char *key, int v);
void jw_null(struct jw *j, const char *key);
/* A value that is JSON already. */
void jw_literal(struct jw *j, const char *key, const char *json);
#endif
