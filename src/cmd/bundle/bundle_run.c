/* bundle_run.c -- The command `bundle run`: repeats a result from its bundle
 * alone, and compares. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file/digest.h"
#include "base/file/infile.h"
#include "base/file/path.h"
#include "base/file/place.h"
#include "base/file/tempfile.h"
#include "base/json/canonical.h"
#include "base/json/json_writer.h"
#include "base/text.h"
#include "cmd/bundle/contents.h"
#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "cmd/commit.h"
#include "jobs/shell.h"
#include "plugin/loader.h"
#include "report/difference.h"

struct options {
	int build, trust;
};
static const struct option_def option[] = {
    OPTION(FLAG, "build", NULL, build,
	   "build plugins from their src/ first, as on another architecture; "
	   "needs --trust"),
    OPTION(FLAG, "trust", NULL, trust,
	   "run plugins of the bundle that are not installed here"),
};

struct repeating {
	const struct cmdline *c;
	const struct options *o;
	struct archive archive;
	struct bundle_head head;
	char folder[64]; /* of this run; "": none yet */
	struct problem *p;
};

/* ---- what the bundle would run ---- */

/* Adds to *depth how many folders a path leads down.  Returns 1 if it leads
 * above where *depth is 0. */
static int leads_above(const char *path, long *depth)
{
	for (const char *s = path; *s && *depth >= 0; s += *s == '/') {
		size_t n = strcspn(s, "/");
		int is_up = n == 2 && !strncmp(s, "..", 2);
		*depth += is_up ? -1 : n > 0 && !(n == 1 && *s == '.');
		s += n;
	}
	return *depth < 0;
}

/* Returns 1 if the word, a path or KEY=PATH, leads out of the bundle. */
static int leads_out(const struct repeating *r, const char *word)
{
	const char *equals = strrchr(word, '='),
		   *path = equals ? equals + 1 : word;
	long depth = 0;
	return *path == '/' || leads_above(r->head.folder, &depth) ||
	       leads_above(path, &depth) || depth == 0;
}

/* Refuses commands that stepcost would not have put into a bundle, options that
 * write files, and paths out of the bundle: a bundle may come from a stranger.
 */
static int check_words(struct repeating *r)
{
	struct cmdline c = {0};
	int n, n_words = (int)r->head.words.n;
	char **word = (char **)(size_t)r->head.words.item;
	const struct command *m = commands_find(n_words, word, &n);
	if (!m)
		return problem_set(r->p, EXIT_INPUT, "%s: no command %s",
				   r->c->arg[0], word[0]);
	int rc = cmdline_parse(&c, m, n_words - n, word + n, r->p);
	if (rc == 0)
		rc = bundle_allows(&c, r->p);
	struct names figures = {0};
	if (rc == 0 && cmdline_figure_words(&c, &figures) < 0)
		rc = problem_no_memory(r->p);
	if (rc == 0 && (int)figures.n + c.n_args + n != n_words)
		rc = problem_set(r->p, EXIT_INPUT,
				 "%s: its command has options that change no "
				 "figure",
				 r->c->arg[0]);
	for (int i = 0; rc == 0 && i < n_words; i++)
		if (leads_out(r, word[i]))
			rc = problem_set(r->p, EXIT_INPUT,
					 "%s: its command names a file outside "
					 "of it: %s",
					 r->c->arg[0], word[i]);
	names_free(&figures);
	cmdline_free(&c);
	return rc;
}

/* ---- code ---- */

/* Returns 1 if a plugin of this name is installed here, with the bytes of the
 * member.  `rest`: the path of the member below the folder of the plugin. */
static int is_installed(const struct archive_member *m, const char *name,
			const char *rest)
{
	char hex[DIGEST], here[DIGEST], *file, *next, *path = NULL;
	struct problem unused;
	if (plugin_find(plugin_path(), name, &file, &next, &unused) < 0)
		return 0;
	char *slash = strrchr(file, '/');
	int ok = slash && asprintf(&path, "%.*s%s", (int)(slash - file + 1),
				   file, rest) >= 0;
	digest_bytes(m->bytes, m->n, hex);
	ok = ok && digest_file(path, here) && !strcmp(hex, here);
	free(path), free(file), free(next);
	return ok;
}

/* Code is a .so in any folder, and each file that lies with plugins: these are
 * trusted if they are installed here.  Elsewhere a .so is not: a program that
 * it starts would lie beside it, and nothing tells that from data. */
static int is_trusted(const struct archive_member *m)
{
	const char *base = path_name(m->name);
	if (strncmp(m->name, "plugins/", 8) != 0)
		return !path_ends_in(m->name, ".so");
	char *name = strndup(base, strcspn(base, "."));
	int ok = name && is_installed(m, name, base);
	free(name);
	return ok;
}

