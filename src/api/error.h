/* api/error.h -- an error as OpenAI's clients read it. */
#pragma once
#include "api/buffer.h"

struct api_error {
	int status;       /* of HTTP; 0: none */
	const char *type; /* "Bad Request", … */
	char param[80];   /* the field; "": null */
	char message[640];
};
/* param NULL: null.  The message is of printable characters.  Returns -1. */
int api_error_set(struct api_error *e, int status, const char *type,
		  const char *param, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* {"error": {"message", "type", "param", "code"}} */
void api_error_write(const struct api_error *e, struct buffer *to);
