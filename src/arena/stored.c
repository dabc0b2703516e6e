/* stored.c -- Keeps simulations of measured runs in a file. */
#include "arena/stored.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/csv.h"
#include "base/file/infile.h"
#include "base/file/outfile.h"
#include "base/text.h"

#define PROGRAM "/proc/self/exe"
enum { HEAD = 5, N_TIMES = N_RUN_LATENCIES * N_STATISTICS };
static const char *const head[HEAD] = {"program", "key", "run", "arm", "why"};

/* ---- the file ---- */

/* text: its name, its arm, and why it is not priced, or NULL. */
static int add_row(struct stored *s, const char *key, const char *const text[3],
		   const struct measured_times *time)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 256;
		struct stored_row *row = realloc(s->row, cap * sizeof *row);
		if (!row)
			return -1;
		s->row = row;
		s->cap = cap;
	}
	struct stored_row *to = &s->row[s->n];
	*to = (struct stored_row){.name = strdup(text[0]),
				  .arm = strdup(text[1]),
				  .why = text[2] ? strdup(text[2]) : NULL};
	snprintf(to->key, sizeof to->key, "%s", key);
	memcpy(to->time, time, sizeof to->time);
	s->n++;
	return to->name && to->arm && (to->why || !text[2]) ? 0 : -1;
}

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	struct stored *s = user;
	struct measured_times time[N_RUN_LATENCIES];
	if (row == 0)
		return strcmp(cell[0], head[0])
			   ? "not a file of stored simulations"
			   : NULL;
	if (strcmp(cell[0], s->program) != 0)
		return NULL;
	if (n != HEAD + N_TIMES)
		return "not a simulation of this program";
	const char *const text[] = {cell[2], cell[3],
				    *cell[4] ? cell[4] : NULL};
	for (int i = 0; i < N_TIMES; i++) {
		char *end = cell[HEAD + i];
		double *to = &time[i / N_STATISTICS].of[i % N_STATISTICS];
		*to = *end ? strtod(end, &end) : (double)NAN;
		if (*end)
			return "a time is not a number";
	}
	return add_row(s, cell[1], text, time) < 0 ? "memory is out" : NULL;
}

static int by_key(const void *a, const void *b)
{
	const struct stored_row *x = a, *y = b;
	return strcmp(x->key, y->key);
}

int stored_open(struct stored *s, const char *path, struct problem *p)
{
	*s = (struct stored){.path = strdup(path)};
	if (!s->path)
		return problem_no_memory(p);
	if (!SHA256File(PROGRAM, s->program))
		return problem_set(p, EXIT_USAGE, "%s: cannot be read",
				   PROGRAM);
	if (access(path, F_OK) < 0)
		return 0;
	FILE *f = infile_open(path, p);
	int rc = f ? csv_read(f, path, on_row, s, p) : -1;
	if (f)
		fclose(f);
	if (s->n)
		qsort(s->row, s->n, sizeof *s->row, by_key);
	s->n_sorted = s->n;
	return rc;
}

static void write_head(FILE *f)
{
	for (int i = 0; i < HEAD; i++)
		fprintf(f, "%s%s", i ? "," : "", head[i]);
	for (int i = 0; i < N_TIMES; i++)
		fprintf(f, ",%s_%s_ms", statistic_name[i % N_STATISTICS],
			latency_name[i / N_STATISTICS]);
	fputc('\n', f);
}

static void write_row(FILE *f, const char *program, const struct stored_row *r)
{
	csv_text(f, program);
	csv_next_text(f, r->key);
	csv_next_text(f, r->name);
	csv_next_text(f, r->arm);
	csv_next_text(f, r->why ? r->why : "");
	for (int i = 0; i < N_TIMES; i++)
		csv_next_number(f,
				r->time[i / N_STATISTICS].of[i % N_STATISTICS]);
	fputc('\n', f);
}

int stored_save(struct stored *s, struct problem *p)
{
	struct outfile out = {0};
	int rc = outfile_open(&out, s->path, p);
	if (rc == 0) {
		write_head(out.f);
		for (size_t i = 0; i < s->n; i++)
			write_row(out.f, s->program, &s->row[i]);
		rc = outfile_commit(&out, p);
	}
	outfile_discard(&out);
	return rc;
}

void stored_free(struct stored *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->row[i].name);
		free(s->row[i].arm);
		free(s->row[i].why);
	}
	key_memory_free(&s->memory);
	free(s->row);
	free(s->path);
	*s = (struct stored){0};
}

/* ---- keys ---- */

/* Those of later simulations follow from the protocol, which is numbers alone
 * by now, each of 8 bytes. */
