/* model_of.h -- a config.json as text, and the model that comes of it. */
#ifndef T_MODEL_OF_H
#define T_MODEL_OF_H
#include "scratch.h"
#include "model/hf_config.h"
#include "model/model.h"

static struct model the;
static struct problem why;

/* 0, or -1 and `why`. */
static int model_of(const char *json)
{
	char text[600];
	struct ini c;
	snprintf(text, sizeof text, "[model]\nconfig = %s\n",
		 scratch_file("config.json", json));
	if (ini_read(&c, text, strlen(text), &why) < 0)
		bail_out(why.text);
	why = (struct problem){0};
	model_free(&the);
	int rc = model_load(&the, &c, &why);
	ini_free(&c);
	return rc;
}

/* Single quotes for double ones, which C would have escaped.  The caller frees
 * it. */
static char *with_double_quotes(const char *json)
{
	char *copy = strdup(json);
	if (!copy)
		bail_out("out of memory");
	for (char *s = copy; *s; s++)
		*s = *s == '\'' ? '"' : *s;
	return copy;
}

__attribute__((unused)) static int model_of_quoted(const char *json)
{
	char *copy = with_double_quotes(json);
	int rc = model_of(copy);
	free(copy);
	return rc;
}

/* The keys that a config.json becomes, as " key=value key=value "; a key of
 * some layers only is "kind1.key=value".  Or the error. */
__attribute__((unused)) static const char *keys_of(const char *json)
{
	static char text[8000];
	struct ini c = {.path = strdup("f")};
	char *copy = with_double_quotes(json);
	size_t n = (size_t)snprintf(text, sizeof text, " ");
	why = (struct problem){0};
	if (hf_config_parse(&c, copy, strlen(copy), "f", &why) < 0)
		snprintf(text, sizeof text, "%s", why.text);
	for (size_t i = 0; why.code == 0 && i < c.n && n < sizeof text; i++) {
		const char *kind = strchr(c.item[i].section, ':');
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s=%s ",
				      kind ? kind + 1 : "", kind ? "." : "",
				      c.item[i].key, c.item[i].value);
	}
	ini_free(&c);
	free(copy);
	return text;
}

/* Each word of `want` is a key that the config.json becomes, with its value; or
 * with '!' in front a key that it does not become. */
__attribute__((unused)) static void becomes(const char *what, const char *json,
					    const char *want)
{
	const char *got = keys_of(json);
	int good = why.code == 0;
	for (const char *s = want; good && *s; s += strspn(s, " ")) {
		char word[200];
		int n = (int)strcspn(s, " "), absent = *s == '!';
		snprintf(word, sizeof word, absent ? " %.*s=" : " %.*s ",
			 n - absent, s + absent);
		good = (strstr(got, word) == NULL) == absent;
		s += n;
	}
	if (!ok(good, "%s", what))
		printf("#  got:%s\n# want: %s\n", got, want);
}

/* As published: the sum over a checkpoint's tensors, or the model's card. */
__attribute__((unused)) static void
has_params(const char *name, uint64_t params, const char *json)
{
	int rc = model_of_quoted(json);
	if (!ok(rc == 0 && the.view.n_params == params,
		"%s has %llu parameters", name, (unsigned long long)params))
		printf("# got %llu %s\n", (unsigned long long)the.view.n_params,
		       why.text);
}

/* A message that is wanted, with its exit code. */
__attribute__((unused)) static void is_refused(const char *json, int code,
					       const char *want)
{
	int rc = model_of_quoted(json);
	if (!ok(rc < 0 && why.code == code && strstr(why.text, want), "%s",
		want))
		printf("# got %d %s\n", why.code, why.text);
}
#endif
