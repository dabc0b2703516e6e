/* jsonline.h -- a cursor over one line of JSON, for request traces.
 *
 * Why not jansson, which this program uses for documents: it makes an object
 * of every number, and a Mooncake line holds hundreds of them; parsing alone
 * runs at under 50 MB/s of CPU time there, this cursor at several hundred.
 * It takes what jansson takes: t/0130-jsonline.c and fuzz/fuzz_jsonline.c
 * compare the two.
 *
 * Numbers and strings are handed out as they stand in the line, checked.  At
 * the first fault `why` says what is wrong, and every call returns 0.
 *
 *	json_enter(&j, '{');
 *	while (json_key(&j, &key))
 *		if (is(key, "n")) json_number(&j, &n); else json_skip(&j);
 *	json_end(&j);
 *	if (j.why) … */
#ifndef SC_SRC_JSONLINE_H
#define SC_SRC_JSONLINE_H
#include <stddef.h>
#include <stdint.h>

struct jsonline {
	const char *s, *end;
	const char *why; /* NULL: no fault yet                               */
	int fresh;       /* after an opening bracket: no comma is due        */
};
struct span {
	const char *s;
	size_t n;
};

void json_begin(struct jsonline *j, const char *s, size_t n);
/* The opening bracket, '{' or '['. */
int json_enter(struct jsonline *j, char bracket);
/* 1: a key, and its value is next; 0: the object is closed, or a fault. */
int json_key(struct jsonline *j, struct span *key);
/* 1: an element is next; 0: the array is closed, or a fault. */
int json_element(struct jsonline *j);
/* What comes next: '{' '[' '"' '0' (a number) 't' 'f' 'n', or 0. */
char json_peek(struct jsonline *j);
int json_number(struct jsonline *j, struct span *number);
/* Without its quotes, escapes left as they are. */
int json_string(struct jsonline *j, struct span *string);
/* Any value, checked. */
int json_skip(struct jsonline *j);
/* Nothing but white space is left. */
int json_end(struct jsonline *j);

int span_is(struct span a, const char *text);
#endif
