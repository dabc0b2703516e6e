/* error.c -- Writes errors. */
#include "api/error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int api_error_set(struct api_error *e, int status, const char *type,
		  const char *param, const char *fmt, ...)
{
	va_list ap;
	*e = (struct api_error){.status = status, .type = type};
	if (param)
		snprintf(e->param, sizeof e->param, "%s", param);
	va_start(ap, fmt);
	vsnprintf(e->message, sizeof e->message, fmt, ap);
	va_end(ap);
	for (char *c = e->message; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
			*c = '?';
	return -1;
}

void api_error_write(const struct api_error *e, struct buffer *to)
{
	buffer_say(to, "{\"error\":{\"message\":");
	buffer_json(to, e->message, strlen(e->message));
	buffer_say(to, ",\"type\":\"%s\",\"param\":", e->type);
	buffer_json(to, *e->param ? e->param : NULL, strlen(e->param));
	buffer_say(to, ",\"code\":%d}}", e->status);
}
