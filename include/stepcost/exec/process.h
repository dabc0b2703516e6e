/* stepcost/exec/process.h -- header-only helper for plugins: another program
 * that is asked a line and answers a line.  A struct sc_exec_process owns its
 * program: sc_exec_run() starts it; sc_exec_stop() closes its input, gives it
 * SC_EXEC_GRACE_MS to end, then kills it.  The program dies with the host.
 *
 *   struct sc_exec_process p = {.to = -1, .from = -1, .to_peer = -1,
 *                               .timeout_ms = 1000};
 *   int32_t rc = sc_exec_run(&p, &plugin, command, err);
 *   rc = sc_exec_ask(&p, "a question\n", 11, err);
 *   sc_exec_stop(&p);                      also if it never started
 *
 * Linux; define _GNU_SOURCE before the first #include. */
#ifndef SC_EXEC_PROCESS_H
#define SC_EXEC_PROCESS_H
#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first #include (dladdr, pipe2)"
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>
#include "stepcost/fail.h"

#define SC_EXEC_LONGEST_ANSWER 65536u
#define SC_EXEC_GRACE_MS 500

struct sc_exec_process {
	char program[120]; /* for messages */
	int64_t timeout_ms;
	pid_t pid;    /* 0: not running */
	int to, from; /* our ends of the pipes */
	/* The reading end of `to`: while we hold it, writing to a dead program
	 * raises no SIGPIPE. */
	int to_peer;
	char answer[SC_EXEC_LONGEST_ANSWER];
	sc_error why; /* set when the program failed for good: the reason */
};

/* Waits up to SC_EXEC_GRACE_MS for the program to close its output, which it
 * does by ending; then kills it.  Returns the wait status. */
