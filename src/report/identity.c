/* identity.c -- Writes the identity of a result. */
#include "report/identity.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/digest.h"
#include "base/file/inputs.h"
#include "base/file/path.h"
#include "base/json/canonical.h"
#include "base/json/json_writer.h"
#include "base/text.h"
#include "draw/html.h"
#include "keys/datafile.h"
#include "plugin/digest.h"
#include "stepcost/plugin.h"

static const char *const left_out[] = {"identity", "provenance", "elapsed",
				       NULL};

/* A file that was read. */
struct read_file {
	const char *path;
	char sha256[DIGEST]; /* "": it is gone */
};
struct reads {
	struct read_file *file;
	size_t n;
};

static int read_files(struct reads *r)
{
	struct input *in = inputs_list(INPUT_FILE, &r->n);
	r->file = calloc(r->n + 1, sizeof *r->file);
	for (size_t i = 0; r->file && i < r->n; i++) {
		r->file[i].path = in[i].text[0];
		if (!digest_file(in[i].text[0], r->file[i].sha256))
			r->file[i].sha256[0] = '\0';
	}
	free(in);
	return r->file ? 0 : -1;
}

/* ---- values that name files ---- */

/* Returns 1 if a text of n bytes, as a configuration has it, is that path: the
 * configuration's is relative to its own folder. */
static int names_path(const char *s, size_t n, const char *path)
{
	size_t len = strlen(path);
	if (n == 0 || n > len || strncmp(path + len - n, s, n) != 0)
		return 0;
	return n == len || (path[len - n - 1] == '/' && memchr(s, '.', n));
}

static const struct read_file *named_by(const struct reads *r, const char *s,
					size_t n)
{
	for (size_t i = 0; i < r->n; i++)
		if (names_path(s, n, r->file[i].path))
			return &r->file[i];
	return NULL;
}

/* The value may have a word before the path: "empirical:lengths.csv". */
static size_t behind_prefix(const char *s, size_t n)
{
	const char *colon = memchr(s, ':', n);
	return colon ? (size_t)(colon - s) + 1 : 0;
}

/* Returns the file with the longest path at s, a part of n bytes. */
static const struct read_file *path_at(const struct reads *r, const char *s,
				       size_t n)
{
	const struct read_file *best = NULL;
	for (size_t i = 0; i < r->n; i++) {
		size_t len = strlen(r->file[i].path);
		if (len <= n && strchr(r->file[i].path, '/') &&
		    !memcmp(r->file[i].path, s, len) &&
		    (!best || len > strlen(best->path)))
			best = &r->file[i];
	}
	return best;
}

/* A sentence that has paths in it ("FILE: measured in fp8"). */
static char *without_paths(const struct reads *r, struct span s)
{
	size_t n_found = 0;
	struct text t = {0};
	FILE *f = memchr(s.s, '/', s.n) ? text_begin(&t) : NULL;
	for (size_t i = 0; f && i < s.n;) {
		const struct read_file *at = i == 0 || s.s[i - 1] == ' '
						 ? path_at(r, s.s + i, s.n - i)
						 : NULL;
		if (at)
			fprintf(f, "sha256:%s", at->sha256);
		else
			putc(s.s[i], f);
		i += at ? strlen(at->path) : 1;
		n_found += at != NULL;
	}
	if (!f || (fclose(f) == 0 && n_found))
		return t.s;
	free(t.s);
	return NULL;
}

static char *stands_for(void *user, struct span s)
{
	const struct reads *r = user;
	const struct read_file *f = named_by(r, s.s, s.n);
	size_t skip = f ? 0 : behind_prefix(s.s, s.n);
	char *text;
	if (skip)
		f = named_by(r, s.s + skip, s.n - skip);
	if (!f)
		return without_paths(r, s);
	return asprintf(&text, "%.*ssha256:%s", (int)skip, s.s, f->sha256) < 0
		   ? NULL
		   : text;
}

/* ---- which key led to a file ---- */

/* Returns 1 if the value is the path, or the name of the data file. */
static int is_value_of(const char *value, const char *path)
{
	size_t n = strlen(value), skip = behind_prefix(value, n);
	int is = names_path(value, n, path) ||
		 (skip && names_path(value + skip, n - skip, path));
	if (is || !strstr(path, "etc/") || !path_ends_in(path, ".ini"))
		return is;
	char *name = datafile_name(path);
	is = name && !strcmp(name, value);
	free(name);
	return is;
}

/* Writes "section.key" of the value that names the path.  Returns 1 if there is
 * one. */
