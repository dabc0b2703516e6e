/* base/json_cursor.h -- a cursor over JSON text, for request traces: a line of
 *JSON lines, or a document in memory.
 *
 * Why not jansson, which this program uses for configurations: it makes an
 * object of every number, and a Mooncake line holds hundreds of them; parsing
 * alone runs at under 50 MB/s of CPU time there, this cursor at several
 * hundred.  Nor does it take NaN, which measuring tools write.  This takes
 * what jansson takes: t/base/json_cursor.c and fuzz/fuzz_jsonline.c compare the
 * two.
 *
 * Numbers and strings are handed out as they stand in the line, checked.  At
 * the first fault `why` says what is wrong, and every call returns 0.
 *
 *	jl_enter(&j, '{');
 *	while (jl_key(&j, &key))
 *		if (is(key, "n")) jl_number(&j, &n); else jl_skip(&j);
 *	jl_end(&j);
 *	if (j.why) … */
#ifndef SC_BASE_JSON_CURSOR_H
#define SC_BASE_JSON_CURSOR_H
#include <stddef.h>
#include <stdint.h>

struct jsonline {
	const char *s, *end;
	const char *why; /* NULL: no fault yet                               */
	const char *at;  /* of the fault                                     */
	int fresh;       /* after an opening bracket: no comma is due        */
	int numpy; /* set it after jl_begin() to let NaN and Infinity pass   */
};
struct span {
	const char *s;
	size_t n;
};

void jl_begin(struct jsonline *j, const char *s, size_t n);
/* The opening bracket, '{' or '['. */
int jl_enter(struct jsonline *j, char bracket);
/* 1: a key, and its value is next; 0: the object is closed, or a fault. */
int jl_key(struct jsonline *j, struct span *key);
/* 1: an element is next; 0: the array is closed, or a fault. */
int jl_element(struct jsonline *j);
/* What comes next: '{' '[' '"' '0' (a number) 't' 'f' 'n', or 0. */
char jl_peek(struct jsonline *j);
int jl_number(struct jsonline *j, struct span *number);
/* Without its quotes, escapes left as they are. */
int jl_string(struct jsonline *j, struct span *string);
/* Any value, checked. */
int jl_skip(struct jsonline *j);
/* Nothing but white space is left. */
int jl_end(struct jsonline *j);

int span_is(struct span a, const char *text);
#endif
