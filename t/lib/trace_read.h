/* trace_read.h -- traces made up for a test, and the workloads read from them
 * as text: for tests of trace formats. */
#ifndef T_TRACE_READ_H
#define T_TRACE_READ_H
#include <inttypes.h>
#include <unistd.h>
#include "tap.h"
#include "workload/workload.h"
#include "workload_of.h"

static char folder[] = "/tmp/stepcost-trace-XXXXXX";
static struct problem p;

static const char *path(const char *name)
{
	static char full[200];
	snprintf(full, sizeof full, "%s/%s", folder, name);
	return full;
}

__attribute__((unused)) static void file_n(const char *name, const char *text,
					   size_t n)
{
	FILE *f = fopen(path(name), "w");
	if (!f || fwrite(text, 1, n, f) != n || fclose(f))
		bail_out("cannot write a fixture");
}

__attribute__((unused)) static void file(const char *name, const char *text)
{
	file_n(name, text, strlen(text));
}

/* A workload from the trace and "key=value key=value". */
__attribute__((unused)) static struct workload *with(const char *name,
						     const char *keys)
{
	struct ini c;
	struct workload_keys k;
	struct workload *w = NULL;
	char all[500];
	snprintf(all, sizeof all, "trace=%s %s", path(name), keys);
	if (workload_of(&k, &c, all, &p) == 0)
		w = workload_open(&k, &c, &p);
	ini_free(&c);
	return w;
}

/* "us:input+output" of every request, or "!" and what is wrong, without the
 * folder. */
__attribute__((unused)) static const char *requests(const char *name,
						    const char *keys)
{
	static char all[4000];
	struct workload *w = with(name, keys);
	struct request r;
	int64_t ns;
	int got = w ? 1 : -1;
	size_t n = 0;
	all[0] = '\0';
	while (w && (got = workload_peek(w, &ns, &p)) == 1 &&
	       (got = workload_pop(w, &r, &p)) == 0 && n < sizeof all - 100)
		n += (size_t)sprintf(all + n, "%s%" PRId64 ":%u+%u",
				     n ? " " : "", r.arrival_ns / 1000,
				     r.input_tokens, r.output_tokens);
	if (got < 0) {
		const char *cut = strstr(p.text, folder);
		size_t before = cut ? (size_t)(cut - p.text) : 0;
		size_t skipped = cut ? before + strlen(folder) + 1 : 0;
		snprintf(all, sizeof all, "!%d %.*s%s", p.code, (int)before,
			 p.text, p.text + skipped);
	}
	workload_free(w);
	return all;
}

/* want: each request as "us:input+output" with its arrival in microseconds, or
 * "!CODE message" of a trace that is refused. */
__attribute__((unused)) static void reads(const char *what, const char *text,
					  const char *keys, const char *want)
{
	file("trace", text);
	is(requests("trace", keys), want, "%s", what);
}

/* "input@s" of every request of "trace"; each takes 100 s. */
__attribute__((unused)) static const char *in_turn(const char *keys)
{
	static char all[1000];
	struct workload *w = with("trace", keys);
	struct request r;
	int64_t ns;
	size_t n = 0;
	if (!w)
		return p.text;
	all[0] = '\0';
	while (workload_peek(w, &ns, &p) == 1 && workload_pop(w, &r, &p) == 0) {
		n += (size_t)sprintf(all + n, "%s%u@%g", n ? " " : "",
				     r.input_tokens, (double)ns / 1e9);
		workload_finished(w, r.row, ns + 100000000000);
	}
	workload_free(w);
	return all;
}

/* The error begins with that. */
__attribute__((unused)) static void refuses(const char *what, const char *text,
					    const char *keys, const char *want)
{
	file("trace", text);
	const char *got = requests("trace", keys);
	if (!ok(!strncmp(got, want, strlen(want)), "%s", what))
		printf("#  got: %s\n# want: %s\n", got, want);
}

