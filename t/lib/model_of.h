/* model_of.h -- a config.json as text, and the model that comes of it. */
#ifndef T_MODEL_OF_H
#define T_MODEL_OF_H
#include "scratch.h"
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

/* Single quotes for double ones, which C would have escaped. */
__attribute__((unused)) static int model_of_quoted(const char *json)
{
	char *copy = strdup(json);
	for (char *s = copy; s && *s; s++)
		*s = *s == '\'' ? '"' : *s;
	int rc = copy ? model_of(copy) : -1;
	free(copy);
	return rc;
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
