/* contents.c -- Packs what a run has read, so that it can be repeated. */
#include "cmd/bundle/contents.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file/digest.h"
#include "base/file/infile.h"
#include "base/file/inputs.h"
#include "base/file/path.h"
#include "base/file/place.h"
#include "base/grow.h"
#include "base/json/json_writer.h"
#include "base/text.h"
#include "keys/datafile.h"
#include "plugin/loader.h"

enum { LONGEST_MIB = 4096 };

/* ---- which commands ---- */

int bundle_allows(const struct cmdline *c, struct problem *p)
{
	static const char *const repeats[] = {"run",   "compare",  "eval",
					      "score", "fit",      "experiment",
					      "sweep", "capacity", "recommend"};
	static const char *const never[] = {"--make", "--watch", "--slurm"};
	struct names word = {0};
	int found = 0, rc = 0;
	for (size_t i = 0; i < sizeof repeats / sizeof *repeats; i++)
		found |= !strcmp(c->command->name, repeats[i]);
	if (!found)
		return problem_set(p, EXIT_USAGE,
				   "%s: a bundle repeats run, compare, eval, "
				   "score, fit, experiment, sweep, capacity or "
				   "recommend",
				   c->command->name);
	if (c->output || c->format == FORMAT_TEXT || c->format == FORMAT_CSV)
		return problem_set(p, EXIT_USAGE,
				   "%s: a bundle keeps the JSON document "
				   "itself; leave --output and other formats "
				   "out",
				   c->command->name);
	if (cmdline_figure_words(c, &word) < 0)
		rc = problem_no_memory(p);
	for (size_t i = 0; rc == 0 && i < word.n; i++)
		for (size_t k = 0; k < sizeof never / sizeof *never; k++)
			if (!strncmp(word.item[i], never[k], strlen(never[k])))
				rc = problem_set(
				    p, EXIT_USAGE,
				    "%s: a bundle repeats a result, "
				    "and starts nothing else",
				    never[k]);
	names_free(&word);
	return rc;
}

/* ---- places ---- */

struct packing {
	struct bundle *b;
	struct names read;          /* places of all files, as they lie here */
	struct names data, plugins; /* places of the folders */
	char *cwd, *work;
	struct problem *p;
};

static int add_place(struct names *to, const char *path)
{
	char *place = place_of(path);
	int rc = place ? names_add_new(to, place) : -1;
	free(place);
	return rc;
}

static int add_places(struct names *to, const struct searchpath *folders)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < folders->folder.n; i++)
		rc = add_place(to, folders->folder.item[i]);
	return rc;
}

/* Data that a user keeps beside his own files is no data folder. */
static int is_data(const char *below)
{
	return !strncmp(below, "etc/", 4) || !strncmp(below, "bench_data/", 11);
}

/* Returns "data/0/REST" for a place below one of the folders; NULL. */
static char *name_below(const struct names *folders, const char *what,
			int only_data, const char *place)
{
	char *name;
	for (size_t i = 0; i < folders->n; i++) {
		const char *below = place_below(folders->item[i], place);
		if (below && (!only_data || is_data(below)) &&
		    asprintf(&name, "%s/%zu/%s", what, i, below) >= 0)
			return name;
	}
	return NULL;
}

/* Returns the name of a place in the archive. */
static char *member_of(const struct packing *k, const char *place)
{
	char *name = name_below(&k->plugins, "plugins", 0, place);
	if (!name)
		name = name_below(&k->data, "data", 1, place);
	if (name)
		return name;
	const char *below = place_below(k->work, place);
	return asprintf(&name, "work%s%s", below ? "/" : "",
			below ? below : "") < 0
		   ? NULL
		   : name;
}

/* Returns 1 for a file of the user: neither a plugin nor shipped data. */
static int is_of_user(const struct packing *k, const char *place)
{
	char *name = name_below(&k->plugins, "plugins", 0, place);
	if (!name)
		name = name_below(&k->data, "data", 1, place);
	free(name);
	return !name;
}

