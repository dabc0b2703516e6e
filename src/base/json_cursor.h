/* base/json_cursor.h -- a cursor over JSON text, for request traces: a line of
 *JSON lines, or a document in memory.
 *
 * Why not jansson, which this program uses for configurations: it makes an
 * object of every number, and a Mooncake line holds hundreds of them; parsing
 * alone runs at under 50 MB/s of CPU time there, this cursor at several
 * hundred.  Nor does it take NaN, which measuring tools write.  This takes
 * what jansson takes: t/base/json_cursor.c and fuzz/jsonline.c compare the
 * two.
 *
 * Numbers and strings are handed out as they stand in the line, checked.  At
 * the first fault `why` says what is wrong, and every call returns 0.
 *
 *	jc_enter(&j, '{');
 *	while (jc_key(&j, &key))
 *		if (is(key, "n")) jc_number(&j, &n); else jc_skip(&j);
 *	jc_end(&j);
 *	if (j.why) … */
#ifndef SC_BASE_JSON_CURSOR_H
#define SC_BASE_JSON_CURSOR_H
#include <stddef.h>
#include <stdint.h>

struct json_cursor {
	const char *s, *end;
	const char *why; /* NULL: no fault yet                               */
	const char *at;  /* of the fault                                     */
	int fresh;       /* after an opening bracket: no comma is due        */
	int numpy; /* set it after jc_begin() to let NaN and Infinity pass   */
};
struct span {
	const char *s;
	size_t n;
};

void jc_begin(struct json_cursor *j, const char *s, size_t n);
/* The opening bracket, '{' or '['. */
int jc_enter(struct json_cursor *j, char bracket);
/* 1: a key, and its value is next; 0: the object is closed, or a fault. */
int jc_key(struct json_cursor *j, struct span *key);
/* 1: an element is next; 0: the array is closed, or a fault. */
int jc_element(struct json_cursor *j);
/* What comes next: '{' '[' '"' '0' (a number) 't' 'f' 'n', or 0. */
char jc_peek(struct json_cursor *j);
int jc_number(struct json_cursor *j, struct span *number);
/* Without its quotes, escapes left as they are. */
int jc_string(struct json_cursor *j, struct span *string);
/* Any value, checked. */
int jc_skip(struct json_cursor *j);
/* Nothing but white space is left. */
int jc_end(struct json_cursor *j);

int span_is(struct span a, const char *text);
#endif
