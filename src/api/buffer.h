/* api/buffer.h -- a text that grows, for answers; JSON is written into it.
 * Zeroed means empty; the owner calls buffer_free().  If memory runs out,
 * out_of_memory is set and stays set. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct buffer {
	char *s; /* [n], and NUL */
	size_t n, cap;
	int out_of_memory;
};
/* Makes room for n more bytes and NUL.  Returns 0, or -1. */
int buffer_room(struct buffer *b, size_t n);
void buffer_add(struct buffer *b, const void *s, size_t n);
/* Removes the first n bytes. */
void buffer_drop(struct buffer *b, size_t n);
void buffer_say(struct buffer *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends valid UTF-8 as a JSON string with its quotes; NULL: null. */
void buffer_json(struct buffer *b, const char *s, size_t n);
void buffer_free(struct buffer *b);
