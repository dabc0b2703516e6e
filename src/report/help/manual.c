/* manual.c -- Writes manual pages. */
#include "report/help/manual.h"
#include <string.h>
#include "arm/key_tables.h"
#include "engine/refusals.h"
#include "report/help/keys.h"
#include "report/help/reference.h"

/* ---- text without special characters of roff ---- */

static void escaped(FILE *f, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", f);
	for (; *text; text++)
		if (*text == '\\')
			fputs("\\e", f);
		else if (*text == '-')
			fputs("\\-", f);
		else if (*text == '|' || *text == ',')
			fprintf(f, "%c\\:", *text); /* a line may break here */
		else
			putc(*text, f);
}

static void line(FILE *f, const char *macro, const char *text)
{
	fprintf(f, ".%s \"", macro);
	for (; *text; text++)
		if (*text == '"')
			fputs("\\(dq", f);
		else if (*text == '-')
			fputs("\\-", f);
		else
			putc(*text, f);
	fputs("\"\n", f);
}

static void paragraph(FILE *f, const char *text)
{
	escaped(f, text);
	putc('\n', f);
}

/* Writes "plugins list" as "stepcost-plugins-list". */
static void page_name(FILE *f, const char *command)
{
	fputs("stepcost\\-", f);
	for (; *command; command++)
		fputs(*command == ' ' ? "\\-" : (char[]){*command, 0}, f);
}

static void head(FILE *f, const char *title, int section)
{
	fprintf(f,
		".\\\" Written by stepcost help man; not to be edited.\n.TH ");
	for (; *title; title++)
		putc(*title == ' '                    ? '-'
		     : *title >= 'a' && *title <= 'z' ? *title - 32
						      : *title,
		     f);
	fprintf(f,
		" %d \"\" \"stepcost %s\" \"stepcost\"\n.nh\n.ad l\n.SH NAME\n",
		section, PACKAGE_VERSION);
}

/* ---- commands ---- */

/* Writes an option of a command in the macros of man. */
static void option(FILE *f, const struct command *m, const struct option_def *o)
{
	const char *between = ": ";
	int joined = o->arg && o->arg[0] == '[';
	fputs(".TP\n\\fB\\-\\-", f);
	escaped(f, o->name);
	fputs("\\fR", f);
	if (o->arg) {
		fputs(joined ? "\\fI" : " \\fI", f);
		escaped(f, o->arg);
		fputs("\\fR", f);
	}
	putc('\n', f);
	escaped(f, o->help);
	for (int i = 0; o->choices && o->choices[i]; i++) {
		if (!cmdline_offers(m, o, i))
			continue;
		fputs(between, f);
		escaped(f, o->choices[i]);
		between = ", ";
	}
	fputs(o->required ? " (required)\n" : "\n", f);
}

void manual_command(FILE *f, const struct command *m)
{
	const struct option_def *o;
	char title[100];
	snprintf(title, sizeof title, "stepcost %s", m->name);
	head(f, title, 1);
	page_name(f, m->name);
	fputs(" \\- ", f);
	paragraph(f, m->summary);
	fputs(".SH SYNOPSIS\n\\fBstepcost ", f);
	escaped(f, m->name);
	fputs("\\fR ", f);
	escaped(f, m->args);
	fputs(" [\\fIOPTION\\fR...]\n.SH OPTIONS\n", f);
	for (size_t i = 0; (o = cmdline_option(m, i)); i++)
		option(f, m, o);
	fputs(".SH SEE ALSO\n.BR stepcost (1),\n.BR stepcost.ini (5)\n", f);
}

static void exit_codes(FILE *f)
{
	static const char *const means[] = {
	    "Done.",
	    "The run worked, and its answer is no: nothing was served, an "
	    "error is above a threshold, or a check failed.",
	    "A fault in the command line or the INI, a missing file or plugin, "
	    "or a model that is not supported.",
	    "A fault in the content of a trace, a table or a config.json.",
	    "A plugin failed."};
	fputs(".SH EXIT STATUS\n", f);
	for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
		fprintf(f, ".TP\n%zu\n", i);
		paragraph(f, means[i]);
	}
}

static void environment(FILE *f)
{
	fputs(".SH ENVIRONMENT\n.TP\nSTEPCOST_PLUGIN_PATH\n", f);
	paragraph(f, "Folders of plugins, separated by colons. They come "
		     "before the user's own folder and the installed one.");
	fputs(".TP\nSTEPCOST_DATA_PATH\n", f);
	paragraph(
	    f,
	    "Folders with an etc/ and a bench_data/ (configurations, models, "
	    "GPUs, tables), separated by colons; also before the others.");
	fputs(".TP\nXDG_DATA_HOME\n", f);
	paragraph(f, "Its stepcost/ holds the user's own plugins/, etc/ and "
		     "bench_data/; by default in ~/.local/share.");
}