__attribute__((unused)) static const char *note(const char *name,
						const char *keys, uint32_t i)
{
	static char text[1100];
	struct workload *w = with(name, keys);
	const char *s = w ? workload_note(w, i) : p.text;
	const char *cut = s ? strstr(s, folder) : NULL;
	snprintf(text, sizeof text, "%s",
		 cut ? cut + strlen(folder) + 1
		 : s ? s
		     : "");
	workload_free(w);
	return text;
}

/* The tokens of each segment of each request, those of ids not seen before
 * with a '+'. */
__attribute__((unused)) static const char *segments(const char *name,
						    const char *keys)
{
	static char all[40000];
	struct workload *w = with(name, keys);
	struct request r;
	int64_t ns;
	uint64_t seen[1000], n_seen = 0;
	size_t n = 0;
	if (!w)
		return p.text;
	all[0] = '\0';
	while (workload_peek(w, &ns, &p) == 1 && workload_pop(w, &r, &p) == 0) {
		n += (size_t)sprintf(all + n, "|");
		for (uint32_t i = 0; i < r.n_segments; i++) {
			uint64_t k = 0;
			while (k < n_seen && seen[k] != r.segment[i].id)
				k++;
			n += (size_t)sprintf(all + n, "%s%u ",
					     k == n_seen ? "+" : "",
					     r.segment[i].tokens);
			if (k == n_seen)
				seen[n_seen++] = r.segment[i].id;
		}
		if (r.output_id)
			seen[n_seen++] = r.output_id;
		workload_finished(w, r.row, ns + 1);
	}
	workload_free(w);
	return all;
}

/* Returns the length of the JSON value at s. */
static size_t value_length(const char *s)
{
	size_t n = 0;
	int depth = 0;
	do {
		if (s[n] == '"')
			for (n++; s[n] && s[n] != '"'; n++)
				n += s[n] == '\\';
		if (!s[n])
			break;
		depth += s[n] == '{' || s[n] == '[';
		depth -= s[n] == '}' || s[n] == ']';
		n +=
		    depth || strchr("\"}]", s[n]) ? 1 : strcspn(s + n, ",}]\n");
	} while (depth && s[n]);
	return n;
}

/* Returns 1 if the trace is read, or lacks times, or is refused with one of its
 * lines. */
static int is_sound(const char *text, const char *keys, int *n_refused)
{
	const char *got;
	int lines = 1;
	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	file("trace", text);
	got = requests("trace", keys);
	if (*got != '!' || strstr(got, "[workload] needs request_rate"))
		return 1;
	++*n_refused;
	return !strncmp(got, "!3 trace:", 9) && atoi(got + 9) >= 1 &&
	       atoi(got + 9) <= lines;
}

/* A good JSON trace is refused with the line, or still read, when it is cut
 * anywhere, and when any of its values is of another type or size. */
__attribute__((unused)) static void survives(const char *what, const char *good,
					     const char *keys)
{
	static const char *const wrong[] = {
	    "-1",  "0.5",  "99999999999", "\"x\"",     "[]",
	    "[-]", "[{}]", "{}",          "{\"x\":-}", "null",
	};
	char text[4000];
	int is_good = 1, n_cut = 0, n_wrong = 0;
	size_t length = strlen(good);
	for (size_t n = 1; is_good && n < length; n += 3) {
		snprintf(text, sizeof text, "%.*s", (int)n, good);
		is_good = is_sound(text, keys, &n_cut);
	}
	for (size_t at = 1; is_good && at < length; at++) {
		size_t n = value_length(good + at);
		if (!strchr(":[,", good[at - 1]) || good[at + n] == ':')
			continue;
		for (size_t i = 0; is_good && i < sizeof wrong / sizeof *wrong;
		     i++) {
			snprintf(text, sizeof text, "%.*s%s%s", (int)at, good,
				 wrong[i], good + at + n);
			is_good = is_sound(text, keys, &n_wrong);
		}
	}
	if (!ok(is_good && n_cut && n_wrong, "%s: cut, and with wrong values",
		what))
		printf("# got %s of %s\n", requests("trace", keys), text);
}

/* Before the first trace. */
static void begin_traces(void)
{
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
}

/* Returns what main() returns. */
static int end_traces(void)
{
	unlink(path("trace"));
	rmdir(folder);
	return done();
}
#endif
