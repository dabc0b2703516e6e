/* adapters.c -- Loads and unloads adapters while the server runs. */
#include "serve/adapters.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget_adapter(struct server *s, size_t at)
{
	struct names *l = &s->adapters;
	free((char *)(uintptr_t)l->item[at]);
	for (l->n--; at < l->n; at++) {
		l->item[at] = l->item[at + 1];
		s->lora_id[at] = s->lora_id[at + 1];
	}
}

static const char bad_input[] = "InvalidUserInput";

static int no_adapter(struct call *c, int status, const char *type,
		      const char *name, const char *what)
{
	char text[400];
	snprintf(text, sizeof text, "The lora adapter '%.256s' %s.", name,
		 what);
	return call_fail(c, status, type, NULL, text);
}

static void add_adapter(struct call *c, const char *name, const char *path)
{
	struct server *s = c->s;
	if (!name || !*name || !path || !*path)
		call_fail(c, 400, bad_input, NULL,
			  "Both 'lora_name' and 'lora_path' must be provided.");
	else if (server_adapter(s, name) || names_have(&s->models, name))
		no_adapter(c, 400, bad_input, name, "has already been loaded");
	else if (s->adapters.n == MOST_ADAPTERS ||
		 strlen(name) > MOST_ADAPTER_NAME)
		call_fail(c, 400, "BadRequestError", NULL,
			  "At most 1024 adapters, with names of 256 bytes.");
	else if (names_add(&s->adapters, name) < 0)
		call_fail(c, 503, "ServiceUnavailableError", NULL, "no memory");
	else
		s->lora_id[s->adapters.n - 1] = ++s->n_lora_ids;
}

static void remove_adapter(struct call *c, const char *name)
{
	uint32_t at = server_adapter(c->s, name);
	if (!name || !*name)
		call_fail(c, 400, bad_input, NULL,
			  "'lora_name' needs to be provided to unload a LoRA "
			  "adapter.");
	else if (!at)
		no_adapter(c, 404, "NotFoundError", name, "cannot be found");
	else
		forget_adapter(c->s, at - 1);
}

/* Loads an adapter, or unloads it; its path is not opened. */
static void change_adapter(struct call *c, int loads)
{
	json_t *root =
	    json_loadb(c->body.s ? c->body.s : "", c->body.n, 0, NULL);
	const char *name =
	    json_string_value(json_object_get(root, "lora_name"));
	if (!c->s->keys.runtime_lora)
		call_fail(c, 404, "Not Found", NULL, "Not Found");
	else if (!root)
		call_fail(c, 400, "Bad Request", "body", "no JSON");
	else if (loads)
		add_adapter(
		    c, name,
		    json_string_value(json_object_get(root, "lora_path")));
	else
		remove_adapter(c, name);
	if (!c->status) {
		buffer_say(&c->out,
			   "Success: LoRA adapter '%.256s' %s successfully.",
			   name, loads ? "added" : "removed");
		c->type = "text/plain; charset=utf-8";
		c->status = 200;
	}
	json_decref(root);
}

void adapters_post_load(struct call *c)
{
	change_adapter(c, 1);
}

void adapters_post_unload(struct call *c)
{
	change_adapter(c, 0);
}