/* The deepest folder above the working directory and all of the user's
 * files. */
static int find_work(struct packing *k)
{
	k->work = strdup(k->cwd);
	for (size_t i = 0; k->work && i < k->read.n; i++)
		while (is_of_user(k, k->read.item[i]) &&
		       !place_below(k->work, k->read.item[i])) {
			char *slash = strrchr(k->work, '/');
			slash[slash == k->work] = '\0';
		}
	return k->work ? 0 : -1;
}

/* ---- the list of files ---- */

static int add_folder(struct packing *k, const char *folder, int is_plugin)
{
	struct names files = {0};
	int rc = 0;
	/* A set in the layout of InferSim has no folder. */
	digest_list(&files, folder);
	for (size_t i = 0; rc == 0 && i < files.n; i++) {
		const char *name = files.item[i];
		char *path;
		if (is_plugin &&
		    (path_ends_in(name, ".o") || path_ends_in(name, ".lo")))
			continue;
		if (asprintf(&path, "%s/%s", folder, name) < 0)
			rc = -1;
		else
			rc = add_place(&k->read, path), free(path);
	}
	names_free(&files);
	return rc;
}

static int list_files(struct packing *k)
{
	size_t n;
	struct input *in = inputs_list(INPUT_FILE, &n);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add_place(&k->read, in[i].text[0]);
	free(in);
	/* An arm without tables has its set looked for, too. */
	for (int found = 0; rc == 0 && found < 2; found++) {
		in = inputs_list(found ? INPUT_FOUND : INPUT_TABLES, &n);
		for (size_t i = 0; rc == 0 && i < n; i++)
			rc = add_folder(k, in[i].text[1], 0);
		free(in);
	}
	in = inputs_list(INPUT_ARM, &n);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		char *folder = plugin_folder(in[i].text[ARM_FILE]);
		rc = folder ? add_folder(k, folder, 1) : 0;
		free(folder);
	}
	free(in);
	return rc;
}

/* ---- members ---- */

/* Adds a text that the bundle owns from here on. */
static int add_text(struct packing *k, const char *name, char *text, size_t n)
{
	struct bundle *b = k->b;
	if (!text || !MAKE_ROOM(b->text, b->n_texts, b->cap_texts)) {
		free(text);
		return problem_no_memory(k->p);
	}
	b->text[b->n_texts++] = text;
	return archive_add(&b->archive, name, text, n, k->p);
}

/* Returns 1 if the place is a file of the bundle, or a folder with one. */
static int is_packed(const struct packing *k, const char *place)
{
	for (size_t i = 0; i < k->read.n; i++)
		if (!strcmp(k->read.item[i], place) ||
		    place_below(place, k->read.item[i]))
			return 1;
	return 0;
}

/* Returns the path of a packed place as a file in `folder`, a folder of the
 * archive, writes it; NULL: it is not packed, or memory is out. */
static char *path_in_bundle(const struct packing *k, const char *folder,
			    const char *path)
{
	char *place = place_of(path), *from = NULL, *to = NULL, *out = NULL;
	char *name = place && is_packed(k, place) ? member_of(k, place) : NULL;
	if (name && asprintf(&from, "/%s", folder) >= 0 &&
	    asprintf(&to, "/%s", name) >= 0)
		out = place_from(from, to);
	free(place), free(name), free(from), free(to);
	return out;
}

/* Writes a line of an INI; a value that is an absolute path, or one behind
 * "empirical:", leads to the same file in the archive. */
