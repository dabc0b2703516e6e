/* options.c -- Makes a configuration from the options of
 * `recommend`. */
#include "cmd/recommend/options.h"
#include <stdlib.h>
#include <string.h>
#include "keys/datafile.h"

/* "A,B" -> "A" */
static char *first_of(const char *list)
{
	return list ? strndup(list, strcspn(list, ",")) : NULL;
}

/* key: as assignment_apply() takes it, so that messages name the option. */
static int put(struct names *set, const char *key, const char *value,
	       struct problem *p)
{
	char *text;
	if (!value)
		return 0;
	if (asprintf(&text, "%s=%s", key, value) < 0)
		return problem_no_memory(p);
	int rc = names_add(set, text);
	free(text);
	return rc < 0 ? problem_no_memory(p) : 0;
}

/* The first of several kinds is what the configuration has. */
static int put_first(struct names *set, const char *key, const char *list,
		     struct problem *p)
{
	char *first = first_of(list);
	int rc =
	    list && !first ? problem_no_memory(p) : put(set, key, first, p);
	free(first);
	return rc;
}

static int put_rate(struct names *set, double rate, struct problem *p)
{
	char text[40];
	snprintf(text, sizeof text, "%.17g", rate);
	return rate > 0 ? put(set, "--rate workload.request_rate", text, p) : 0;
}

static int is_number(const char *text)
{
	return text && *text && !text[strspn(text, "0123456789")];
}

void recommend_options_read(struct recommend_words *w, struct cmdline *c)
{
	if (c->n_args || w->output_tokens || !is_number(c->output))
		return;
	w->output_tokens = c->output;
	c->output = NULL;
}

/* Without a CONFIG nothing else tells these. */
static int check(const struct recommend_request *from,
		 const struct recommend_words *w, struct problem *p)
{
	const char *missing = !w->model && !from->models ? "--model NAME"
			      : !from->hardware          ? "--hardware NAME"
			      : !w->input_tokens         ? "--input-tokens N"
							 : "--output-tokens N";
	if ((w->model || from->models) && from->hardware && w->input_tokens &&
	    w->output_tokens)
		return 0;
	return problem_set(p, EXIT_USAGE,
			   "without a CONFIG, %s is needed; all of --model, "
			   "--hardware, --input-tokens and --output-tokens are",
			   missing);
}

int recommend_options_apply(struct recommend_request *from, char **path,
			    const struct recommend_words *w,
			    const struct cmdline *c, struct problem *p)
{
	struct names *set = &from->set;
	int is_own = c->n_args == 0;
	*set = (struct names){0};
	*path = NULL;
	if (is_own && check(from, w, p) < 0)
		return -1;
	if (is_own && !(*path = datafile_find("etc", "recommend", ".ini", p)))
		return -1;
	from->config = is_own ? *path : c->arg[0];
	if ((is_own &&
	     (put_first(set, "--models model.config", from->models, p) < 0 ||
	      put_first(set, "--hardware hardware.config", from->hardware, p) <
		  0 ||
	      put_rate(set, from->rate, p) < 0)) ||
	    put(set, "--model model.config", w->model, p) < 0 ||
	    put(set, "--engine engine.preset", w->engine, p) < 0 ||
	    put(set, "--input-tokens workload.input_tokens", w->input_tokens,
		p) < 0 ||
	    put(set, "--output-tokens workload.output_tokens", w->output_tokens,
		p) < 0)
		return -1;
	for (size_t i = 0; i < c->set.n; i++)
		if (names_add(set, c->set.item[i]) < 0)
			return problem_no_memory(p);
	return 0;
}
