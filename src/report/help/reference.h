/* report/help/reference.h -- the reference that the program contains: the keys
 * of the INI file, the words of its results, and answers to a newcomer's
 * questions.  All of it comes from tables.  [main] */
#pragma once
#include <stdio.h>

/* Writes the keys of a section such as "engine" or "cost_model", or of all
 * sections ("ini").  Returns 1 if there is such a section, or 0 without
 * output. */
int reference_section(FILE *f, const char *section);
/* Writes all sections with their keys as JSON: what reference_section() says,
 * and, of a key of an engine or a router, which presets or routers read it and
 * the value that others accept. */
void reference_json(FILE *f);
/* Writes a key ("max_num_seqs", "engine.max_num_seqs") in every section that
 * has it.  Returns 1 if there is such a key. */
int reference_key(FILE *f, const char *key);
/* Returns the name of the i-th section, with its purpose in *about.  NULL:
 * there are no more. */
const char *reference_section_name(size_t i, const char **about);

/* A word of the results, and its meaning. */
struct reference_word {
	const char *word, *means;
};
extern const struct reference_word reference_words[];
extern const size_t reference_n_words;
void reference_glossary(FILE *f);
/* Writes what a word of the glossary means, in any case ("ttft"), or a metric
 * ("mean_ttft_ms") and the words in its name.  Returns 1 if it knows the word,
 * or 0 without output. */
int reference_word(FILE *f, const char *word);

/* A question, its answer, and the page that says more. */
struct reference_question {
	const char *question, *answer, *page;
};
extern const struct reference_question reference_questions[];
extern const size_t reference_n_questions;
void reference_faq(FILE *f);