static void write_line(const struct packing *k, FILE *f, const char *folder,
		       const char *line, size_t n)
{
	const char *equals = memchr(line, '=', n), *end = line + n;
	const char *at = equals ? equals + 1 : end;
	while (at < end && (*at != '/' || !strchr(" \t=:", at[-1])))
		at++;
	size_t len = 0;
	while (at + len < end && !strchr(" \t\r,;", at[len]))
		len++;
	char *path = len ? strndup(at, len) : NULL;
	char *other = path && *line != ';' && *line != '#'
			  ? path_in_bundle(k, folder, path)
			  : NULL;
	if (other)
		fprintf(f, "%.*s%s%.*s", (int)(at - line), line, other,
			(int)(end - at - (long)len), at + len);
	else
		fwrite(line, 1, n, f);
	free(path), free(other);
}

/* Replaces the text of an INI of the user's. */
static char *with_paths(const struct packing *k, const char *name, char *text,
			size_t *n)
{
	const char *slash = strrchr(name, '/');
	char *folder = strndup(name, (size_t)(slash - name));
	struct text t = {0};
	FILE *f = folder ? text_begin(&t) : NULL;
	for (const char *s = text; f && s < text + *n;) {
		size_t len = strcspn(s, "\n");
		write_line(k, f, folder, s, len);
		s += len;
		if (*s == '\n')
			putc(*s++, f);
		else if (s < text + *n)
			putc(*s++, f);
	}
	free(folder), free(text);
	char *out = text_end(&t);
	*n = t.n;
	return out;
}

static int add_file(struct packing *k, const char *place)
{
	size_t n = 0;
	char *text = infile_read(place, LONGEST_MIB, &n, k->p);
	char *name = text ? member_of(k, place) : NULL;
	if (!text)
		return -1;
	if (name && path_ends_in(name, ".ini") && !strncmp(name, "work/", 5))
		text = with_paths(k, name, text, &n);
	int rc;
	if (name) {
		rc = add_text(k, name, text, n);
	} else {
		free(text);
		rc = problem_no_memory(k->p);
	}
	free(name);
	return rc;
}

/* ---- the resolved INI ---- */

static void ini_value(FILE *f, const char *key, const json_t *v)
{
	char *text = json_is_string(v) ? strdup(json_string_value(v))
				       : json_dumps(v, JSON_ENCODE_ANY);
	if (!json_is_object(v) && !json_is_array(v) && !json_is_null(v))
		fprintf(f, "%s = %s\n", key, text ? text : "");
	free(text);
}

static void ini_section(FILE *f, const char *name, const json_t *o)
{
	const char *key;
	json_t *v;
	fprintf(f, "[%s]\n", name);
	json_object_foreach((json_t *)(size_t)o, key, v) ini_value(f, key, v);
}

static void ini_arm(FILE *f, const json_t *arm)
{
	const json_t *is = json_object_get(arm, "cost_model");
	const char *name = json_string_value(json_object_get(arm, "name"));
	char section[300];
	snprintf(section, sizeof section, "cost_model:%s", name ? name : "");
	if (!is)
		return;
	ini_section(f, section, json_object_get(is, "knobs"));
	ini_value(f, "plugin", json_object_get(is, "plugin"));
}

/* Every key with its value, as the result has them; for people. */
static char *resolved(const json_t *result, size_t *n)
{
	const char *key;
	json_t *v;
	size_t i;
	char *text = NULL;
	FILE *f = text_open(&text, n);
	if (!f)
		return NULL;
	fputs("; Every key as it was resolved; bundle.json has the command.\n",
	      f);
	json_object_foreach(json_object_get(result, "configuration"), key, v)
	{
		if (json_is_object(v))
			ini_section(f, key, v);
	}
	json_array_foreach(json_object_get(result, "arms"), i, v) ini_arm(f, v);
	fclose(f);
	return text;
}

/* ---- the head ---- */

/* Writes a word with its paths as they are in the archive: the whole word, or
 * the part behind its last '='. */