static void hash_requests(SHA2_CTX *sha, const struct row_replay *t)
{
	SHA256Update(sha, (const uint8_t *)&t->protocol, sizeof t->protocol);
	for (uint64_t i = 0; i < t->n; i++) {
		const struct planned_request *r = &t->request[i];
		const int64_t v[] = {r->arrival_ns, r->input_tokens,
				     r->output_tokens, r->n_segments};
		SHA256Update(sha, (const uint8_t *)v, sizeof v);
		for (uint32_t k = 0; k < r->n_segments; k++)
			SHA256Update(sha, (const uint8_t *)&r->segment[k],
				     sizeof r->segment[k]);
	}
}

/* What the file says of a row, which a simulation may ask for. */
static void write_facts(FILE *f, const struct measured_row *r)
{
	for (size_t i = 0; i < measured_n_columns; i++) {
		const struct measured_column *c = &measured_column[i];
		const char *at = (const char *)r + c->offset;
		if (c->type == MEASURED_NUMBER)
			fprintf(f, "%a,", *(const double *)(const void *)at);
		else if (*(char *const *)(const void *)at)
			fprintf(f, "%s,", *(char *const *)(const void *)at);
		else
			fputc(',', f);
	}
	fprintf(f, "%s %d\n", r->launch ? r->launch : "", (int)r->ranks);
}

char *stored_describe(const struct row_replay *t)
{
	char requests[STORE_KEY];
	SHA2_CTX sha;
	struct text as;
	FILE *f = text_begin(&as);
	if (!f)
		return NULL;
	SHA256Init(&sha);
	hash_requests(&sha, t);
	SHA256End(&sha, requests);
	fprintf(f, "requests %s\n", requests);
	fprintf(f, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %d %a\n", t->n,
		t->concurrency, t->repeats, t->tpot_only, t->gpus);
	for (size_t i = 0; i < t->n_rows; i++) {
		fprintf(f, "%" PRIu64 " ", t->first[i]);
		write_facts(f, &t->file->row[t->row[i]]);
	}
	return text_end(&as);
}

int stored_key(struct stored *s, const char *what, const struct validation *v,
	       size_t row_replay, size_t arm, char key[STORE_KEY])
{
	struct problem p;
	struct arm a;
	const struct key_parts parts = {.what = what};
	int rc = arm_prepare(&a, &v->config[row_replay], arm, NULL, &p);
	if (rc == 0)
		rc = key_of_arm(key, &a, &parts, &s->memory, &p);
	arm_close(&a);
	return rc;
}

/* ---- predictions ---- */

static void row_key(char to[STORED_ROW_KEY], const char *key, size_t i)
{
	snprintf(to, STORED_ROW_KEY, "%s:%zu", key, i);
}

static const struct stored_row *find(const struct stored *s, const char *key,
				     size_t i)
{
	struct stored_row wanted;
	row_key(wanted.key, key, i);
	return s->n_sorted ? bsearch(&wanted, s->row, s->n_sorted,
				     sizeof *s->row, by_key)
			   : NULL;
}

int stored_take(const struct stored *s, const char *key, struct validation *v,
		size_t row_replay, size_t arm)
{
	const struct row_replay *t = &v->row_replays.row_replay[row_replay];
	char **why = &v->why[arm * v->row_replays.n + row_replay];
	for (size_t i = 0; i < t->n_rows; i++)
		if (!find(s, key, i))
			return 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct stored_row *r = find(s, key, i);
		struct prediction *to =
		    &v->prediction[arm * v->file->n + t->row[i]];
		to->priced = !r->why;
		memcpy(to->time, r->time, sizeof to->time);
		if (r->why && !*why)
			*why = arrays_text(&v->arrays, r->why);
	}
	return 1;
}

int stored_add(struct stored *s, const char *key, const struct validation *v,
	       size_t row_replay, size_t arm)
{
	const struct row_replay *t = &v->row_replays.row_replay[row_replay];
	const char *why = v->why[arm * v->row_replays.n + row_replay];
	for (size_t i = 0; i < t->n_rows; i++) {
		const char *id = v->file->row[t->row[i]].id;
		const char *const text[] = {id ? id : "", v->arm[arm], why};
		struct measured_times time[N_RUN_LATENCIES];
		char of_row[STORED_ROW_KEY];
		row_key(of_row, key, i);
		for (int k = 0; k < N_RUN_LATENCIES; k++)
			time[k] =
			    why ? measured_no_times
				: validation_of(v, arm, t->row[i])->time[k];
		if (add_row(s, of_row, text, time) < 0)
			return -1;
	}
	return 0;
}
