/* ragpulse.c -- RAGPulse: JSON lines; seconds as a text, hash_ids an object of
 * lists.  The files beside the trace say how many tokens an id has (lines of
 * {"…_id": id, "token_length": n}).  Without them no shared prefixes are known,
 * and a note says so. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/decimal.h"
#include "base/file/infile.h"
#include "base/map64.h"
#include "base/problem.h"
#include "workload/trace/trace_formats.h"

enum { TIMESTAMP, INPUT, OUTPUT, HASH_IDS, SESSION_ID };
static const struct trace_column key[] = {
    {"timestamp", 1}, {"input_length", 1}, {"output_length", 1},
    {"hash_ids", 1},  {"session_id", 0},   {NULL, 0},
};

struct lengths {
	struct map64 of;  /* id -> 1 + its tokens */
	const char *why;  /* NULL: every file that is there was read */
	uint32_t *tokens; /* lengths of the ids in this row */
	uint32_t cap;
};

/* Reads one line of a file of lengths.  One without a length is left out. */
static const char *length_line(struct lengths *l, const char *s, size_t n)
{
	struct json_cursor j;
	struct span k, number;
	int64_t id = -1, tokens = -1;
	jc_begin(&j, s, n);
	jc_enter(&j, '{');
	while (jc_key(&j, &k) && jc_number(&j, &number))
		decimal_whole(number.s, number.n,
			      span_is(k, "token_length") ? &tokens : &id);
	if (j.why || id < 0 || tokens < 0 || tokens >= INT32_MAX)
		return NULL;
	uint64_t *at = map64_at(&l->of, (uint64_t)id, NULL);
	if (!at)
		return out_of_memory;
	*at = (uint64_t)tokens + 1;
	return NULL;
}

static const char *read_lengths(struct lengths *l, FILE *f)
{
	const char *why = NULL;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	while (!why && (n = getline(&line, &cap, f)) > 0)
		why = length_line(l, line, (size_t)n);
	if (!why && !feof(f)) {
		problem_note_machine(errno);
		why = strerror(errno);
	}
	free(line);
	return why;
}

/* Returns 0 if the file is not there. */
static int load_file(struct trace *t, struct lengths *l, const char *name)
{
	const char *trace = trace_path(t), *slash = strrchr(trace, '/');
	struct problem p;
	char *path;
	if (asprintf(&path, "%.*s%s", slash ? (int)(slash - trace + 1) : 0,
		     trace, name) < 0) {
		l->why = out_of_memory;
		return 1;
	}
	FILE *f = infile_open(path, &p);
	int is_there = f || access(path, F_OK) == 0;
	free(path);
	if (f) {
		l->why = read_lengths(l, f);
		fclose(f);
	} else if (is_there) {
		l->why = trace_say(t, "%s", p.text);
	}
	return is_there;
}

/* Reads the lengths of hash_ids from the files beside the trace, when it is
 * called first. */
static struct lengths *lengths(struct trace *t)
{
	static const char *const file[] = {
	    "1_sys_prompt.jsonl", "2_passages.jsonl", "3_history.jsonl",
	    "4_user_input.jsonl", "5_web_search.jsonl"};
	void **state = trace_state(t);
	struct lengths *l = *state;
	if (l || !(l = calloc(1, sizeof *l)))
		return l;
	*state = l;
	for (size_t i = 0; !l->why && i < sizeof file / sizeof *file; i++)
		if (!load_file(t, l, file[i]))
			trace_remark(
			    t,
			    "%s is missing beside it; without the lengths of "
			    "the hash_ids, prompts share no prefix",
			    file[i]);
	return l;
}

static const char *ids(struct trace *t, struct json_cursor *j,
		       struct trace_row *row)
{
	struct span part;
	const char *why = NULL;
	jc_enter(j, '{');
	while (!why && jc_key(j, &part))
		why = trace_blocks(t, j, row);
	return why ? why : j->why;
}

/* Keeps the ids before the first one without a known length, so that the shared
 * part is a prefix. */
static const char *check(struct trace *t, unsigned seen, struct trace_row *row)
{
	struct lengths *l = lengths(t);
	uint32_t known = 0;
	(void)seen;
	if (!l || l->why)
		return l ? l->why : out_of_memory;
	if (row->n_blocks > l->cap) {
		uint32_t *tokens =
		    realloc(l->tokens, 2 * row->n_blocks * sizeof *tokens);
		if (!tokens)
			return out_of_memory;
		l->tokens = tokens;
		l->cap = 2 * row->n_blocks;
	}
	for (; known < row->n_blocks; known++) {
		uint64_t *at = map64_at(&l->of, row->block[known], NULL);
		if (!at)
			return out_of_memory;
		if (!*at)
			break;
		l->tokens[known] = (uint32_t)(*at - 1);
	}
	row->n_blocks = known;
	row->block_tokens = l->tokens;
	return NULL;
}

static const char *value(struct trace *t, int i, struct json_cursor *j,
			 struct trace_row *row)
{
	struct span s;
	if (i == HASH_IDS)
		return ids(t, j, row);
	if (i == INPUT || i == OUTPUT) {
		if (!jc_number(j, &s))
			return j->why;
		return i == INPUT ? trace_whole(t, s, "input_length",
						&row->input_tokens)
				  : trace_whole(t, s, "output_length",
						&row->output_tokens);
	}
	if (jc_peek(j) == '"' ? !jc_string(j, &s) : !jc_number(j, &s))
		return j->why;
	if (i == TIMESTAMP)
		return trace_time(t, s, "timestamp", 9, &row->time_ns);
	row->request.session = trace_text_id(s.s, s.n);
	return NULL;
}

static void unload(struct trace *t)
{
	struct lengths *l = *trace_state(t);
	if (!l)
		return;
	map64_free(&l->of);
	free(l->tokens), free(l);
}

const struct trace_format trace_ragpulse = {.name = "ragpulse",
					    .shape = TRACE_JSON_LINES,
					    .has_times = 1,
					    .failed_rows = 1,
					    .column = key,
					    .value = value,
					    .check = check,
					    .unload = unload};