static void write_word(const struct packing *k, struct jw *j,
		       const char *folder, const char *word)
{
	const char *equals = strrchr(word, '='), *path = word;
	if (equals && equals[1])
		path = equals + 1;
	char *other =
	    access(path, F_OK) == 0 ? path_in_bundle(k, folder, path) : NULL;
	char *full = NULL;
	if (other && asprintf(&full, "%.*s%s%s", (int)(path - word), word,
			      *other == '.' || strchr(other, '/') ? "" : "./",
			      other) < 0)
		full = NULL;
	jw_text(j, NULL, full ? full : word);
	free(other), free(full);
}

static void write_words(const struct packing *k, struct jw *j,
			const char *folder, const struct cmdline *c)
{
	struct names word = {0};
	jw_array(j, "command");
	for (const char *s = c->command->name; *s;) {
		char part[40];
		size_t n = strcspn(s, " ");
		snprintf(part, sizeof part, "%.*s", (int)n, s);
		jw_text(j, NULL, part);
		s += n + (s[n] == ' ');
	}
	for (int i = 0; i < c->n_args; i++)
		write_word(k, j, folder, c->arg[i]);
	if (cmdline_figure_words(c, &word) == 0)
		for (size_t i = 0; i < word.n; i++)
			write_word(k, j, folder, word.item[i]);
	names_free(&word);
	jw_end(j);
}

static void write_digests(const struct packing *k, struct jw *j)
{
	const struct archive *a = &k->b->archive;
	char hex[DIGEST];
	jw_object(j, "members");
	for (size_t i = 0; i < a->n; i++) {
		digest_bytes(a->item[i].bytes, a->item[i].n, hex);
		jw_text(j, a->item[i].name, hex);
	}
	jw_end(j);
}

static const char *in_identity(const json_t *result, const char *object,
			       const char *key)
{
	const json_t *i = json_object_get(result, "identity");
	if (object)
		i = json_object_get(i, object);
	return json_string_value(json_object_get(i, key));
}

static int add_head(struct packing *k, const struct cmdline *c,
		    const json_t *result)
{
	char *folder = member_of(k, k->cwd);
	struct text t = {0};
	FILE *f = folder ? text_begin(&t) : NULL;
	if (f) {
		struct jw j = jw_document(f);
		jw_int(&j, "bundle", 1);
		jw_text(&j, "stepcost", PACKAGE_VERSION);
		jw_text(&j, "commit",
			in_identity(result, "stepcost", "commit"));
		write_words(k, &j, folder, c);
		jw_text(&j, "folder", folder);
		jw_text(&j, "results_sha256",
			in_identity(result, NULL, "results_sha256"));
		write_digests(k, &j);
		jw_finish(&j);
	}
	free(folder);
	char *head = text_end(&t);
	return add_text(k, BUNDLE_HEAD, head, t.n);
}

/* ---- the whole ---- */

static int by_bytes(const void *a, const void *b)
{
	return strcmp(((const struct archive_member *)a)->name,
		      ((const struct archive_member *)b)->name);
}

static int find_places(struct packing *k)
{
	struct searchpath data = {0}, plugins = {0};
	int rc = datafile_folders(&data, "");
	if (rc == 0)
		rc = plugin_folders(&plugins, plugin_path());
	if (rc == 0)
		rc = add_places(&k->data, &data);
	if (rc == 0)
		rc = add_places(&k->plugins, &plugins);
	k->cwd = place_of(".");
	if (rc == 0)
		rc = k->cwd ? list_files(k) : -1;
	searchpath_free(&data), searchpath_free(&plugins);
	return rc < 0 || find_work(k) < 0 ? problem_no_memory(k->p) : 0;
}

/* Puts into the archive all files that the command read, its result, and its
 * resolved configuration. */
