/* scaffold.c -- Writes the first files of a new plugin. */
#include "plugin/scaffold.h"
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/infile.h"
#include "base/folder.h"
#include "base/text.h"
#include "keys/datafile.h"
#include "plugin/loader.h"

/* A new plugin is compared with this one, unless it is made from another. */
static const char reference[] = "roofline_v2";
/* The plugin that runs a program. */
static const char program[] = "exec";
enum { LONGEST_MIB = 16 }; /* of a file that is copied */

struct word {
	const char *from, *to;
};

struct making {
	const struct scaffold *s;
	const char *folder; /* has a temporary name until it is complete */
	struct word word[18];
	size_t n_words;
	char *text[36]; /* the texts of the words */
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

static int write_file(const struct making *m, const char *from,
		      const char *name, struct problem *p)
{
	char *text = infile_read(from, LONGEST_MIB, NULL, p), *path;
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
	int n = folder_list(path, is_source, &file);
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
	/* another plugin has another id */
	int rc = add_word(m, ".id = \"stepcost.%s\", ", like, "", p);
	m->word[m->n_words - 1].to = "";
	return rc;
}

static int add_makefile(const struct making *m, struct problem *p)
{
	char *makefile = datafile_find("etc/templates/c", "Makefile", "", p);
	int rc = makefile ? write_file(m, makefile, "Makefile", p) : -1;
	free(makefile);
	return rc;
}

/* Copies the source of a plugin under the new name. */
static int copy_plugin(struct making *m, const char *folder, const char *like,
		       struct problem *p)
{
	return rename_words(m, like, p) < 0 ||
		       copy_within(m, folder, "", like, p) < 0
		   ? -1
		   : add_makefile(m, p);
}

/* ---- a plugin that overrides a function of another ---- */

/* Returns the name behind "KEY = " in a descriptor; the caller frees it.  NULL:
 * there is none, or memory is out. */
static char *field_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	if (!at)
		return NULL;
	at += strlen(key);
	return strndup(at, strcspn(at, ",\n"));
}

/* Replaces eval() and eval_batch() in a descriptor, and adds @EVAL@, the
 * original's eval(). */
static int override_eval(struct making *m, struct making *d, const char *text,
			 struct problem *p)
{
	char *eval = field_of(text, ".eval = ");
	char *batch = field_of(text, ".eval_batch = ");
	int rc = eval ? 0 : problem_no_memory(p);
	if (rc == 0)
		rc = add_word(d, ".eval = %s", eval,
			      "my_eval,\n    .eval_batch = my_eval_batch", p);
	if (rc == 0 && batch) {
		rc = add_word(d, "    .eval_batch = %s,\n", batch, "", p);
		d->word[d->n_words - 1].to = "";
	}
	if (rc == 0)
		rc = add_word(m, "%s", "@EVAL@", eval, p);
	free(eval);
	free(batch);
	return rc;
}

/* Replaces create() in a descriptor. */
static int override_create(struct making *d, const char *text,
			   struct problem *p)
{
	char *create = field_of(text, ".create = ");
	int rc = create ? add_word(d, ".create = %s", create, "my_create", p)
			: problem_no_memory(p);
	free(create);
	return rc;
}

/* Adds @DESCRIPTOR@: the original's with the new name and the new functions. */
static int add_descriptor(struct making *m, const char *like, const char *text,
			  int has_hooks, struct problem *p)
{
	struct making d = {.s = m->s};
	struct text t;
	FILE *f = text_begin(&t);
	int rc = f ? 0 : problem_no_memory(p);
	if (rc == 0)
		rc = has_hooks ? override_create(&d, text, p)
			       : override_eval(m, &d, text, p);
	if (rc == 0)
		rc = add_word(&d, ".name = \"%s\"", like, m->s->name, p);
	char *id = rc == 0 ? field_of(text, ".id = ") : NULL;
	if (id) { /* another plugin has another id */
		rc = add_word(&d, "    .id = %s,\n", id, "", p);
		d.word[d.n_words - 1].to = "";
	}
	free(id);
	if (rc == 0)
		replace(&d, text, f);
	if (f)
		fclose(f);
	if (rc == 0)
		rc = add_word(m, "%s", "@DESCRIPTOR@", t.s, p);
	for (size_t i = 0; i < d.n_texts; i++)
		free(d.text[i]);
	free(t.s);
	return rc;
}

/* Copies the original's folder to LIKE/; its main file becomes LIKE.inc, which
 * ends before the descriptor. */
