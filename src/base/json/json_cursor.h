/* base/json/json_cursor.h -- a cursor over JSON text, for request traces: a
 * line of JSON lines, or a document in memory.
 *
 * Why not jansson, which this program uses for configurations: jansson makes an
 * object of every number, and a Mooncake line holds hundreds of numbers.
 * Parsing alone runs at under 50 MB/s of CPU time there, and at several hundred
 * here.  Besides, jansson rejects NaN, which measuring tools write.  This
 * cursor accepts the same JSON as jansson: t/base/json/json_cursor.c and
 * fuzz/jsonline.c compare the two.
 *
 * Numbers and strings are checked and handed out as the line has them.  At the
 * first error `why` says what is wrong, and every later call returns 0.
 *
 *   jc_enter(&j, '{');
 *   while (jc_key(&j, &key))
 *           if (is(key, "n")) jc_number(&j, &n); else jc_skip(&j);
 *   jc_end(&j);
 *   if (j.why) …
 */
#pragma once
#include <stddef.h>

struct json_cursor {
	const char *s, *end;
	const char *why; /* what is wrong; NULL: nothing so far */
	const char *at;  /* place of the error */
	int fresh; /* 1 behind an opening bracket, where no comma follows */
	int numpy; /* set to 1 after jc_begin() to accept NaN and Infinity */
};
struct span {
	const char *s;
	size_t n;
};

void jc_begin(struct json_cursor *j, const char *s, size_t n);
/* Consumes an opening bracket, '{' or '['. */
int jc_enter(struct json_cursor *j, char bracket);
/* Returns 1 if a key was read and its value is next; returns 0 if the object is
 * closed, or at an error. */
int jc_key(struct json_cursor *j, struct span *key);
/* Returns 1 if an element is next; returns 0 if the array is closed, or at an
 * error. */
int jc_element(struct json_cursor *j);
/* Returns the kind of the next value: '{' '[' '"' '0' (a number) 't' 'f' 'n';
 * or 0. */
char jc_peek(struct json_cursor *j);
int jc_number(struct json_cursor *j, struct span *number);
/* Reads a string: without its quotes, escapes not decoded. */
int jc_string(struct json_cursor *j, struct span *string);
/* Decodes the escapes of such a string; `to` has room for as many bytes as it
 * has.  Returns the number of bytes written. */
size_t jc_decode(struct span string, char *to);
/* Checks and skips a value of any kind. */
int jc_skip(struct json_cursor *j);
/* Checks that only white space is left. */
int jc_end(struct json_cursor *j);
/* Returns the deepest nesting of brackets outside of strings. */
int json_depth(const char *s, size_t n);

int span_is(struct span a, const char *text);
