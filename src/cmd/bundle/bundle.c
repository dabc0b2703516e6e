/* bundle.c -- The command `bundle`: runs a command, and packs everything that
 * repeats its result. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file/infile.h"
#include "base/file/tempfile.h"
#include "cmd/bundle/contents.h"
#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "cmd/dispatch.h"

/* Runs the words in a child with the file as its standard output.  Returns its
 * exit code, or -1 with *p filled in. */
static int run_words(int argc, char **argv, FILE *out, struct problem *p)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		if (dup2(fileno(out), STDOUT_FILENO) < 0)
			_exit(EXIT_USAGE);
		int code = dispatch(argc, argv);
		fflush(stdout);
		exit(code);
	}
	int status = 0;
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return problem_set(p, EXIT_USAGE, "cannot start a process");
	return WIFEXITED(status)
		   ? WEXITSTATUS(status)
		   : problem_set(p, EXIT_USAGE, "%s: ended by signal %d",
				 argv[0], WTERMSIG(status));
}

/* Returns the result; the caller frees it.  *code: the exit code of the
 * command, which may be 1 with a result. */
static char *result_of(int argc, char **argv, int *code, struct problem *p)
{
	FILE *out = tempfile_open();
	char **words = calloc((size_t)argc + 3, sizeof *words);
	char *text = NULL;
	*code = EXIT_USAGE;
	if (!out || !words) {
		problem_no_memory(p);
	} else {
		memcpy(words, argv, (size_t)argc * sizeof *words);
		words[argc] = "--format=json";
		*code = run_words(argc + 1, words, out, p);
		rewind(out);
		if (*code >= 0 && !(text = infile_rest(out, NULL)))
			problem_no_memory(p);
	}
	if (text && !*text) {
		free(text);
		text = NULL;
		problem_set(p, *code ? *code : EXIT_USAGE,
			    "%s has no result, so there is no bundle", argv[0]);
	}
	free(words);
	if (out)
		fclose(out);
	return text;
}

static int write_bundle(struct bundle *b, const char *path, struct problem *p)
{
	struct outfile out;
	if (outfile_open(&out, path, p) < 0)
		return -1;
	archive_write(&b->archive, out.f);
	return outfile_commit(&out, p);
}

/* argv: the words of the command, without --format. */
static int make(const struct cmdline *c, const struct cmdline *inner, int argc,
		char **argv, struct problem *p)
{
	struct bundle b = {0};
	int code, rc = -1;
	char *result = result_of(argc, argv, &code, p);
	if (result && bundle_pack(&b, inner, result, p) == 0)
		rc = write_bundle(&b, c->arg[0], p);
	if (rc == 0)
		print_note(c, "%s: %zu files", c->arg[0], b.archive.n);
	bundle_free(&b);
	free(result);
	return rc;
}

static int is_format(const char *word)
{
	return !strncmp(word, "--format", 8) && (!word[8] || word[8] == '=');
}

/* The words without --format json, which every command gets anyway. */
static int take_words(const struct cmdline *c, char **words)
{
	int n = 0;
	for (int i = 1; i < c->n_args; i++)
		if (!is_format(c->arg[i]))
			words[n++] = (char *)(size_t)c->arg[i];
		else if (!c->arg[i][8])
			i++;
	return n;
}

/* Parses all words, so that another format is refused. */
static int check(struct cmdline *inner, const struct cmdline *c,
		 struct problem *p)
{
	int n;
	char **all = (char **)(size_t)(c->arg + 1);
	const struct command *m = commands_find(c->n_args - 1, all, &n);
	if (!m)
		return problem_set(p, EXIT_USAGE,
				   "bundle: no command %s; write: stepcost "
				   "bundle OUT.stepcost -- COMMAND ...",
				   c->arg[1]);
	if (cmdline_parse(inner, m, c->n_args - 1 - n, all + n, p) < 0)
		return -1;
	return bundle_allows(inner, p);
}

static int run(const struct cmdline *c)
{
	struct cmdline inner = {0};
	struct problem p;
	char **words = calloc((size_t)c->n_args + 1, sizeof *words);
	int rc = words ? check(&inner, c, &p) : problem_no_memory(&p);
	if (rc == 0) {
		int n = take_words(c, words);
		rc = make(c, &inner, n, words, &p);
	}
	if (inner.command)
		cmdline_free(&inner);
	free(words);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

const struct command command_bundle = {
    .name = "bundle",
    .args = "OUT.stepcost -- COMMAND",
    .summary = "run a command, and pack everything that repeats its result "
	       "elsewhere",
    .min_args = 2,
    .max_args = 1000,
    .has_no_config = 1,
    .run = run,
};