static int copy_original(const struct making *m, const char *folder,
			 const char *like, const char *main_text,
			 const char *descriptor, struct problem *p)
{
	struct making copy = {.s = m->s};
	char *to = NULL, *main_c = NULL, *main_inc = NULL;
	int rc = -1;
	if (asprintf(&to, "%s/%s", m->folder, like) < 0 ||
	    asprintf(&main_c, "%s/%s.c", to, like) < 0 ||
	    asprintf(&main_inc, "%s/%s.inc", to, like) < 0)
		problem_no_memory(p);
	else if (mkdir(to, 0777) < 0)
		problem_set(p, EXIT_USAGE, "%s: %s", to, strerror(errno));
	else {
		copy.folder = to;
		/* no file of it bears the new name */
		rc = copy_within(&copy, folder, "", "/", p);
	}
	FILE *f = rc == 0 && unlink(main_c) == 0 ? fopen(main_inc, "we") : NULL;
	if (rc == 0 &&
	    (!f || fwrite(main_text, 1, (size_t)(descriptor - main_text), f) !=
		       (size_t)(descriptor - main_text)))
		rc = problem_set(p, EXIT_USAGE, "%s: %s", main_inc,
				 strerror(errno));
	if (f && fclose(f) != 0 && rc == 0)
		rc = problem_set(p, EXIT_USAGE, "%s: %s", main_inc,
				 strerror(errno));
	free(to);
	free(main_c);
	free(main_inc);
	return rc;
}

/* Begins with another plugin: a file that overrides one function, or one hook
 * where the original has hooks, beside the original; or a copy, if the
 * original's descriptor is not in LIKE.c. */
static int begin_like(struct making *m, const char *like, struct problem *p)
{
	char *folder = datafile_find("plugins", like, "", p), *path = NULL;
	char *text = NULL;
	int rc = folder ? 0 : -1;
	if (rc == 0 && asprintf(&path, "%s/%s.c", folder, like) < 0)
		rc = problem_no_memory(p);
	if (rc == 0 && access(path, F_OK) < 0)
		rc = problem_set(p, EXIT_USAGE,
				 "--like %s: %s has the sources of several "
				 "plugins; name one with a folder of its own",
				 like, folder);
	if (rc == 0 && !(text = infile_read(path, LONGEST_MIB, NULL, p)))
		rc = -1;
	const char *descriptor =
	    text ? strstr(text, "static const sc_plugin plugin = {") : NULL;
	int has_hooks = text && strstr(text, "sc_mfu_create_with(");
	if (rc == 0 && !descriptor)
		rc = copy_plugin(m, folder, like, p);
	else if (rc == 0)
		rc =
		    copy_original(m, folder, like, text, descriptor, p) < 0 ||
			    add_descriptor(m, like, descriptor, has_hooks, p) <
				0 ||
			    copy_template(m, has_hooks ? "hook" : "like", p) < 0
			? -1
			: add_makefile(m, p);
	free(folder);
	free(path);
	free(text);
	return rc;
}

/* Adds @PKG_CONFIG@: pkg-config, which looks first for the package beside this
 * program, where that was built and is not installed. */
static int add_package(struct making *m, struct problem *p)
{
	char folder[4096], beside[4200], call[4300] = "pkg-config";
	ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
	folder[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	snprintf(beside, sizeof beside, "%s/stepcost-uninstalled.pc", folder);
	/* Other paths are no single word of a Makefile. */
	if (slash && !folder[strcspn(folder, " \t#$'\"\\:")] &&
	    access(beside, R_OK) == 0)
		snprintf(call, sizeof call,
			 "PKG_CONFIG_PATH=%s:$$PKG_CONFIG_PATH pkg-config",
			 folder);
	return add_word(m, "%s", "@PKG_CONFIG@", call, p);
}

static int fill(struct making *m, struct problem *p)
{
	const struct scaffold *s = m->s;
	const char *like = s->like ? s->like : reference;
	int is_program = !strcmp(s->lang, "python");
	if (add_word(m, "%s", "@NAME@", s->name, p) < 0 ||
	    add_word(m, "%s", "@LIKE@", like, p) < 0 || add_package(m, p) < 0 ||
	    copy_template(m, "common", p) < 0)
		return -1;
	if (is_program)
		return begin_like(m, program, p);
	return s->like ? begin_like(m, s->like, p)
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

/* Refuses a name that a plugin on the path has: only the first one of a name is
 * found. */
static int check_is_new(const char *name, struct problem *p)
{
	char *path = NULL, *shadowed = NULL;
	struct problem none;
	int rc = 0;
	if (plugin_find(plugin_path(), name, &path, &shadowed, &none) == 0)
		rc = problem_set(p, EXIT_USAGE,
				 "%s is the name of the plugin %s; choose "
				 "another name, and --like %s to begin with it",
				 name, path, name);
	free(path);
	free(shadowed);
	return rc;
}

/* Refuses a name or a combination of options from which no plugin can be made.
 */
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
	return check_is_new(s->name, p);
}

int scaffold_make(const struct scaffold *s, struct problem *p)
{
	struct making m = {.s = s};
	if (check(s, p) < 0)
		return -1;
	char *folder;
	if (asprintf(&folder, "%s.XXXXXX", s->name) < 0)
		return problem_no_memory(p);
	int rc = 0;
	m.folder = folder;
	if (!mkdtemp(folder)) {
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
	free(folder);
	return rc;
}
