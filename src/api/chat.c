/* chat.c -- Makes the tokens of a chat. */
#include "api/chat.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "api/pieces.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/json/json_cursor.h"

static void add_special(struct chat *c, enum special which)
{
	ids_add(c->to, pieces_special(which));
}

static void add_text(struct chat *c, const char *s, size_t n)
{
	pieces_encode_by(c->chars, s, n, c->most, c->to);
}

static int bad(struct api_error *e, const char *param, const char *what)
{
	return api_error_set(e, 400, "Bad Request", param, "%s", what);
}

/* A picture or sound is image_tokens tokens, named by its address or data. */
static int add_item(struct chat *c, const json_t *part, const char *type,
		    struct api_error *e)
{
	const json_t *v = json_object_get(part, type);
	const char *url = json_string_value(json_object_get(v, "url"));
	const char *data = json_string_value(json_object_get(v, "data"));
	const char *what = json_is_string(v) ? json_string_value(v)
			   : url             ? url
					     : data;
	struct prompt_items *l = c->items;
	if (c->image_tokens == 0)
		return api_error_set(
		    e, 400, "BadRequestError", "messages",
		    "Parts of type %.40s are not supported by this server; "
		    "serve.image_tokens gives them a length.",
		    type);
	if (!what)
		return bad(e, "body.messages", "a part has no url or data");
	if (!MAKE_ROOM(l->item, l->n, l->cap))
		return bad(e, NULL, "not enough memory");
	struct prompt_item *x = &l->item[l->n++];
	*x = (struct prompt_item){(uint32_t)c->to->n, c->image_tokens, ""};
	snprintf(x->name, sizeof x->name, "%016" PRIx64,
		 hash_mix(hash_on(HASH_BEGIN, what, strlen(what))));
	for (uint32_t i = 0; i < c->image_tokens && c->to->n <= c->most; i++)
		add_special(c, SPECIAL_ITEM);
	return 0;
}

/* A string, or a list of parts: texts, pictures, sounds. */
static int add_content(struct chat *c, const json_t *content,
		       struct api_error *e)
{
	size_t i;
	json_t *part;
	if (json_is_string(content))
		add_text(c, json_string_value(content),
			 json_string_length(content));
	else if (content && !json_is_null(content) && !json_is_array(content))
		return bad(e, "body.messages",
			   "content must be a string or a list of parts");
	json_array_foreach(content, i, part)
	{
		const json_t *text = json_object_get(part, "text");
		const char *type =
		    json_string_value(json_object_get(part, "type"));
		if (json_is_string(part))
			text = part;
		else if (type && strcmp(type, "text") != 0) {
			if (add_item(c, part, type, e) < 0)
				return -1;
			continue;
		}
		if (!json_is_string(text))
			return bad(e, "body.messages", "a part has no text");
		add_text(c, json_string_value(text), json_string_length(text));
	}
	return 0;
}

static int add_calls(struct chat *c, const json_t *calls, struct api_error *e)
{
	size_t i;
	json_t *call;
	if (calls && !json_is_null(calls) && !json_is_array(calls))
		return bad(e, "body.messages", "tool_calls must be a list");
	json_array_foreach(calls, i, call)
	{
		const json_t *f = json_object_get(call, "function");
		const json_t *name = json_object_get(f, "name");
		const json_t *arguments = json_object_get(f, "arguments");
		if (!json_is_string(name))
			return bad(e, "body.messages",
				   "a tool call needs function.name");
		add_text(c, json_string_value(name), json_string_length(name));
		if (json_is_string(arguments))
			add_text(c, json_string_value(arguments),
				 json_string_length(arguments));
	}
	return 0;
}

static int add_message(struct chat *c, const json_t *m, struct api_error *e)
{
	const json_t *role = json_object_get(m, "role");
	if (!json_is_object(m) || !json_is_string(role))
		return bad(e, "body.messages", "a message needs a role");
	uint32_t known = pieces_role(json_string_value(role));
	add_special(c, SPECIAL_START);
	if (known) {
		ids_add(c->to, known);
	} else {
		add_special(c, SPECIAL_ROLE);
		add_text(c, json_string_value(role), json_string_length(role));
	}
	add_special(c, SPECIAL_SEP);
	c->last_at = c->to->n;
	if (add_content(c, json_object_get(m, "content"), e) < 0 ||
	    add_calls(c, json_object_get(m, "tool_calls"), e) < 0)
		return -1;
	c->last_n = c->to->n - c->last_at;
	return 0;
}

/* Finds the value of `tools` in the text of the body. */
static struct span tools_of(const struct chat *c)
{
	struct json_cursor j;
	struct span key, found = {NULL, 0};
	jc_begin(&j, c->text, c->n);
	jc_enter(&j, '{');
	while (jc_key(&j, &key)) {
		jc_peek(&j);
		const char *from = j.s;
		jc_skip(&j);
		if (span_is(key, "tools"))
			found = (struct span){from, (size_t)(j.s - from)};
	}
	return found;
}

static int add_tools(struct chat *c, struct api_error *e)
{
	const json_t *tools = json_object_get(c->root, "tools");
	if (!tools || json_is_null(tools))
		return 0;
	if (!json_is_array(tools))
		return bad(e, "body.tools", "tools must be a list");
	if (json_array_size(tools) == 0)
		return bad(e, "tools", "tools must not be an empty list.");
	struct span text = tools_of(c);
	add_special(c, SPECIAL_START);
	add_special(c, SPECIAL_TOOLS);
	add_special(c, SPECIAL_SEP);
	add_text(c, text.s, text.n);
	add_special(c, SPECIAL_END);
	return 0;
}

static int flag(const struct chat *c, const char *name, int unless_given)
{
	const json_t *v = json_object_get(c->root, name);
	return json_is_boolean(v) ? (int)json_is_true(v) : unless_given;
}

int chat_encode(struct chat *c, struct api_error *e)
{
	const json_t *messages = json_object_get(c->root, "messages");
	size_t i, n = json_array_size(messages);
	json_t *m;
	int goes_on = flag(c, "continue_final_message", 0);
	if (!json_is_array(messages))
		return bad(e, "body.messages", "messages must be a list");
	if (n == 0)
		return bad(e, "messages", "messages must not be empty.");
	add_special(c, SPECIAL_BEGIN);
	if (add_tools(c, e) < 0)
		return -1;
	json_array_foreach(messages, i, m)
	{
		if (add_message(c, m, e) < 0)
			return -1;
		if (!goes_on || i + 1 < n)
			add_special(c, SPECIAL_END);
	}
	if (goes_on || !flag(c, "add_generation_prompt", 1))
		return 0;
	add_special(c, SPECIAL_START);
	add_special(c, SPECIAL_ASSISTANT);
	add_special(c, SPECIAL_SEP);
	return 0;
}
