/* ini.c -- Reads an INI through inih into a flat list of items. */
#include "base/ini.h"
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/filetype.h"
#include "base/file/infile.h"
#include "base/hash.h"

/* Debian's libinih has a 200-byte line buffer, truncates longer lines
 * (sometimes without an error), passes no line number and does not report empty
 * sections.  So read_line() hands it one line at a time: that gives the line
 * number and the sections.  For a line that is too long, or that inih would
 * split within the key, it gets a key of no meaning, and key and value come
 * from long_key and long_value. */
/* A configuration has dozens of keys; the file of a large model has
 * hundreds. */
enum { MAX_LINE = 1 << 20, LONGEST_MIB = 16, MOST_KEYS = 10000 };
struct parse {
	struct ini *c;
	FILE *f;
	char *text; /* the whole line */
	size_t cap;
	int line;
	/* value of this line, in text; NULL: inih has it all, and the key */
	char *long_value;
	char long_key[512];
	char why[500];
};

static void item_free(struct ini_item *t)
{
	free(t->section), free(t->key), free(t->value), free(t->at);
}

/* Hashes "PREFIXkey" in a section; the NUL of the section is included. */
static uint64_t hash_of(const char *section, const char *prefix,
			const char *key)
{
	uint64_t hash = hash_on(HASH_BEGIN, section, strlen(section) + 1);
	hash = hash_on(hash, prefix, strlen(prefix));
	return hash_on(hash, key, strlen(key));
}

/* Appends an item.  Takes ownership of `at`. */
static int append(struct ini_item **list, size_t *n, const char *section,
		  const char *key, const char *value, char *at)
{
	struct ini_item *item = realloc(*list, (*n + 1) * sizeof *item);
	if (!item) {
		free(at);
		return -1;
	}
	*list = item;
	item += *n;
	*item = (struct ini_item){strdup(section), strdup(key), strdup(value),
				  at, hash_of(section, "", key)};
	if (item->section && item->key && item->value && at) {
		++*n;
		return 0;
	}
	item_free(item);
	return -1;
}

static int note_section(struct parse *p)
{
	char *close = strchr(p->text, ']'), *at;
	if (p->text[0] != '[' || !close)
		return 0;
	*close = '\0';
	int rc = asprintf(&at, "%s:%d", p->c->path, p->line);
	if (rc >= 0)
		rc = append(&p->c->head, &p->c->n_heads, p->text + 1, "", "",
			    at);
	*close = ']';
	return rc < 0 ? -1 : 0;
}

/* Cuts a comment off: ';' behind white space, or ';' or '#' as the first
 * character. */
static void cut_comment(char *s)
{
	if (*s == ';' || *s == '#')
		strcpy(s, "\n");
	for (; *s; s++)
		if ((*s == ' ' || *s == '\t') && s[1] == ';')
			strcpy(s, "\n");
}

/* Reads a line into text.  Returns its length with the '\n', or 0 at the end.
 * Sets *why if something is wrong. */
static size_t read_line(struct parse *p, const char **why)
{
	size_t n = 0;
	for (int c = 0; c != '\n' && (c = getc(p->f)) != EOF; n++) {
		if (n + 2 > p->cap) {
			size_t cap = 2 * p->cap + 256;
			char *text = realloc(p->text, cap);
			if (!text) {
				*why = out_of_memory;
				return n;
			}
			p->text = text;
			p->cap = cap;
		}
		if (c == '\0' || n == MAX_LINE) {
			*why = c ? "longer than 1048576 bytes"
				 : "has a NUL, so it is no text";
			return n;
		}
		p->text[n] = (char)c;
	}
	if (n)
		p->text[n] = '\0';
	return n;
}

/* Removes a byte order mark.  Returns what the file is instead of an INI, or
 * NULL. */
static const char *check_head(struct parse *p, size_t n)
{
	size_t bom = filetype_bom(p->text, n);
	memmove(p->text, p->text + bom, n + 1 - bom);
	return filetype_not_text(p->text, n - bom);
}

