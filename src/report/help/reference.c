/* reference.c -- Writes sections, keys, words and questions as text. */
#include "report/help/reference.h"
#include <string.h>
#include "arm/key_tables.h"
#include "base/paragraph.h"
#include "engine/refusals.h"
#include "record/metrics.h"
#include "report/help/keys.h"

enum { WIDTH = PARAGRAPH_COLUMNS };

/* Writes to buf, if has_names, the key's name in each engine ("vLLM:
 * max_num_seqs."), and which engines read it.  Returns buf. */
static const char *of_engines(const struct engine_row *r, int has_names,
			      char *buf, size_t size)
{
	const struct {
		const char *engine, *name;
	} called[] = {{"vLLM", r->called.vllm},
		      {"SGLang", r->called.sglang},
		      {"TensorRT-LLM", r->called.tensorrt_llm}};
	char scope[300];
	size_t at = 0;
	buf[0] = '\0';
	for (size_t i = 0; has_names && i < sizeof called / sizeof *called; i++)
		if (called[i].name)
			at += (size_t)snprintf(buf + at, size - at, "%s%s: %s.",
					       at ? " " : "", called[i].engine,
					       called[i].name);
	engine_row_scope(scope, sizeof scope, r);
	snprintf(buf + at, size - at, "%s%s", at && *scope ? " " : "", scope);
	return buf;
}

static void write_key(FILE *f, const struct key_table *t, uint32_t i,
		      int has_names)
{
	char more[400] = "";
	if (t->knob == engine_key)
		of_engines(engine_row(i), has_names, more, sizeof more);
	else if (t->knob == router_key)
		router_row_scope(more, sizeof more, router_row(i));
	key_text(f, t->knob[i], t->prefix, *more ? more : NULL);
}

static void write_section(FILE *f, const char *name, const char *about)
{
	struct key_table t[KEY_TABLES];
	size_t n = key_tables_of(name, NULL, t);
	fprintf(f, "[%s]\n", name);
	paragraph_print(f, WIDTH, 2, "  %s", about);
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; !*t[i].prefix && k < t[i].n; k++)
			write_key(f, &t[i], k, !strcmp(name, "engine"));
	putc('\n', f);
}

const char *reference_section_name(size_t i, const char **about)
{
	const char *name = key_tables_section(i);
	size_t n = 0;
	if (name) {
		*about = key_tables_about(i);
		return name;
	}
	while (key_tables_section(n))
		n++;
	if (i > n)
		return NULL;
	*about = "An arm; several arms are [cost_model:NAME]. Its other keys "
		 "are the plugin's knobs (stepcost plugins describe PLUGIN). "
		 "Keys of other sections, as engine.KEY, hardware.KEY or "
		 "tables.KEY, hold for this arm alone.";
	return "cost_model";
}

int reference_section(FILE *f, const char *section)
{
	const char *name, *about;
	int found = 0, all = !strcmp(section, "ini");
	for (size_t i = 0; (name = reference_section_name(i, &about)); i++)
		if (all || !strcmp(name, section)) {
			write_section(f, name, about);
			found = 1;
		}
	return found;
}

/* Writes the words of a set of bits. */
static void words_json(struct jw *j, const char *name, uint32_t set,
		       const char *const *word)
{
	jw_array(j, name);
	for (uint32_t i = 0; word[i]; i++)
		if (set & (1u << i))
			jw_text(j, NULL, word[i]);
	jw_end(j);
}

static void one_key_json(struct jw *j, const struct key_table *t, uint32_t i)
{
	jw_flat_object(j, NULL);
	key_json(j, t->knob[i]);
	if (t->knob == engine_key) {
		words_json(j, "presets", engine_row(i)->obeyed_by,
			   engine_preset_words);
		jw_text(j, "neutral", engine_row(i)->neutral);
	} else if (t->knob == router_key) {
		words_json(j, "routings", router_row(i)->read_by,
			   routing_words);
	}
	jw_end(j);
}

static void section_json(struct jw *j, const char *name, const char *about)
{
	struct key_table t[KEY_TABLES];
	size_t n = key_tables_of(name, NULL, t);
	jw_object(j, NULL);
	jw_text(j, "name", name);
	jw_text(j, "about", about);
	jw_array(j, "keys");
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; !*t[i].prefix && k < t[i].n; k++)
			one_key_json(j, &t[i], k);
	jw_end(j);
	jw_end(j);
}

void reference_json(FILE *f)
{
	const char *name, *about;
	struct jw j = jw_document(f);
	jw_int(&j, "schema", JSON_SCHEMA);
	jw_array(&j, "sections");
	for (size_t i = 0; (name = reference_section_name(i, &about)); i++)
		section_json(&j, name, about);
	jw_finish(&j);
}

/* Writes a key of one section.  Returns 1 if it found the key. */
static int find_key(FILE *f, const char *section, const char *key)
{
	struct key_table t[KEY_TABLES];
	size_t n = key_tables_of(section, NULL, t);
	int found = 0;
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; !*t[i].prefix && k < t[i].n; k++)
			if (!strcmp(t[i].knob[k]->name, key)) {
				fprintf(f, "[%s]\n", section);
				write_key(f, &t[i], k,
					  !strcmp(section, "engine"));
				found = 1;
			}
	return found;
}

int reference_key(FILE *f, const char *key)
{
	const char *name, *about, *dot = strchr(key, '.');
	size_t len = dot ? (size_t)(dot - key) : 0;
	int found = 0;
	for (size_t i = 0; (name = reference_section_name(i, &about)); i++)
		/* A pool has the keys of [engine]: they are written once. */
		if (dot ? !strncmp(name, key, len) && !name[len]
			: !found || !strchr(name, ':'))
			found |= find_key(f, name, dot ? dot + 1 : key);
	return found;
}

void reference_glossary(FILE *f)
{
	for (size_t i = 0; i < reference_n_words; i++)
		paragraph_print(f, WIDTH, 6, "%s: %s", reference_words[i].word,
				reference_words[i].means);
}

/* Returns 1 if the n characters are one of "TTFT, TPOT, ITL", in any case. */
static int is_listed(const char *list, const char *s, size_t n)
{
	while (*list) {
		size_t len = strcspn(list, ",");
		if (len == n && !strncasecmp(list, s, n))
			return 1;
		list += len + strspn(list + len, ", ");
	}
	return 0;
}

/* Writes the words of the glossary that the n characters are. */
static int find_word(FILE *f, const char *s, size_t n)
{
	int found = 0;
	for (size_t i = 0; i < reference_n_words; i++) {
		const struct reference_word *w = &reference_words[i];
		if (!is_listed(w->word, s, n))
			continue;
		paragraph_print(f, WIDTH, 6, "%s: %s", w->word, w->means);
		found = 1;
	}
	return found;
}

int reference_word(FILE *f, const char *word)
{
	const struct metric *m = metric_find(word);
	if (!m)
		return find_word(f, word, strlen(word));
	paragraph_print(f, WIDTH, 6,
			"%s: a figure of the results%s%s; doc/results.md lists "
			"all of them.",
			m->name, *m->unit ? ", in " : "", m->unit);
	for (const char *s = word; *s;) {
		size_t n = strcspn(s, "_");
		find_word(f, s, n);
		s += n + (s[n] == '_');
	}
	return 1;
}

void reference_faq(FILE *f)
{
	for (size_t i = 0; i < reference_n_questions; i++) {
		const struct reference_question *q = &reference_questions[i];
		fprintf(f, "%s\n", q->question);
		paragraph_print(f, WIDTH, 6, "      %s More: %s", q->answer,
				q->page);
	}
}
