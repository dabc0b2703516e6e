/* cmd/recommend/options.h -- the workload of `recommend` as options: a
 * configuration that is shipped, and settings in the form of --set.  [main] */
#pragma once
#include "base/cmdline.h"
#include "recommend/recommend.h"

/* The value of each option; NULL: not given. */
struct recommend_words {
	const char *model, *engine, *input_tokens, *output_tokens;
};

/* Without a CONFIG `--output N` means the lengths of answers: moves it from *c
 * to *w.  A file with such a name is ./N. */
void recommend_options_read(struct recommend_words *w, struct cmdline *c);
/* Fills in from->config and from->set; `set` keeps the texts of from->set, and
 * *path that of the shipped configuration; the caller frees both.  Returns 0,
 * or -1 with *p (EXIT_USAGE), which says which option is missing. */
int recommend_options_apply(struct recommend_request *from, char **path,
			    const struct recommend_words *w,
			    const struct cmdline *c, struct problem *p);