void manual_program(FILE *f, const struct command *const *list, size_t n)
{
	head(f, "stepcost", 1);
	paragraph(f, "stepcost - simulate LLM serving under several cost "
		     "models, and say why they disagree");
	fputs(".SH SYNOPSIS\n\\fBstepcost\\fR \\fICOMMAND\\fR "
	      "[\\fICONFIG\\fR] [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n",
	      f);
	paragraph(f, "A cost model says how long a step of a serving engine "
		     "takes. stepcost loads cost models as plugins, runs the "
		     "same requests through each of them, and puts the results "
		     "side by side. CONFIG is an INI file, or the name of a "
		     "shipped one: model, GPU, engine, tables of kernels, "
		     "workload, and a section for each cost model.");
	fputs(".SH COMMANDS\n", f);
	for (size_t i = 0; i < n; i++) {
		fputs(".TP\n.BR ", f);
		page_name(f, list[i]->name);
		fputs(" (1)\n", f);
		paragraph(f, list[i]->summary);
	}
	fputs(".TP\n\\fBstepcost help\\fR [\\fITOPIC\\fR]\n", f);
	paragraph(f, "Explain a command, a section of the INI, or a key; "
		     "glossary; questions.");
	fputs(".SH GLOSSARY\n", f);
	for (size_t i = 0; i < reference_n_words; i++) {
		fputs(".TP\n", f);
		paragraph(f, reference_words[i].word);
		paragraph(f, reference_words[i].means);
	}
	exit_codes(f);
	environment(f);
	fputs(".SH SEE ALSO\n.BR stepcost.ini (5)\n", f);
}

/* ---- the INI ---- */

/* Writes who reads the key, or "" if all do.  Returns buf. */
static const char *scope_of(char *buf, size_t size, const struct key_table *t,
			    uint32_t i)
{
	buf[0] = '\0';
	if (t->knob == engine_key)
		engine_row_scope(buf, size, engine_row(i));
	else if (t->knob == router_key)
		router_row_scope(buf, size, router_row(i));
	return buf;
}

/* row: of a key of an engine, or NULL; has_name: 1 to write vLLM's name. */
static void key(FILE *f, const sc_knob *k, const struct engine_row *row,
		const char *scope, int has_name)
{
	char range[400];
	key_allowed(k, range, sizeof range);
	fputs(".TP\n\\fB", f);
	escaped(f, k->name);
	fputs("\\fR = ", f);
	escaped(f, !k->def ? "(needed)" : k->def[0] ? k->def : "(empty)");
	fprintf(f, "%s%s\n", *key_unit(k) ? " " : "", key_unit(k));
	escaped(f, k->help);
	if (*scope) {
		putc(' ', f);
		escaped(f, scope);
	}
	if (*range) {
		fputs(" Allowed: ", f);
		escaped(f, range);
		putc('.', f);
	}
	if (row && has_name && row->called.vllm) {
		fputs(" vLLM's name: ", f);
		escaped(f, row->called.vllm);
		putc('.', f);
	}
	putc('\n', f);
}

static void table_keys(FILE *f, const struct key_table *t, int has_names)
{
	char scope[300];
	for (uint32_t i = 0; !*t->prefix && i < t->n; i++)
		key(f, t->knob[i], t->knob == engine_key ? engine_row(i) : NULL,
		    scope_of(scope, sizeof scope, t, i), has_names);
}

void manual_ini(FILE *f)
{
	const char *name, *about;
	struct key_table t[KEY_TABLES];
	head(f, "stepcost.ini", 5);
	paragraph(f,
		  "stepcost.ini - the configuration that stepcost simulates");
	fputs(".SH DESCRIPTION\n", f);
	paragraph(
	    f, "A file has sections in brackets, and lines with a key and its "
	       "value. A comment goes from ; to the end of the line. The "
	       "command line can override every key: --set SECTION.KEY=VALUE.");
	for (size_t i = 0; (name = reference_section_name(i, &about)); i++) {
		char title[60];
		snprintf(title, sizeof title, "[%s]", name);
		line(f, "SH", title);
		paragraph(f, about);
		size_t n = key_tables_of(name, NULL, t);
		for (size_t k = 0; k < n; k++)
			table_keys(f, &t[k], !strcmp(name, "engine"));
	}
	fputs(".SH SEE ALSO\n.BR stepcost (1)\n", f);
}