/* The characters before the separator, '=' or ':'.  A ':' within a key such as
 * engine:prefill.replicas separates nothing. */
static size_t key_length(const char *s)
{
	size_t n = strcspn(s, "=:");
	size_t word =
	    s[n] == ':' ? strspn(s + n + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
	return word && s[n + 1 + word] == '.' && strchr(s, '=')
		   ? strcspn(s, "=")
		   : n;
}

/* A key with a ':' in it, which inih would split there. */
static int has_colon(const struct parse *p)
{
	return p->text[0] != '[' &&
	       key_length(p->text) != strcspn(p->text, "=:");
}

/* Puts "key =" into buf for inih, and the key, and the value without blanks
 * around it, into long_key and long_value. */
static int split_long(struct parse *p, char *buf, int size)
{
	size_t key = key_length(p->text);
	char *value = p->text + key;
	if (!*value || p->text[0] == '[' || key + 3 > (size_t)size ||
	    key >= sizeof p->long_key)
		return -1;
	while (key && strchr(" \t", p->text[key - 1]))
		key--;
	if (!key)
		return -1;
	memcpy(p->long_key, p->text, key);
	p->long_key[key] = '\0';
	strcpy(buf, "key =\n");
	value += 1 + strspn(value + 1, " \t");
	char *end = value + strlen(value);
	while (end > value && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	p->long_value = value;
	return 0;
}

static const char *check_line(struct parse *p)
{
	cut_comment(p->text);
	size_t in = strspn(p->text, " \t");
	if (in && p->text[in] && !strchr(";#\r\n", p->text[in]))
		return "indented line";
	const char *close = p->text[0] == '[' ? strchr(p->text, ']') : NULL;
	if (p->text[0] == '[' && !close)
		return "a ']' is missing: a section is written [NAME]";
	if (close && close[1 + strspn(close + 1, " \t\r\n")])
		return "text behind the ']' of a section";
	return note_section(p) < 0 ? out_of_memory : NULL;
}

static char *next_line(char *buf, int size, void *stream)
{
	struct parse *p = stream;
	const char *why = NULL;
	if (p->why[0])
		return NULL;
	size_t n = read_line(p, &why);
	if (n == 0 && !why)
		return NULL;
	p->line++;
	p->long_value = NULL;
	const char *head = p->line == 1 && n ? check_head(p, n) : NULL;
	if (head)
		why = head;
	if (!why)
		why = check_line(p);
	if (!why && strlen(p->text) < (size_t)size && !has_colon(p))
		return strcpy(buf, p->text);
	if (!why && split_long(p, buf, size) == 0)
		return buf;
	snprintf(p->why, sizeof p->why, "%s", why ? why : "not 'key = value'");
	return NULL;
}

static struct ini_item *find(const struct ini *c, const char *section,
			     const char *prefix, const char *key)
{
	uint64_t hash = hash_of(section, prefix, key);
	size_t n = strlen(prefix);
	for (size_t i = 0; i < c->n; i++) {
		struct ini_item *t = &c->item[i];
		if (t->hash == hash && !strcmp(t->section, section) &&
		    !strncmp(t->key, prefix, n) && !strcmp(t->key + n, key))
			return t;
	}
	return NULL;
}

static int on_item(void *user, const char *section, const char *key,
		   const char *value)
{
	struct parse *p = user;
	struct ini *c = p->c;
	if (p->why[0])
		return 0;
	if (p->long_value) {
		key = p->long_key;
		value = p->long_value;
	}
	if (!*key) {
		snprintf(p->why, sizeof p->why,
			 "nothing before the '=': a line is key = value");
		return 0;
	}
	if (strlen(section) >= 49) { /* inih keeps 49 bytes */
		snprintf(p->why, sizeof p->why,
			 "section name of more than 48 characters");
		return 0;
	}
	if (c->n == MOST_KEYS) {
		snprintf(p->why, sizeof p->why, "more than %d keys", MOST_KEYS);
		return 0;
	}
	const struct ini_item *before = find(c, section, "", key);
	if (before) {
		snprintf(p->why, sizeof p->why,
			 "%s%s%s%.60s given twice, first at %.300s",
			 *section ? "[" : "", section, *section ? "] " : "",
			 key, before->at);
		return 0;
	}
	char *at;
	if (asprintf(&at, "%s:%d", c->path, p->line) >= 0 &&
	    append(&c->item, &c->n, section, key, value ? value : "", at) == 0)
		return 1;
	strcpy(p->why, out_of_memory);
	return 0;
}

/* Parses an INI from f and closes f; NULL: it could not be opened. */
static int parse(struct ini *c, FILE *f, const char *what,
		 struct problem *problem)
{
	struct parse p = {.c = c, .f = f};
	*c = (struct ini){.path = f ? strdup(what) : NULL};
	if (!f)
		return -1;
	if (!c->path) {
		fclose(f);
		return problem_no_memory(problem);
	}
	int rc = ini_parse_stream(next_line, &p, on_item, &p);
	int error = ferror(f) ? errno : 0;
	fclose(f);
	free(p.text);
	if (rc == 0 && !p.why[0] && !error)
		return 0;
	if (error)
		problem_of_file(problem, what, error);
	else
		problem_set(problem, EXIT_USAGE, "%s:%d: %s", what,
			    p.why[0] ? p.line : rc,
			    p.why[0] ? p.why : "not 'key = value'");
	ini_free(c);
	return -1;
}

int ini_load(struct ini *c, const char *path, struct problem *p)
{
	return parse(c, infile_open_short(path, LONGEST_MIB, p), path, p);
}

int ini_read(struct ini *c, const char *text, size_t len, struct problem *p)
{
	/* fmemopen() refuses size 0. */
	FILE *f = len ? fmemopen((void *)(uintptr_t)text, len, "r")
		      : fmemopen((void *)(uintptr_t) "\n", 1, "r");
	if (!f)
		problem_no_memory(p);
	return parse(c, f, "<text>", p);
}

int ini_put(struct ini *c, const char *section, const char *key,
	    const char *value, const char *at, struct problem *p)
{
	struct ini_item *there = find(c, section, "", key);
	char *at_copy = strdup(at);
	if (there) {
		char *copy = strdup(value);
		if (copy && at_copy) {
			free(there->value), free(there->at);
			there->value = copy;
			there->at = at_copy;
			return 0;
		}
		free(copy), free(at_copy);
	} else if (append(&c->item, &c->n, section, key, value, at_copy) == 0) {
		return 0;
	}
	return problem_no_memory(p);
}

void ini_drop(struct ini *c, const char *section, const char *key)
{
	struct ini_item *there = find(c, section, "", key);
	if (!there)
		return;
	item_free(there);
	c->n--;
	memmove(there, there + 1,
		(size_t)(c->item + c->n - there) * sizeof *there);
}

int ini_override(struct ini *c, const char *assignment, struct problem *p)
{
	const char *equals = strchr(assignment, '=');
	const char *dot =
	    equals ? memrchr(assignment, '.', (size_t)(equals - assignment))
		   : NULL;
	if (!dot || dot == assignment || dot + 1 == equals)
		return problem_set(p, EXIT_USAGE,
				   "--set %s: not section.key=value, as in "
				   "engine.max_num_seqs=64",
				   assignment);
	char *section = strndup(assignment, (size_t)(dot - assignment));
	char *key = strndup(dot + 1, (size_t)(equals - dot - 1));
	int rc = section && key
		     ? ini_put(c, section, key, equals + 1, "--set", p)
		     : problem_no_memory(p);
	free(section), free(key);
	return rc;
}

const struct ini_item *ini_find(const struct ini *c, const char *section,
				const char *key)
{
	return find(c, section, "", key);
}

const struct ini_item *ini_find_behind(const struct ini *c, const char *section,
				       const char *prefix, const char *key)
{
	return find(c, section, prefix, key);
}

const char *ini_get(const struct ini *c, const char *section, const char *key)
{
	const struct ini_item *t = find(c, section, "", key);
	return t ? t->value : NULL;
}

int ini_by_option(const struct ini_item *t)
{
	return t && !strncmp(t->at, "--", 2);
}

int ini_is_made(const struct ini_item *t)
{
	return ini_by_option(t) && strcmp(t->at, "--set") != 0;
}

const char *ini_section_at(const struct ini *c, const char *section)
{
	for (size_t i = 0; i < c->n_heads; i++)
		if (!strcmp(c->head[i].section, section))
			return c->head[i].at;
	return c->path;
}

char *ini_resolve_path(const struct ini *c, const char *path)
{
	const char *of = c->path ? c->path : "", *slash = strrchr(of, '/');
	int n = path[0] == '/' || !slash ? 0 : (int)(slash - of + 1);
	char *resolved;
	if (asprintf(&resolved, "%.*s%s", n, of, path) < 0)
		return NULL;
	return resolved;
}

char *ini_resolve_key(const struct ini *c, const char *section, const char *key,
		      const char *path)
{
	return ini_by_option(ini_find(c, section, key))
		   ? strdup(path)
		   : ini_resolve_path(c, path);
}

/* ---- writing ---- */

/* Returns 1 if no earlier key is of that section. */
static int begins_section(const struct ini *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(c->item[k].section, c->item[i].section))
			return 0;
	return 1;
}

/* Returns 1 if a line "key = value" is read back as that value. */
static int is_writable(const char *s)
{
	if (strchr(";# \t", *s) && *s)
		return 0;
	for (const char *at = s; *at; at++)
		if ((unsigned char)*at < ' ' ||
		    (strchr(" \t", *at) && (at[1] == ';' || !at[1])))
			return 0;
	return 1;
}

/* Returns the absolute form of the path in a value, NULL: it names no file.  A
 * path has a dot or a slash in it, so that names of plugins and sets are none,
 * except in the key that is called path. */
static char *absolute_of(const struct ini *c, const struct ini_item *t,
			 const char *path)
{
	if (path[0] == '/' || !*path ||
	    (!path[strcspn(path, "./")] && strcmp(t->key, "path") != 0))
		return NULL;
	char *there =
	    ini_by_option(t) ? strdup(path) : ini_resolve_path(c, path);
	char *absolute = there ? realpath(there, NULL) : NULL;
	free(there);
	return absolute;
}

static int write_item(const struct ini *c, const struct ini_item *t, FILE *f,
		      struct problem *p)
{
	const char *colon = strchr(t->value, ':'), *path = t->value;
	char *absolute = absolute_of(c, t, path);
	if (!absolute && colon)
		absolute = absolute_of(c, t, path = colon + 1);
	int rc = 0;
	if (!is_writable(absolute ? absolute : t->value))
		rc = problem_set(p, EXIT_USAGE,
				 "%s: %s = %s: a line of an INI cannot hold "
				 "this value",
				 t->at, t->key, t->value);
	else
		fprintf(f, "%s = %.*s%s\n", t->key,
			absolute ? (int)(path - t->value) : 0, t->value,
			absolute ? absolute : t->value);
	free(absolute);
	return rc;
}

int ini_write(const struct ini *c, FILE *f, struct problem *p)
{
	for (size_t i = 0; i < c->n; i++) {
		const char *section = c->item[i].section;
		if (!begins_section(c, i))
			continue;
		fprintf(f, "[%s]\n", section);
		for (size_t k = i; k < c->n; k++)
			if (!strcmp(c->item[k].section, section) &&
			    write_item(c, &c->item[k], f, p) < 0)
				return -1;
	}
	return 0;
}

void ini_free(struct ini *c)
{
	for (size_t i = 0; i < c->n; i++)
		item_free(&c->item[i]);
	for (size_t i = 0; i < c->n_heads; i++)
		item_free(&c->head[i]);
	free(c->item), free(c->head), free(c->path);
	*c = (struct ini){0};
}

const char *ini_comment_hint(const char *value)
{
	return strstr(value, " #") ? "; a comment begins with ';'" : "";
}
