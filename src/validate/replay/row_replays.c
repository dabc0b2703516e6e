/* row_replays.c -- Groups measured rows into simulations. */
#include "validate/replay/row_replays.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validate/measured/facts.h"
#include "validate/measured/protocol_name.h"
#include "validate/replay/protocol.h"
#include "validate/replay/row_replay_requests.h"
#include "validate/replay/row_replay_settings.h"

static int leave_out(struct row_replays *t, size_t row, const char *what,
		     const char *which, struct problem *p)
{
	struct unsimulated *u =
	    realloc(t->left_out, (t->n_left_out + 1) * sizeof *u);
	if (!u)
		return problem_no_memory(p);
	t->left_out = u;
	u += t->n_left_out++;
	u->row = row;
	snprintf(u->why, sizeof u->why, "%s %s", what, which);
	return 0;
}

static int same_run(const struct measured_row *a, const struct measured_row *b)
{
	return a->run && b->run && !strcmp(a->run, b->run);
}

/* The rows of a run of stages, in order of the file, or the row alone. */
static int collect_rows(struct row_replay *t, size_t row, int all_stages)
{
	const struct measured *m = t->file;
	t->row = calloc(m->n, sizeof *t->row);
	t->first = calloc(m->n + 1, sizeof *t->first);
	if (!t->row || !t->first)
		return -1;
	for (size_t i = row; i < m->n; i++)
		if (i == row ||
		    (all_stages && same_run(&m->row[row], &m->row[i])))
			t->row[t->n_rows++] = i;
	return 0;
}

static int is_later_stage(const struct measured *m, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (same_run(&m->row[i], &m->row[row]))
			return 1;
	return 0;
}

static int plan_row_replay(struct row_replay *t, size_t row,
			   const struct ini *aliases, struct problem *p)
{
	const struct measured_row *r = &t->file->row[row];
	const struct protocol *c = &t->protocol;
	int staged = c->kind == PROTOCOL_PROMPTS;
	t->name = staged && r->run ? r->run : r->id;
	if (collect_rows(t, row, staged) < 0 ||
	    row_replay_settings(t, c, r, aliases) < 0)
		return problem_no_memory(p);
	return row_replay_requests(t, aliases, p);
}

/* The first of the row's flags that [flags] leave_out lists, by how it begins;
 * "": none. */
static void doubtful_flag(const struct measured_row *r,
			  const struct ini *aliases, char *flag, size_t size)
{
	const char *list = ini_get(aliases, "flags", "leave_out");
	*flag = '\0';
	while (list && *list) {
		size_t n = strcspn(list, ", ");
		snprintf(flag, size, "%.*s", (int)n, list);
		if (n && measured_has_flag(r, flag) &&
		    !facts_answer(r, aliases, flag))
			return;
		*flag = '\0';
		list += n;
		list += strspn(list, ", ");
	}
}

static const char *const unknown[N_SERVED] = {"no model is known as",
					      "no GPU is known as"};

static int plan_row(struct row_replays *t, const struct measured *m, size_t row,
		    const struct ini *aliases, struct problem *p)
{
	struct protocol c;
	char flag[80];
	const char *word = "";
	const struct measured_row *r = &m->row[row];
	const char *lacks =
	    measured_is_apart(r) ? facts_lack(r, aliases, &word) : NULL;
	if (lacks)
		return leave_out(t, row, lacks, word, p);
	const char *name = protocol_name(r, aliases);
	int known = name ? protocol_read(&c, name, r, aliases, p) : 0;
	if (known < 0)
		return -1;
	doubtful_flag(r, aliases, flag, sizeof flag);
	if (*flag && !t->takes_all_flags)
		return leave_out(t, row, "flag", flag, p);
	if (!known)
		return leave_out(t, row, "no protocol",
				 name         ? name
				 : r->arrival ? r->arrival
					      : "",
				 p);
	for (int k = 0; k < N_SERVED; k++) {
		const char *id = served_id(r, (enum served)k);
		if (id && names_have(&t->unknown[k], id))
			return leave_out(t, row, unknown[k], id, p);
	}
	const char *missing = row_replay_requests_lack(&c, r);
	if (missing)
		return leave_out(t, row, "lacks", missing, p);
	if (c.kind == PROTOCOL_PROMPTS && is_later_stage(m, row))
		return 0;
	struct row_replay *row_replay = &t->row_replay[t->n++];
	row_replay->file = m;
	row_replay->protocol = c;
	return plan_row_replay(row_replay, row, aliases, p);
}

int row_replays_plan(struct row_replays *t, const struct measured *file,
		     const struct ini *aliases, int all_flags,
		     struct problem *p)
{
	*t = (struct row_replays){
	    .row_replay = calloc(file->n + 1, sizeof *t->row_replay),
	    .takes_all_flags = all_flags};
	if (!t->row_replay)
		return problem_no_memory(p);
	for (int k = 0; k < N_SERVED; k++)
		if (served_unknown(file, (enum served)k, aliases,
				   &t->unknown[k], &t->answered[k]) < 0)
			return problem_no_memory(p);
	for (size_t i = 0; i < file->n; i++)
		if (plan_row(t, file, i, aliases, p) < 0)
			return -1;
	return 0;
}

size_t row_replays_left_out(const struct row_replays *t, size_t i)
{
	size_t n = 0;
	for (size_t k = 0; k < t->n_left_out; k++) {
		int same = !strcmp(t->left_out[k].why, t->left_out[i].why);
		if (same && k < i)
			return 0;
		n += (size_t)same;
	}
	return n;
}

void row_replays_free(struct row_replays *t)
{
	for (size_t i = 0; i < t->n; i++)
		row_replay_free(&t->row_replay[i]);
	free(t->row_replay);
	free(t->left_out);
	for (int k = 0; k < N_SERVED; k++)
		names_free(&t->unknown[k]);
	*t = (struct row_replays){0};
}
