/* report/help/reference.h -- the reference that the program itself is: the keys
 * of the INI, the words of its results, and where a newcomer's questions are
 * answered.  All of it comes from tables.  [main] */
#ifndef SC_REPORT_HELP_REFERENCE_H
#define SC_REPORT_HELP_REFERENCE_H
#include <stdio.h>

/* The keys of "engine", "cost_model" ...; all sections: "ini".  1: there is
 * such a section; 0: nothing was written. */
int reference_section(FILE *f, const char *section);
/* A key in every section that has it: "max_num_seqs", "engine.max_num_seqs".
 * 1: there is such a key. */
int reference_key(FILE *f, const char *key);
/* The i-th section, and what it is for; NULL: there are no more. */
const char *reference_section_name(size_t i, const char **about);

/* A word of results and what it means. */
struct reference_word {
	const char *word, *means;
};
extern const struct reference_word reference_words[];
extern const size_t reference_n_words;
void reference_glossary(FILE *f);

/* A question, how to answer it, and the page that says more. */
struct reference_question {
	const char *question, *answer, *page;
};
extern const struct reference_question reference_questions[];
extern const size_t reference_n_questions;
void reference_faq(FILE *f);
#endif