static int pack(struct packing *k, const struct cmdline *c, const char *text,
		const json_t *result)
{
	size_t n = 0;
	int rc = find_places(k);
	for (size_t i = 0; rc == 0 && i < k->read.n; i++)
		rc = add_file(k, k->read.item[i]);
	char *copy = strdup(text);
	if (rc == 0)
		rc = add_text(k, BUNDLE_RESULT, copy, strlen(text));
	else
		free(copy);
	char *ini = rc == 0 ? resolved(result, &n) : NULL;
	if (rc == 0)
		rc = add_text(k, "configuration.ini", ini, n);
	struct archive *a = &k->b->archive;
	if (a->n)
		qsort(a->item, a->n, sizeof *a->item, by_bytes);
	return rc == 0 ? add_head(k, c, result) : -1;
}

int bundle_pack(struct bundle *b, const struct cmdline *made_by,
		const char *result, struct problem *p)
{
	struct packing k = {.b = b, .p = p};
	json_t *doc = json_loads(result, 0, NULL);
	*b = (struct bundle){0};
	int rc = in_identity(doc, NULL, "results_sha256")
		     ? pack(&k, made_by, result, doc)
		     : problem_set(p, EXIT_USAGE,
				   "%s: its result is no JSON document with an "
				   "identity",
				   made_by->command->name);
	json_decref(doc);
	names_free(&k.read), names_free(&k.data), names_free(&k.plugins);
	free(k.cwd), free(k.work);
	return rc;
}

void bundle_free(struct bundle *b)
{
	archive_free(&b->archive);
	for (size_t i = 0; i < b->n_texts; i++)
		free(b->text[i]);
	free(b->text);
	*b = (struct bundle){0};
}

/* ---- reading ---- */

static char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return strdup(s ? s : "");
}

static int take_head(struct bundle_head *h, const json_t *o)
{
	size_t i;
	json_t *v;
	int rc = 0;
	json_array_foreach(json_object_get(o, "command"), i, v)
	{
		const char *word = json_string_value(v);
		rc |= !word || names_add(&h->words, word) < 0;
	}
	h->folder = text_of(o, "folder");
	h->commit = text_of(o, "commit");
	h->results_sha256 = text_of(o, "results_sha256");
	return rc || !h->folder || !h->commit || !h->results_sha256 ? -1 : 0;
}

/* Every member but the head has its digest there. */
static int check_digests(const struct archive *a, const json_t *members,
			 const char *origin, struct problem *p)
{
	char hex[DIGEST];
	for (size_t i = 0; i < a->n; i++) {
		const struct archive_member *m = &a->item[i];
		if (!strcmp(m->name, BUNDLE_HEAD))
			continue;
		const char *want =
		    json_string_value(json_object_get(members, m->name));
		digest_bytes(m->bytes, m->n, hex);
		if (!want || strcmp(want, hex) != 0)
			return problem_set(p, EXIT_INPUT,
					   "%s: %s is not as it was packed: "
					   "its SHA-256 differs",
					   origin, m->name);
	}
	return a->n == json_object_size(members) + 1
		   ? 0
		   : problem_set(p, EXIT_INPUT, "%s: a member is missing",
				 origin);
}

int bundle_head_read(struct bundle_head *h, const struct archive *a,
		     const char *origin, struct problem *p)
{
	*h = (struct bundle_head){0};
	const struct archive_member *m = archive_find(a, BUNDLE_HEAD);
	json_t *o = m ? json_loadb(m->bytes, m->n, 0, NULL) : NULL;
	int is_head = json_integer_value(json_object_get(o, "bundle")) == 1 &&
		      take_head(h, o) == 0 && h->words.n &&
		      archive_find(a, BUNDLE_RESULT) &&
		      !strncmp(h->folder, "work", 4) &&
		      !strstr(h->folder, "..");
	int rc =
	    is_head ? check_digests(a, json_object_get(o, "members"), origin, p)
		    : problem_set(p, EXIT_INPUT, "%s: is no bundle", origin);
	json_decref(o);
	return rc;
}

void bundle_head_free(struct bundle_head *h)
{
	names_free(&h->words);
	free(h->folder), free(h->commit), free(h->results_sha256);
	*h = (struct bundle_head){0};
}