static int find_key(json_t *at, const char *where, const char *path,
		    char key[200])
{
	const char *name;
	json_t *value;
	char below[200];
	json_object_foreach(at, name, value)
	{
		snprintf(below, sizeof below, "%s%s%s", where,
			 *where ? "." : "", name);
		if (json_is_string(value) && strcmp(name, "name") &&
		    is_value_of(json_string_value(value), path)) {
			memcpy(key, below, sizeof below);
			return 1;
		}
		if (find_key(value, below, path, key))
			return 1;
	}
	return 0;
}

static int find_option(const char *path, char key[200])
{
	size_t n;
	struct input *in = inputs_list(INPUT_OPTION, &n);
	int found = 0;
	for (size_t i = 0; !found && i < n; i++) {
		found = !strcmp(in[i].text[1], path);
		if (found)
			snprintf(key, 200, "%s", in[i].text[0]);
	}
	free(in);
	return found;
}

/* Returns 1 if the path is in the folder of a set. */
static int is_of_tables(const char *path)
{
	size_t n;
	struct input *in = inputs_list(INPUT_TABLES, &n);
	int is = 0;
	for (size_t i = 0; !is && i < n; i++) {
		size_t len = strlen(in[i].text[1]);
		is = !strncmp(path, in[i].text[1], len) && path[len] == '/';
	}
	free(in);
	return is;
}

/* Finds the option or the key of the INI that named a file. */
static void key_of(const char *path, json_t *configuration, char key[200])
{
	static const struct {
		const char *part, *key;
	} known[] = {{"/etc/models/", "model.config"},
		     {"/etc/hardware/", "hardware.config"},
		     {"/MANIFEST", "tables"}};
	const char *name = path_name(path);
	if (find_option(path, key) || find_key(configuration, "", path, key))
		return;
	if (is_of_tables(path)) {
		snprintf(key, 200, "tables");
		return;
	}
	snprintf(key, 200, "%s", strstr(name, ".so") ? "plugin" : name);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strstr(path, known[i].part))
			snprintf(key, 200, "%s", known[i].key);
}

/* ---- the members ---- */

static void write_program(struct jw *j)
{
	size_t n;
	struct input *in = inputs_list(INPUT_PROGRAM, &n);
	char abi[40];
	snprintf(abi, sizeof abi, "%u.%u", SC_ABI_MAJOR, SC_ABI_MINOR);
	jw_flat_object(j, "stepcost");
	jw_text(j, "version", PACKAGE_VERSION);
	jw_text(j, "commit", n && *in->text[1] ? in->text[1] : NULL);
	jw_bool(j, "dirty", n && !strcmp(in->text[2], "1"));
	jw_text(j, "abi", abi);
	jw_end(j);
	free(in);
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

/* Arms of several configurations may share a name; those after the first get
 * a number behind it. */
static void write_arms(struct jw *j)
{
	size_t n, same = 0;
	struct input *in = inputs_list(INPUT_ARM, &n);
	char hex[DIGEST], name[300];
	jw_object(j, "arms");
	for (size_t i = 0; i < n; i++) {
		const char *const *t = in[i].text;
		same = i && !strcmp(t[ARM_NAME], in[i - 1].text[ARM_NAME])
			   ? same + 1
			   : 0;
		snprintf(name, sizeof name, same ? "%s (%zu)" : "%s",
			 t[ARM_NAME], same + 1);
		jw_flat_object(j, name);
		jw_text(j, "plugin", t[ARM_PLUGIN]);
		jw_text(j, "id", or_null(t[ARM_ID]));
		jw_text(j, "version", t[ARM_VERSION]);
		jw_text(j, "licence", or_null(t[ARM_LICENCE]));
		jw_text(j, "citation", or_null(t[ARM_CITATION]));
		jw_text(j, "file_sha256",
			plugin_digest(t[ARM_FILE], *t[ARM_DOES_IO] != 0, hex));
		jw_text(j, "data_sha256", plugin_data_digest(t[ARM_FILE], hex));
		jw_end(j);
	}
	jw_end(j);
	free(in);
}

static void write_tables(struct jw *j)
{
	size_t n;
	struct input *in = inputs_list(INPUT_TABLES, &n);
	char hex[DIGEST];
	jw_object(j, "tables");
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(in[i].text[0], in[i - 1].text[0]) != 0)
			jw_text(j, in[i].text[0],
				digest_folder(in[i].text[1], hex));
	jw_end(j);
	free(in);
}

static void write_inputs(struct jw *j, const struct reads *r,
			 struct span configuration)
{
	json_t *c = configuration.s
			? json_loadb(configuration.s, configuration.n, 0, NULL)
			: NULL;
	char key[200];
	jw_array(j, "inputs");
	for (size_t i = 0; i < r->n; i++) {
		key_of(r->file[i].path, c, key);
		jw_flat_object(j, NULL);
		jw_text(j, "key", key);
		jw_text(j, "path", r->file[i].path);
		jw_text(j, "sha256", or_null(r->file[i].sha256));
		jw_end(j);
	}
	jw_end(j);
	if (inputs_lost())
		jw_uint(j, "inputs_not_listed", inputs_lost());
	json_decref(c);
}