static int check_code(struct repeating *r)
{
	for (size_t i = 0; !r->o->trust && i < r->archive.n; i++)
		if (!is_trusted(&r->archive.item[i]))
			return problem_set(
			    r->p, EXIT_USAGE,
			    "%s: %s is code that is not %s; --trust runs it",
			    r->c->arg[0], r->archive.item[i].name,
			    strncmp(r->archive.item[i].name, "plugins/", 8)
				? "in plugins/"
				: "installed here");
	return r->o->build && !r->o->trust
		   ? problem_set(r->p, EXIT_USAGE,
				 "--build runs make, which may run anything; "
				 "add --trust")
		   : 0;
}

/* Builds each plugin that has a src/Makefile, and says so before. */
static int build(struct repeating *r)
{
	int interrupted = 0;
	for (size_t i = 0; i < r->archive.n; i++) {
		const char *name = r->archive.item[i].name;
		char *text;
		if (strncmp(name, "plugins/", 8) != 0 ||
		    !path_ends_in(name, "/src/Makefile"))
			continue;
		int n = (int)(strlen(name) - strlen("/src/Makefile"));
		if (asprintf(&text, "cd '%s/%.*s/src' && make && cp -f *.so ..",
			     r->folder, n, name) < 0)
			return problem_no_memory(r->p);
		say("bundle: runs: %s", text);
		int rc = shell_run(text, &interrupted, r->p);
		free(text);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* ---- the folder ---- */

static int remove_one(const char *path, const struct stat *st, int flag,
		      struct FTW *at)
{
	(void)st, (void)flag, (void)at;
	return remove(path);
}

static int make_folder(struct repeating *r)
{
	char *at;
	snprintf(r->folder, sizeof r->folder, "/tmp/stepcost.XXXXXX");
	if (!mkdtemp(r->folder)) {
		r->folder[0] = '\0';
		return problem_set(r->p, EXIT_USAGE, "/tmp: %s",
				   strerror(errno));
	}
	if (archive_extract(&r->archive, r->folder, r->p) < 0)
		return -1;
	if (asprintf(&at, "%s/%s/", r->folder, r->head.folder) < 0)
		return problem_no_memory(r->p);
	int rc = 0;
	for (char *s = at + strlen(r->folder) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		if (mkdir(at, 0700) < 0 && errno != EEXIST)
			rc = problem_set(r->p, EXIT_USAGE, "%s: %s", at,
					 strerror(errno));
		*s = '/';
	}
	free(at);
	return rc;
}

/* ---- the run ---- */

/* Writes NAME=!:FOLDER/WHAT/0:FOLDER/WHAT/1 ..., as many as the bundle has,
 * then the folder `last` or "". */
static char *path_of(const struct repeating *r, const char *name,
		     const char *what, const char *last)
{
	int most = -1;
	struct text t;
	FILE *f = text_begin(&t);
	for (size_t i = 0; i < r->archive.n; i++) {
		const char *m = r->archive.item[i].name;
		size_t n = strlen(what);
		if (!strncmp(m, what, n) && m[n] == '/' &&
		    atoi(m + n + 1) > most)
			most = atoi(m + n + 1);
	}
	if (!f)
		return NULL;
	fprintf(f, "%s=!", name);
	for (int i = 0; i <= most && i < 100; i++)
		fprintf(f, ":%s/%s/%d", r->folder, what, i);
	fprintf(f, ":%s", last);
	return text_end(&t);
}

/* In the child: an environment without anything of the caller's.  Its plugins
 * are those of the bundle, which are installed here; a trusted bundle may have
 * others in any folder. */
static int start(const struct repeating *r, FILE *out)
{
	char *home, *at;
	char *data = path_of(r, "STEPCOST_DATA_PATH", "data", "");
	char *plugins = path_of(r, "STEPCOST_PLUGIN_PATH", "plugins",
				r->o->trust ? r->folder : "");
	size_t n = r->head.words.n;
	char **argv = calloc(n + 4, sizeof *argv);
	if (!data || !plugins || !argv ||
	    asprintf(&home, "HOME=%s", r->folder) < 0 ||
	    asprintf(&at, "%s/%s", r->folder, r->head.folder) < 0)
		return EXIT_USAGE;
	char *env[] = {data,       plugins,
		       home,       "PATH=/usr/local/bin:/usr/bin:/bin",
		       "LC_ALL=C", NULL};
	argv[0] = "stepcost";
	memcpy(argv + 1, r->head.words.item, n * sizeof *argv);
	argv[n + 1] = "--format=json";
	argv[n + 2] = "--quiet";
	if (chdir(at) == 0 && dup2(fileno(out), STDOUT_FILENO) >= 0)
		execve("/proc/self/exe", argv, env);
	return EXIT_USAGE;
}

/* Runs the bundle's command in a child process.  Returns what it printed, which
 * the caller frees, or NULL with *r->p. */
static char *repeat(struct repeating *r)
{
	FILE *out = tempfile_open();
	int status = 0;
	pid_t pid = out ? fork() : -1;
	if (pid == 0)
		_exit(start(r, out));
	if (pid > 0)
		waitpid(pid, &status, 0);
	char *text = NULL;
	if (pid > 0) {
		rewind(out);
		text = infile_rest(out, NULL);
	}
	if (out)
		fclose(out);
	if (text && *text)
		return text;
	free(text);
	problem_set(r->p,
		    pid > 0 && WIFEXITED(status) && WEXITSTATUS(status)
			? WEXITSTATUS(status)
			: EXIT_USAGE,
		    "%s: its command gave no result here", r->c->arg[0]);
	return NULL;
}

/* ---- the comparison ---- */

static int is_same(const struct repeating *r, const char *is)
{
	struct span doc = {is, strlen(is)};
	while (doc.n && doc.s[doc.n - 1] == '\n')
		doc.n--;
	struct span identity = canonical_member(doc, "identity");
	struct span results = identity.s
				  ? canonical_member(identity, "results_sha256")
				  : (struct span){0};
	size_t n = strlen(r->head.results_sha256);
	return n == DIGEST - 1 && results.n == n + 2 &&
	       !strncmp(results.s + 1, r->head.results_sha256, n);
}

/* What this run says of the bundle. */
struct answer {
	int is_same;
	const char *made_by, *run_by;
	char *differences; /* the first ones, a line each */
	long n_differences;
};

static int find_answer(struct answer *x, const struct repeating *r,
		       const char *is)
{
	const char *commit = r->head.commit;
	*x = (struct answer){.is_same = is_same(r, is),
			     .made_by = *commit ? commit : "not known",
			     .run_by = *commit_hex ? commit_hex : "not known"};
	if (x->is_same)
		return 0;
	const struct archive_member *m =
	    archive_find(&r->archive, BUNDLE_RESULT);
	char *was = strndup(m->bytes, m->n);
	size_t size;
	FILE *f = was ? text_open(&x->differences, &size) : NULL;
	if (f) {
		x->n_differences = difference_write(was, is, 5, f);
		fclose(f);
	}
	free(was);
	return f ? 0 : problem_no_memory(r->p);
}

static void answer_text(const struct answer *x, const struct repeating *r,
			FILE *f)
{
	if (x->is_same)
		fprintf(f, "reproduced: the same bits (results %s)",
			r->head.results_sha256);
	else
		fputs("not reproduced", f);
	fprintf(f, ", made by commit %s, run by commit %s\n%s", x->made_by,
		x->run_by, x->differences ? x->differences : "");
	if (!x->is_same && !x->n_differences)
		fputs("the figures are equal; texts that name files differ\n",
		      f);
}

static void answer_json(const struct answer *x, const struct repeating *r,
			FILE *f)
{
	struct jw j = jw_document(f);
	jw_int(&j, "schema", JSON_SCHEMA);
	jw_text(&j, "command", "bundle run");
	jw_bool(&j, "reproduced", x->is_same);
	jw_text(&j, "results_sha256", r->head.results_sha256);
	jw_text(&j, "made_by", x->made_by);
	jw_text(&j, "run_by", x->run_by);
	jw_int(&j, "n_differences", x->n_differences);
	jw_array(&j, "differences");
	for (char *s = x->differences, *line; s && (line = strsep(&s, "\n"));)
		if (*line)
			jw_text(&j, NULL, line);
	jw_finish(&j);
}

static int write_answer(const struct repeating *r, const char *is, int *code)
{
	struct outfile out = {0};
	struct answer x;
	int rc = find_answer(&x, r, is);
	*code = x.is_same ? EXIT_DONE : EXIT_SAYS_NO;
	if (rc == 0)
		rc = open_output(&out, r->c, r->p);
	if (rc == 0) {
		if (r->c->format == FORMAT_JSON)
			answer_json(&x, r, out.f);
		else
			answer_text(&x, r, out.f);
	}
	rc = outfile_end(&out, rc, r->p);
	free(x.differences);
	return rc;
}

static int run_all(struct repeating *r, int *code)
{
	if (archive_open(&r->archive, r->c->arg[0], r->p) < 0 ||
	    bundle_head_read(&r->head, &r->archive, r->c->arg[0], r->p) < 0 ||
	    check_words(r) < 0 || check_code(r) < 0 || make_folder(r) < 0 ||
	    (r->o->build && build(r) < 0))
		return -1;
	char *is = repeat(r);
	int rc = is ? write_answer(r, is, code) : -1;
	free(is);
	return rc;
}

static int run(const struct cmdline *c)
{
	struct problem p;
	struct repeating r = {.c = c, .o = c->own, .p = &p};
	int code = EXIT_DONE, rc = run_all(&r, &code);
	if (r.folder[0])
		nftw(r.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	bundle_head_free(&r.head);
	archive_free(&r.archive);
	return rc < 0 ? print_error(&p) : code;
}

const struct command command_bundle_run = {
    .name = "bundle run",
    .args = "FILE.stepcost",
    .summary = "repeat the result of a bundle from its files alone, and "
	       "compare",
    .formats = WRITES_TEXT | WRITES_JSON,
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    OWN_OPTIONS(option, struct options),
    .run = run,
};
