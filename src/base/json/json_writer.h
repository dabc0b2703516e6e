/* base/json/json_writer.h -- jw_: writes a JSON document piece by piece to a
 * FILE that the caller owns.  (jansson reads JSON; its names begin with json_.)
 *
 * The key is NULL in an array and at the top level.  An object or array opened
 * with a flat_ function stays on one line with all its content; elsewhere each
 * value has its own line.  Bytes that are not UTF-8 become U+FFFD; numbers that
 * are not finite become null.  Write errors stay in the FILE (ferror). */
#pragma once
#include <stdint.h>
#include <stdio.h>

/* The version of the documents of commands, which they have as their member
 * `schema` (doc/stability.md). */
enum { JSON_SCHEMA = 2 };

#define JW_MAX_DEPTH 32

struct jw {
	FILE *f;
	/* flat: the depth from which on all is on one line; 0: none */
	int depth, flat;
	char close[JW_MAX_DEPTH];
	/* 1: the level has a value already */
	unsigned char used[JW_MAX_DEPTH + 1];
};

void jw_start(struct jw *j, FILE *f);
/* Continues an object: f has its first members, and no closing bracket. */
void jw_continue(struct jw *j, FILE *f);
/* Begins a document that is an object. */
struct jw jw_document(FILE *f);
/* Ends all open levels, and writes the newline. */
void jw_finish(struct jw *j);
void jw_object(struct jw *j, const char *key);
void jw_array(struct jw *j, const char *key);
void jw_flat_object(struct jw *j, const char *key);
void jw_flat_array(struct jw *j, const char *key);
void jw_end(struct jw *j); /* ends the innermost object or array */
/* s is NULL: null */
void jw_text(struct jw *j, const char *key, const char *s);
void jw_int(struct jw *j, const char *key, int64_t v);
void jw_uint(struct jw *j, const char *key, uint64_t v);
void jw_number(struct jw *j, const char *key, double v);
void jw_bool(struct jw *j, const char *key, int v);
void jw_null(struct jw *j, const char *key);
/* Writes a value that is JSON already. */
void jw_literal(struct jw *j, const char *key, const char *json);
