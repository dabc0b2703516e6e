/* server_command.c -- Splits a shell script into words, as far as a command
 * that starts a server needs it. */
#include "report/import/server_command.h"
#include "base/file/path.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct shell {
	const char *s, *origin;
	unsigned long long line;
	struct names set; /* all variables that the script sets */
	char *word;       /* room for all of the text, and its variables */
	size_t n, size;
	struct problem *p;
};
enum token { TOKEN_WORD, TOKEN_END, TOKEN_EOF, TOKEN_FAULT };

static void put(struct shell *h, char c)
{
	if (h->n + 1 < h->size)
		h->word[h->n++] = c;
}

/* The value of "NAME=value" in the list, the last of several. */
static const char *value_of(const struct names *set, const char *name, size_t n)
{
	for (size_t i = set->n; i > 0; i--)
		if (!strncmp(set->item[i - 1], name, n) &&
		    set->item[i - 1][n] == '=')
			return set->item[i - 1] + n + 1;
	return NULL;
}

/* $NAME, ${NAME} or ${NAME:-DEFAULT}. */
static void expand(struct shell *h)
{
	int has_brace = h->s[1] == '{';
	const char *name = h->s + 1 + has_brace;
	size_t n = 0;
	while (isalnum((unsigned char)name[n]) || name[n] == '_')
		n++;
	const char *value = n ? value_of(&h->set, name, n) : NULL;
	const char *otherwise =
	    has_brace && n && !strncmp(name + n, ":-", 2) ? name + n + 2 : NULL;
	/* The default may be in quotes. */
	char quote = otherwise && (*otherwise == '\'' || *otherwise == '"')
			 ? *otherwise++
			 : '\0';
	const char until[] = {quote ? quote : '}', quote ? '\0' : '$', '\0'};
	size_t len = otherwise ? strcspn(otherwise, until) : 0;
	const char *end = otherwise ? otherwise + len : name + n;
	end += quote && *end == quote;
	if ((has_brace && *end != '}') || !(value || otherwise)) {
		put(h, *h->s++);
		return;
	}
	for (size_t i = 0; value ? value[i] != 0 : i < len; i++)
		put(h, value ? value[i] : otherwise[i]);
	h->s = end + has_brace;
}

/* Copies up to the quote that ends the part.  Returns 0 if none does. */
static int quoted(struct shell *h)
{
	char quote = *h->s++;
	while (*h->s && *h->s != quote) {
		h->line += *h->s == '\n';
		if (quote == '"' && *h->s == '$') {
			expand(h);
			continue;
		}
		if (quote == '"' && *h->s == '\\' && h->s[1])
			h->s++;
		put(h, *h->s++);
	}
	return *h->s ? (h->s++, 1) : 0;
}

static enum token end_of_command(struct shell *h)
{
	if (!*h->s)
		return TOKEN_EOF;
	h->line += *h->s++ == '\n';
	return TOKEN_END;
}

/* Reads the next word of a shell command into h->word, without its quotes. */
static enum token next(struct shell *h)
{
	int is_word = 0;
	h->n = 0;
	for (;;) {
		if (*h->s == '\\' && (h->s[1] == '\n' || h->s[1] == '\r')) {
			h->s += 2 + (h->s[1] == '\r');
			h->line++;
		} else if (!is_word && (!strncmp(h->s, "\"$@\"", 4) ||
					!strncmp(h->s, "$@", 2))) {
			h->s += *h->s == '"' ? 4 : 2;
		} else if (!is_word && *h->s == '#') {
			h->s += strcspn(h->s, "\n");
		} else if (*h->s == ' ' || *h->s == '\t' || *h->s == '\r') {
			h->s++;
			if (is_word)
				break;
		} else if (!*h->s || strchr("\n;&|<>()", *h->s)) {
			if (is_word)
				break;
			return end_of_command(h);
		} else if (*h->s == '"' || *h->s == '\'') {
			is_word = 1;
			unsigned long long line = h->line;
			if (!quoted(h)) {
				problem_at(h->p, h->origin, line,
					   "a quote does not end");
				return TOKEN_FAULT;
			}
		} else if (*h->s == '$') {
			is_word = 1;
			expand(h);
		} else {
			is_word = 1;
			h->s += *h->s == '\\' && h->s[1];
			put(h, *h->s++);
		}
	}
	h->word[h->n] = '\0';
	return TOKEN_WORD;
}

/* ---- servers ---- */

static int is_setting(const char *word)
{
	size_t n = 0;
	while (isalnum((unsigned char)word[n]) || word[n] == '_')
		n++;
	return n && !isdigit((unsigned char)*word) && word[n] == '=';
}

/* The engine that the words so far start; NULL: none.  last: the one before. */
static const char *engine_of(const char *word, const char *last)
{
	const char *name = path_name(word);
	int serves = !strcmp(word, "serve");
	if ((serves && !strcmp(last, "vllm")) ||
	    !strcmp(word, "vllm.entrypoints.openai.api_server") ||
	    !strncmp(name, "vllm-openai", 11))
		return "vllm";
	if ((serves && !strcmp(last, "sglang")) ||
	    !strcmp(word, "sglang.launch_server"))
		return "sglang";
	return !strcmp(name, "trtllm-serve") ? "tensorrt_llm" : NULL;
}

/* Takes a word of a command.  last: of 40 bytes, its name before. */
static int take(struct server_command *c, struct shell *h, char *last,
		struct names *own)
{
	const char *slash = strrchr(h->word, '/');
	if (c->engine)
		return c->word.n == 0 && !strcmp(h->word, "serve") &&
			       !strcmp(c->engine, "tensorrt_llm")
			   ? 0
			   : names_add(&c->word, h->word);
	if (is_setting(h->word))
		return names_add(!strcmp(last, "export") ? &c->set : own,
				 h->word) |
		       names_add(&h->set, h->word);
	c->engine = engine_of(h->word, last);
	snprintf(last, 40, "%s", slash ? slash + 1 : h->word);
	return 0;
}

/* Variables reach a server that are exported, or set in front of it. */
static int read_all(struct server_command *c, struct shell *h)
{
	char last[40] = "";
	struct names own = {0};
	enum token t = TOKEN_END;
	int rc = 0;
	while (rc == 0 && (t = next(h)) != TOKEN_EOF && t != TOKEN_FAULT &&
	       (t == TOKEN_WORD || !c->engine)) {
		if (t == TOKEN_WORD) {
			rc = take(c, h, last, &own);
			continue;
		}
		*last = '\0';
		names_free(&own);
	}
	for (size_t i = 0; rc == 0 && i < own.n; i++)
		rc = names_add(&c->set, own.item[i]);
	names_free(&own);
	return rc < 0 ? problem_no_memory(h->p) : t == TOKEN_FAULT ? -1 : 0;
}

int server_command_read(struct server_command *c, const char *text,
			const char *origin, struct problem *p)
{
	struct shell h = {.s = text,
			  .origin = origin,
			  .line = 1,
			  .p = p,
			  .size = 2 * strlen(text) + 4096};
	*c = (struct server_command){0};
	h.word = malloc(h.size);
	int rc = h.word ? read_all(c, &h) : problem_no_memory(p);
	if (rc == 0 && !c->engine)
		rc = problem_at(p, origin, 1,
				"has no command of a server: vllm serve, "
				"python -m vllm.entrypoints.openai.api_server, "
				"python -m sglang.launch_server, sglang serve "
				"or trtllm-serve");
	names_free(&h.set);
	free(h.word);
	return rc;
}

void server_command_free(struct server_command *c)
{
	names_free(&c->word);
	names_free(&c->set);
}
