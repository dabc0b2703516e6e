/* find.c -- Looks a word up in the names, values and meanings of the
 * reference. */
#include "report/help/find.h"
#include <ctype.h>
#include <string.h>
#include "arm/key_tables.h"
#include "base/paragraph.h"
#include "report/help/reference.h"

enum { SHORT_WORD = 4 }; /* shorter ones are whole words only */

/* What people write for the parallelism of an engine. */
static const char *long_form(const char *word)
{
	static const char *const known[][2] = {
	    {"tp", "tensor_parallel_size"},    {"pp", "pipeline_parallel_size"},
	    {"dp", "data_parallel_size"},      {"ep", "expert_parallel"},
	    {"mtp", "num_speculative_tokens"}, {"eagle", "speculative_method"},
	    {"gpus", "tensor_parallel_size"},  {"quant", "quantization"},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcasecmp(word, known[i][0]))
			return known[i][1];
	return word;
}

/* Returns 1 if the word begins a word of the text. */
static int has_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	for (const char *s = text; *s; s++) {
		int begins = s == text || !isalnum((unsigned char)s[-1]);
		int ends = !isalnum((unsigned char)s[strnlen(s, n)]);
		if (begins && !strncasecmp(s, word, n) &&
		    (ends || n >= SHORT_WORD))
			return 1;
	}
	return 0;
}

static int key_has(const sc_knob *k, const char *word)
{
	if (has_word(k->name, long_form(word)) || has_word(k->help, word))
		return 1;
	for (size_t i = 0; k->choices && k->choices[i]; i++)
		if (has_word(k->choices[i], word))
			return 1;
	return 0;
}

/* A pool of replicas has the keys of [engine]. */
static int is_pool(const char *section)
{
	return strchr(section, ':') != NULL;
}

static size_t find_keys(FILE *f, const char *section, const char *word)
{
	struct key_table t[KEY_TABLES];
	size_t tables = key_tables_of(section, NULL, t), n = 0;
	for (size_t i = 0; i < tables; i++)
		for (uint32_t k = 0; !*t[i].prefix && k < t[i].n; k++) {
			const sc_knob *knob = t[i].knob[k];
			if (!key_has(knob, word))
				continue;
			const char *end = strstr(knob->help, ". ");
			int length = end ? (int)(end - knob->help)
					 : (int)strlen(knob->help);
			paragraph_print(f, PARAGRAPH_COLUMNS, 6, "%s.%s: %.*s",
					section, knob->name, length,
					knob->help);
			n++;
		}
	return n;
}

size_t help_find(FILE *f, const char *word)
{
	const char *section, *about;
	size_t n = 0;
	for (size_t i = 0; (section = reference_section_name(i, &about)); i++)
		if (!is_pool(section))
			n += find_keys(f, section, word);
	for (size_t i = 0; i < reference_n_questions; i++) {
		const struct reference_question *q = &reference_questions[i];
		if (!has_word(q->question, word) && !has_word(q->answer, word))
			continue;
		paragraph_print(f, PARAGRAPH_COLUMNS, 6, "%s %s More: %s",
				q->question, q->answer, q->page);
		n++;
	}
	return n;
}
