/* scaffold.c -- Writes the first files of a new plugin. */
#include <config.h>
#include "plugin/scaffold.h"
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/infile.h"
#include "keys/datafile.h"

/* A new plugin is compared with this one, unless it is made from another. */
static const char reference[] = "roofline_v2";
/* The plugin that runs a program. */
static const char program[] = "exec";

struct word {
	const char *from, *to;
};

struct making {
	const struct scaffold *s;
	char *folder; /* has a temporary name until it is complete */
	struct word word[16];
	size_t n_words;
	char *text[16]; /* the texts of the words */
	size_t n_texts;
};

/* ---- replacing words in a text ---- */

static int add_word(struct making *m, const char *fmt, const char *from,
		    const char *to, struct problem *p)
{
	struct word *w = &m->word[m->n_words++];
	char **a = &m->text[m->n_texts++], **b = &m->text[m->n_texts++];
	/* fmt has one %s; it comes from the calls below. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (asprintf(a, fmt, from) < 0 || asprintf(b, fmt, to) < 0) {
#pragma GCC diagnostic pop
		*a = *b = NULL;
		return problem_no_memory(p);
	}
	*w = (struct word){*a, *b};
	return 0;
}

/* Writes a file with all words replaced; the first match at a position
 * counts. */
static void replace(const struct making *m, const char *text, FILE *to)
{
	while (*text) {
		const struct word *found = NULL;
		for (size_t i = 0; i < m->n_words && !found; i++)
			if (!strncmp(text, m->word[i].from,
				     strlen(m->word[i].from)))
				found = &m->word[i];
		if (found)
			fputs(found->to, to);
		else
			putc(*text, to);
		text += found ? strlen(found->from) : 1;
	}
}

static char *read_all(const char *path, struct problem *p)
{
	FILE *f = infile_open(path, p);
	char *text = NULL;
	size_t cap = 0;
	ssize_t n = f ? getdelim(&text, &cap, '\0', f) : -1;
	if (f)
		fclose(f);
	if (n >= 0)
		return text;
	free(text);
	problem_set(p, EXIT_USAGE, "%s: %s", path, strerror(errno));
	return NULL;
}

static int write_file(const struct making *m, const char *from,
		      const char *name, struct problem *p)
{
	char *text = read_all(from, p), *path;
	if (!text)
		return -1;
	if (asprintf(&path, "%s/%s", m->folder, name) < 0) {
		free(text);
		return problem_no_memory(p);
	}
	FILE *f = fopen(path, "we");
	int bad = !f;
	if (f) {
		replace(m, text, f);
		bad = ferror(f);
		bad |= fclose(f) != 0;
	}
	if (bad)
		problem_set(p, EXIT_USAGE, "%s: %s", path, strerror(errno));
	free(path);
	free(text);
	return bad ? -1 : 0;
}

/* ---- folders ---- */

static int is_source(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int copy_within(const struct making *m, const char *folder,
		       const char *within, const char *stem, struct problem *p);

/* Copies a file, or a folder with its content.  path is relative to `folder`.
 * The file `stem`.* is renamed to the name of the plugin. */
static int copy_entry(const struct making *m, const char *folder,
		      const char *path, const char *stem, struct problem *p)
{
	size_t len = strlen(stem);
	int ours = !strncmp(path, stem, len) && path[len] == '.', rc = -1;
	char *from = NULL, *to = NULL, *made = NULL;
	struct stat st;
	if (asprintf(&from, "%s/%s", folder, path) < 0 ||
	    asprintf(&to, "%s%s", ours ? m->s->name : "",
		     ours ? path + len : path) < 0 ||
	    asprintf(&made, "%s/%s", m->folder, to) < 0)
		problem_no_memory(p);
	else if (stat(from, &st) < 0)
		problem_set(p, EXIT_USAGE, "%s: %s", from, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		rc = write_file(m, from, to, p);
	else if (mkdir(made, 0777) < 0)
		problem_set(p, EXIT_USAGE, "%s: %s", made, strerror(errno));
	else
		rc = copy_within(m, folder, path, stem, p);
	free(from);
	free(to);
	free(made);
	return rc;
}

/* Copies everything in FOLDER/WITHIN; "": in FOLDER. */
static int copy_within(const struct making *m, const char *folder,
		       const char *within, const char *stem, struct problem *p)
{
	const char *slash = *within ? "/" : "";
	struct dirent **file;
	char *path;
	int rc = 0;
	if (asprintf(&path, "%s%s%s", folder, slash, within) < 0)
		return problem_no_memory(p);
	int n = scandir(path, &file, is_source, alphasort);
	if (n < 0)
		rc =
		    problem_set(p, EXIT_USAGE, "%s: %s", path, strerror(errno));
	free(path);
	for (int i = 0; i < n; i++) {
		char *entry = NULL;
		if (rc == 0 && asprintf(&entry, "%s%s%s", within, slash,
					file[i]->d_name) < 0)
			rc = problem_no_memory(p);
		if (rc == 0)
			rc = copy_entry(m, folder, entry, stem, p);
		free(entry);
		free(file[i]);
	}
	if (n >= 0)
		free(file);
	return rc;
}

static int copy_template(const struct making *m, const char *name,
			 struct problem *p)
{
	char *folder = datafile_find("etc/templates", name, "", p);
	if (!folder)
		return problem_set(p, EXIT_USAGE,
				   "no etc/templates/%s in the data folders; "
				   "on Debian, install libstepcost-dev",
				   name);
	int rc = copy_within(m, folder, "", "NAME", p);
	free(folder);
	return rc;
}

/* Replaces its name where it names the plugin: in quotes, before a colon at the
 * beginning, in a heading, as a file. */
static int rename_words(struct making *m, const char *like, struct problem *p)
{
	static const char *const form[] = {"\"%s\"", "/* %s:", "# %s\n",
					   "./%s.",  "%s.md",  "%s.py"};
	for (size_t i = 0; i < sizeof form / sizeof *form; i++)
		if (add_word(m, form[i], like, m->s->name, p) < 0)
			return -1;
	return 0;
}

/* Copies the source of a plugin, and adds the files that every language needs
 * and C's Makefile. */
static int copy_plugin(struct making *m, const char *like, struct problem *p)
{
	char *folder = datafile_find("plugins", like, "", p), *makefile;
	int rc = folder ? rename_words(m, like, p) : -1;
	if (rc == 0)
		rc = copy_within(m, folder, "", like, p);
	free(folder);
	if (rc < 0 ||
	    !(makefile = datafile_find("etc/templates/c", "Makefile", "", p)))
		return -1;
	rc = write_file(m, makefile, "Makefile", p);
	free(makefile);
	return rc;
}

static int fill(struct making *m, struct problem *p)
{
	const struct scaffold *s = m->s;
	const char *like = s->like ? s->like : reference;
	int is_program = !strcmp(s->lang, "python");
	if (add_word(m, "%s", "@NAME@", s->name, p) < 0 ||
	    add_word(m, "%s", "@LIKE@", like, p) < 0 ||
	    copy_template(m, "common", p) < 0)
		return -1;
	if (is_program)
		return copy_plugin(m, program, p);
	return s->like ? copy_plugin(m, s->like, p)
		       : copy_template(m, s->lang, p);
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void discard(const struct making *m)
{
	enum { OPEN_FOLDERS = 8 };
	nftw(m->folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static int check(const struct scaffold *s, struct problem *p)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	int is_program = !strcmp(s->lang, "python");
	if (!s->name[0] || s->name[strspn(s->name, allowed)])
		return problem_set(p, EXIT_USAGE,
				   "%s: a plugin's name is letters a-z, digits "
				   "and _",
				   s->name);
	if (s->like && strcmp(s->lang, "c") &&
	    !(is_program && !strcmp(s->like, program)))
		return problem_set(p, EXIT_USAGE,
				   "--like copies %s, which is written in C: "
				   "leave out --lang %s",
				   s->like, s->lang);
	if (s->like && !strcmp(s->like, s->name))
		return problem_set(p, EXIT_USAGE,
				   "%s is the name of the plugin to copy "
				   "(--like); choose another name",
				   s->name);
	if (access(s->name, F_OK) == 0)
		return problem_set(p, EXIT_USAGE, "%s is there already",
				   s->name);
	return 0;
}

int scaffold_make(const struct scaffold *s, struct problem *p)
{
	struct making m = {.s = s};
	if (check(s, p) < 0)
		return -1;
	if (asprintf(&m.folder, "%s.XXXXXX", s->name) < 0)
		return problem_no_memory(p);
	int rc = 0;
	if (!mkdtemp(m.folder)) {
		rc = problem_set(p, EXIT_USAGE, "%s: %s", s->name,
				 strerror(errno));
	} else {
		rc = fill(&m, p);
		chmod(m.folder, 0755);
		if (rc == 0 && rename(m.folder, s->name) < 0)
			rc = problem_set(p, EXIT_USAGE, "%s: %s", s->name,
					 strerror(errno));
		if (rc < 0)
			discard(&m);
	}
	for (size_t i = 0; i < m.n_texts; i++)
		free(m.text[i]);
	free(m.folder);
	return rc;
}
