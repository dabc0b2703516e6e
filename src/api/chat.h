/* api/chat.h -- the prompt of a chat: a special token begins it, and each
 * message is start, role, sep, its content, end.  [any thread] */
#pragma once
#include <jansson.h>
#include "api/error.h"
#include "api/ids.h"
#include "api/items.h"

struct chat {
	json_t *root;     /* the body */
	const char *text; /* [n] the body as it came, for its tools */
	size_t n;
	size_t most;           /* tokens; more are not counted */
	uint32_t chars;        /* as in struct body_limits */
	uint32_t image_tokens; /* the same */
	struct ids *to;
	struct prompt_items *items;
	size_t last_at, last_n; /* the content of the last message */
};
/* Returns 0, or -1 with *e filled in. */
int chat_encode(struct chat *c, struct api_error *e);