static inline int sc_exec_stop(struct sc_exec_process *x)
{
	struct pollfd p = {.fd = x->from, .events = 0};
	int status = 0;
	close(x->to);
	close(x->to_peer);
	if (x->pid > 0) {
		poll(&p, 1, SC_EXEC_GRACE_MS);
		if (!(p.revents & (POLLHUP | POLLERR)))
			kill(x->pid, SIGKILL);
		while (waitpid(x->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(x->from);
	x->pid = 0;
	x->to = x->to_peer = x->from = -1;
	return status;
}

/* Ends a program that broke the protocol, and keeps the reason. */
static inline int32_t sc_exec_give_up(struct sc_exec_process *x,
				      const char *why, sc_error *err)
{
	kill(x->pid, SIGKILL);
	sc_exec_stop(x);
	sc_fail(&x->why, SC_EINVAL, "%s: %s", x->program, why);
	return sc_fail(err, SC_EINVAL, "%s", x->why.text);
}

/* Reports a program that closed its output before it answered. */
static inline int32_t sc_exec_died(struct sc_exec_process *x, sc_error *err)
{
	int status = sc_exec_stop(x);
	sc_fail(&x->why, SC_EINVAL, "%s: ended without an answer (%s %d)",
		x->program, WIFSIGNALED(status) ? "signal" : "exit status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return sc_fail(err, SC_EINVAL, "%s", x->why.text);
}

/* Runs between fork() and exec(), so it makes system calls only. */
static inline void sc_exec_become(char *const *argv, char *const *env, int in,
				  int out, int failed)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execvpe(argv[0], argv, env);
	int code = errno;
	if (write(failed, &code, sizeof code) < 0)
		_exit(126);
	_exit(127);
}

/* Returns the environment of the program: ours, and STEPCOST_PLUGIN_DIR with
 * the folder of the plugin's own data (NULL: without it).  The caller frees it,
 * and *entry.  NULL: memory is out. */
static inline char **sc_exec_environment(const char *folder, char **entry)
{
	static const char name[] = "STEPCOST_PLUGIN_DIR=";
	size_t n = 0, at = 0;
	while (environ[n])
		n++;
	char **env = (char **)calloc(n + 2, sizeof *env);
	*entry = NULL;
	for (size_t i = 0; env && i < n; i++)
		if (strncmp(environ[i], name, sizeof name - 1) != 0)
			env[at++] = environ[i];
	if (env && folder) {
		size_t size = sizeof name + strlen(folder);
		env[at] = *entry = (char *)malloc(size);
		if (*entry)
			snprintf(*entry, size, "%s%s", name, folder);
	}
	return env;
}

static inline int32_t sc_exec_start(struct sc_exec_process *x,
				    char *const *argv, char *const *env,
				    sc_error *err)
{
	int in[2], out[2], failed[2], code = 0;
	if (pipe2(in, O_CLOEXEC))
		return sc_fail(err, SC_ENOMEM, "pipe: %s", strerror(errno));
	x->to_peer = in[0], x->to = in[1];
	if (pipe2(out, O_CLOEXEC))
		return sc_fail(err, SC_ENOMEM, "pipe: %s", strerror(errno));
	x->from = out[0];
	if (pipe2(failed, O_CLOEXEC)) {
		close(out[1]);
		return sc_fail(err, SC_ENOMEM, "pipe: %s", strerror(errno));
	}
	x->pid = fork();
	if (x->pid == 0)
		sc_exec_become(argv, env, in[0], out[1], failed[1]);
	close(out[1]);
	close(failed[1]);
	/* This read ends at exec(), or brings the error code if exec()
	 * failed. */
	if (x->pid < 0 || read(failed[0], &code, sizeof code) > 0)
		code = x->pid < 0 ? errno : code;
	close(failed[0]);
	if (code)
		return sc_fail(err, SC_EINVAL, "%s: %s", x->program,
			       strerror(code));
	/* A long step may not fit into the pipe, so sc_exec_ask() alternates
	 * between writing and reading. */
	fcntl(x->to, F_SETFL, O_NONBLOCK);
	return SC_OK;
}

/* Sends a line of n_line bytes, which ends with '\n', and reads one line into
 * x->answer, without its '\n'. */
static inline int32_t sc_exec_ask(struct sc_exec_process *x, const char *line,
				  size_t n_line, sc_error *err)
{
	size_t sent = 0, got = 0;
	for (;;) {
		struct pollfd p[2] = {{.fd = x->from, .events = POLLIN},
				      {.fd = x->to, .events = POLLOUT}};
		ssize_t n = 0;
		if (sent < n_line)
			n = write(x->to, line + sent, n_line - sent);
		if (n > 0)
			sent += (size_t)n;
		else if (n < 0 && errno == EPIPE)
			sent = n_line; /* it has ended; read its last line */
		int left = sent < n_line;
		int ready = poll(p, left ? 2 : 1, (int)x->timeout_ms);
		if (ready == 0)
			return sc_exec_give_up(x, "no answer in timeout_ms",
					       err);
		if (!(p[0].revents & (POLLIN | POLLHUP)))
			continue;
		n = read(x->from, x->answer + got, sizeof x->answer - got);
		if (n <= 0)
			return sc_exec_died(x, err);
		got += (size_t)n;
		char *end = (char *)memchr(x->answer, '\n', got);
		if (end && (end + 1 != x->answer + got || left))
			return sc_exec_give_up(
			    x, "answers one line with more than one", err);
		if (end) {
			*end = '\0';
			return SC_OK;
		}
		if (got == sizeof x->answer)
			return sc_exec_give_up(x, "an answer that does not end",
					       err);
	}
}

/* Resolves a word of a command: "./NAME" is a file in the folder of the plugin.
 * Returns a path that the caller frees, or NULL if memory is out. */
static inline char *sc_exec_beside(const sc_plugin *p, const char *word)
{
	Dl_info self;
	const char *file = dladdr(p, &self) ? self.dli_fname : "";
	const char *slash = strrchr(file, '/');
	size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
	int beside = word[0] == '.' && word[1] == '/';
	size_t n = strlen(word) + 1;
	char *path = (char *)malloc(folder + n);
	if (path && beside) {
		memcpy(path, file, folder);
		memcpy(path + folder, word + 2, n - 2);
	} else if (path) {
		memcpy(path, word, n);
	}
	return path;
}

static inline int32_t sc_exec_run(struct sc_exec_process *x, const sc_plugin *p,
				  const char *const *command,
				  const char *folder, sc_error *err)
{
	char *argv[16] = {NULL}, *entry;
	char **env = sc_exec_environment(folder, &entry);
	int32_t rc = SC_OK;
	size_t n = 0, at = 0;
	for (; command[n] && n < 15 && rc == SC_OK; n++) {
		argv[n] = sc_exec_beside(p, command[n]);
		if (!argv[n])
			rc = sc_fail(err, SC_ENOMEM, "out of memory");
		else if (at < sizeof x->program)
			at += (size_t)snprintf(x->program + at,
					       sizeof x->program - at, "%s%s",
					       n ? " " : "", argv[n]);
	}
	if (rc == SC_OK && !env)
		rc = sc_fail(err, SC_ENOMEM, "out of memory");
	if (rc == SC_OK)
		rc = sc_exec_start(x, argv, env, err);
	free(env);
	free(entry);
	while (n)
		free(argv[--n]);
	return rc;
}
#endif
