/* cite.c -- Writes BibTeX. */
#include "report/cite.h"
#include <stdlib.h>
#include <string.h>
#include "base/file/digest.h"
#include "base/file/inputs.h"
#include "base/ini.h"
#include "stepcost/plugin.h"

/* Characters that LaTeX reads as commands are written as themselves. */
static void bibtex_text(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\')
			fputs("\\textbackslash{}", f);
		else if (*s == '~' || *s == '^')
			fprintf(f, "\\%c{}", *s);
		else if (strchr("{}%&#_$", *s))
			fprintf(f, "\\%c", *s);
		else
			putc((unsigned char)*s < ' ' ? ' ' : *s, f);
	}
}

/* A key has letters, digits and '-' alone. */
static void begin(FILE *f, const char *type, const char *prefix,
		  const char *name)
{
	fprintf(f, "@%s{%s", type, prefix);
	for (; *name; name++)
		putc(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
			    "YZ0123456789-",
			    *name)
			 ? *name
			 : '-',
		     f);
}

static void field(FILE *f, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(f, ",\n  %s = {", name);
	bibtex_text(f, text);
	putc('}', f);
}

static void end(FILE *f)
{
	fputs("\n}\n\n", f);
}

static void cite_program(FILE *f)
{
	size_t n;
	struct input *in = inputs_list(INPUT_PROGRAM, &n);
	char commit[100] = "";
	if (n && *in->text[1])
		snprintf(commit, sizeof commit, "commit %s", in->text[1]);
	begin(f, "software", "stepcost", "");
	field(f, "title",
	      "stepcost: cost models of LLM serving on identical work");
	fputs(",\n  author = {{The stepcost authors}}", f);
	field(f, "version", PACKAGE_VERSION);
	field(f, "year", "2026");
	field(f, "note", commit);
	end(f);
	free(in);
}

static void cite_plugins(FILE *f)
{
	size_t n;
	struct input *in = inputs_list(INPUT_ARM, &n);
	char title[200];
	for (size_t i = 0; i < n; i++) {
		const char *const *t = in[i].text;
		size_t k = 0;
		while (strcmp(in[k].text[ARM_FILE], t[ARM_FILE]) != 0)
			k++;
		if (k < i) /* another arm of this plugin */
			continue;
		snprintf(title, sizeof title, "Cost model %s",
			 *t[ARM_ID] ? t[ARM_ID] : t[ARM_PLUGIN]);
		begin(f, "misc", "plugin-", t[ARM_PLUGIN]);
		field(f, "title", title);
		field(f, "version", t[ARM_VERSION]);
		field(f, "note", t[ARM_CITATION]);
		field(f, "license", t[ARM_LICENCE]);
		end(f);
	}
	free(in);
}

static void cite_tables(FILE *f)
{
	size_t n;
	struct input *in = inputs_list(INPUT_TABLES, &n);
	for (size_t i = 0; i < n; i++) {
		struct ini manifest = {0};
		struct problem unused;
		char *path, title[200];
		if ((i && !strcmp(in[i].text[0], in[i - 1].text[0])) ||
		    asprintf(&path, "%s/MANIFEST", in[i].text[1]) < 0)
			continue;
		ini_load(&manifest, path, &unused);
		snprintf(title, sizeof title, "Measured kernels: %s",
			 in[i].text[0]);
		begin(f, "misc", "tables-", in[i].text[0]);
		field(f, "title", title);
		field(f, "howpublished", ini_get(&manifest, "", "source"));
		field(f, "note", ini_get(&manifest, "", "source_commit"));
		field(f, "license", ini_get(&manifest, "", "licence"));
		end(f);
		ini_free(&manifest);
		free(path);
	}
	free(in);
}

static void cite_traces(FILE *f)
{
	size_t n;
	struct input *in = inputs_list(INPUT_TRACE, &n);
	char hex[DIGEST], note[100], title[300];
	for (size_t i = 0; i < n; i++) {
		const char *path = in[i].text[0], *slash = strrchr(path, '/');
		const char *name = slash ? slash + 1 : path;
		snprintf(title, sizeof title, "Request trace %s", name);
		snprintf(note, sizeof note, "SHA-256 %s",
			 digest_file(path, hex) ? hex : "not known");
		begin(f, "misc", "trace-", name);
		field(f, "title", title);
		field(f, "note", note);
		end(f);
	}
	free(in);
}

int cite_finish(FILE *to, const char *text, size_t n)
{
	(void)text, (void)n;
	cite_program(to);
	cite_plugins(to);
	cite_tables(to);
	cite_traces(to);
	return 0;
}