static void write_outputs(struct jw *j)
{
	size_t n;
	struct input *in = inputs_list(INPUT_OUTPUT, &n);
	char hex[DIGEST];
	jw_array(j, "outputs");
	for (size_t i = 0; i < n; i++) {
		jw_flat_object(j, NULL);
		jw_text(j, "path", in[i].text[0]);
		jw_text(j, "sha256", digest_file(in[i].text[0], hex));
		jw_end(j);
	}
	jw_end(j);
	free(in);
}

static void write_digest(struct jw *j, const char *key, struct span json,
			 struct reads *r)
{
	const struct canonical how = {left_out, stands_for, r};
	char hex[DIGEST];
	int ok = json.s && canonical_digest(hex, json, &how) == 0;
	jw_text(j, key, ok ? hex : NULL);
}

/* key: NULL for an object of its own. */
static void write_identity(struct jw *j, const char *key, struct span document,
			   struct reads *r)
{
	struct span configuration = canonical_member(document, "configuration");
	struct span hash = canonical_member(document, "requests_hash");
	jw_object(j, key);
	write_program(j);
	write_arms(j);
	write_tables(j);
	write_inputs(j, r, configuration);
	write_outputs(j);
	write_digest(j, "configuration_sha256", configuration, r);
	char *requests = hash.s ? strndup(hash.s, hash.n) : NULL;
	jw_literal(j, "requests_hash", requests ? requests : "null");
	free(requests);
	write_digest(j, "results_sha256", document, r);
	jw_end(j);
}

int identity_finish(FILE *to, const char *text, size_t n)
{
	struct reads r = {0};
	struct jw j;
	size_t end = n;
	while (end && text[end - 1] == '\n')
		end--;
	if (!end || text[0] != '{' || text[end - 1] != '}')
		return fwrite(text, 1, n, to) == n ? 0 : -1;
	if (read_files(&r) < 0)
		return -1;
	size_t last = end - 1; /* of the last member */
	while (last && (text[last - 1] == '\n' || text[last - 1] == ' '))
		last--;
	fwrite(text, 1, last, to);
	jw_continue(&j, to);
	write_identity(&j, "identity", (struct span){text, end}, &r);
	jw_finish(&j);
	free(r.file);
	return ferror(to) ? -1 : 0;
}

char *identity_text(void)
{
	struct reads r = {0};
	struct jw j;
	struct text t = {0};
	FILE *f = read_files(&r) == 0 ? text_begin(&t) : NULL;
	if (f) {
		jw_start(&j, f);
		write_identity(&j, NULL, (struct span){0}, &r);
		jw_finish(&j);
	}
	free(r.file);
	return text_end(&t);
}

/* ---- the foot of a page ---- */

static void foot_fact(FILE *f, const char *name, const char *what,
		      const char *sha256)
{
	char text[400];
	snprintf(text, sizeof text, "%s%s%s", what, *what ? ", " : "",
		 sha256 ? sha256 : "not read");
	html_fact(f, name, text);
}

static void foot_arms(FILE *f)
{
	size_t n;
	struct input *in = inputs_list(INPUT_ARM, &n);
	char what[200], hex[DIGEST];
	for (size_t i = 0; i < n; i++) {
		const char *const *t = in[i].text;
		snprintf(what, sizeof what, "%s %s", t[ARM_PLUGIN],
			 t[ARM_VERSION]);
		foot_fact(
		    f, t[ARM_NAME], what,
		    plugin_digest(t[ARM_FILE], *t[ARM_DOES_IO] != 0, hex));
	}
	free(in);
}

static void foot_files(FILE *f, enum input_kind kind)
{
	size_t n;
	struct input *in = inputs_list(kind, &n);
	char hex[DIGEST];
	for (size_t i = 0; i < n; i++) {
		const char *path = in[i].text[kind == INPUT_TABLES];
		const char *slash = strrchr(path, '/');
		foot_fact(f, slash ? slash + 1 : path, "",
			  kind == INPUT_TABLES ? digest_folder(path, hex)
					       : digest_file(path, hex));
	}
	free(in);
}

void identity_foot(FILE *f)
{
	size_t n;
	struct input *in = inputs_list(INPUT_PROGRAM, &n);
	html_fold_begin(f, "Program, plugins and files of this page (SHA-256)",
			0);
	html_facts_begin(f);
	if (n)
		foot_fact(f, "stepcost", PACKAGE_VERSION,
			  *in->text[1] ? in->text[1] : "commit not known");
	free(in);
	foot_arms(f);
	foot_files(f, INPUT_TABLES);
	foot_files(f, INPUT_FILE);
	html_facts_end(f);
	html_fold_end(f);
}
