/* trace_likely.c -- Finds the likely columns by words in their names. */
#include "workload/trace/trace_likely.h"
#include <ctype.h>
#include <string.h>

/* A word, or a part of one, in a name, and how much it speaks for a role.  The
 * names are in lower case, with a space before and after each word. */
struct clue {
	enum trace_role role;
	const char *text;
	int weight;
};
static const struct clue clue[] = {
    {ROLE_TIME, "arriv", 6},      {ROLE_TIME, "timestamp", 5},
    {ROLE_TIME, " ts ", 5},       {ROLE_TIME, "created", 4},
    {ROLE_TIME, "received", 4},   {ROLE_TIME, " time ", 3},
    {ROLE_TIME, " date", 3},      {ROLE_TIME, " t ", 3},
    {ROLE_TIME, "start", 2},      {ROLE_TIME, " sent ", 2},
    {ROLE_TIME, "latency", -20},  {ROLE_TIME, "ttft", -20},
    {ROLE_TIME, "tpot", -20},     {ROLE_TIME, "duration", -20},
    {ROLE_TIME, "elapsed", -20},  {ROLE_TIME, " end", -20},
    {ROLE_TIME, "finish", -20},   {ROLE_TIME, "complet", -20},
    {ROLE_TIME, "first", -20},    {ROLE_TIME, "last", -20},
    {ROLE_TIME, "token", -20},    {ROLE_TIME, "response", -20},
    {ROLE_TIME, "generat", -20},  {ROLE_TIME, "queue", -20},
    {ROLE_TIME, "wait", -20},     {ROLE_TIME, "process", -20},
    {ROLE_INPUT, "prompt", 5},    {ROLE_INPUT, "input", 5},
    {ROLE_INPUT, "prefill", 5},   {ROLE_INPUT, " isl ", 5},
    {ROLE_INPUT, "context", 4},   {ROLE_INPUT, " in ", 4},
    {ROLE_INPUT, " request ", 2}, {ROLE_OUTPUT, "completion", 5},
    {ROLE_OUTPUT, "output", 5},   {ROLE_OUTPUT, "generat", 5},
    {ROLE_OUTPUT, "decode", 5},   {ROLE_OUTPUT, " osl ", 5},
    {ROLE_OUTPUT, "response", 4}, {ROLE_OUTPUT, "answer", 4},
    {ROLE_OUTPUT, "reply", 4},    {ROLE_OUTPUT, " out ", 4},
};
/* Words in favour of a length, if another word names the side, and words that a
 * length does not have. */
static const struct clue length_clue[] = {
    {ROLE_INPUT, "tok", 3},     {ROLE_INPUT, " len", 2},
    {ROLE_INPUT, " id", -20},   {ROLE_INPUT, "hash", -20},
    {ROLE_INPUT, "time", -20},  {ROLE_INPUT, "latency", -20},
    {ROLE_INPUT, "cost", -20},  {ROLE_INPUT, "price", -20},
    {ROLE_INPUT, "cache", -20}, {ROLE_INPUT, " per ", -20},
    {ROLE_INPUT, " rate", -20}, {ROLE_INPUT, " text", -20},
    {ROLE_INPUT, "max", -20},
};

/* Writes "PromptTokens" as " prompt tokens ". */
static void plain(char *to, const char *name)
{
	int before = 0;
	*to++ = ' ';
	for (size_t i = 0; name[i] && i < COLUMN_LONGEST; i++) {
		int c = (unsigned char)name[i];
		if (isupper(c) && islower(before))
			*to++ = ' ';
		*to++ = isalnum(c) ? (char)tolower(c) : ' ';
		before = c;
	}
	strcpy(to, " ");
}

static int score(enum trace_role role, const char *words)
{
	int sum = 0;
	for (size_t i = 0; i < sizeof clue / sizeof *clue; i++)
		if (clue[i].role == role && strstr(words, clue[i].text))
			sum += clue[i].weight;
	if (role == ROLE_TIME || sum <= 0)
		return sum;
	size_t n = sizeof length_clue / sizeof *length_clue;
	for (size_t i = 0; i < n; i++)
		if (strstr(words, length_clue[i].text))
			sum += length_clue[i].weight;
	return sum;
}

void trace_likely(struct trace_columns *c, const struct names *header)
{
	char words[2 * COLUMN_LONGEST + 3];
	*c = (struct trace_columns){0};
	for (int role = 0; role < N_ROLES; role++) {
		const char *best = NULL;
		int most = 0, ties = 0;
		for (size_t i = 0; i < header->n; i++) {
			plain(words, header->item[i]);
			int s = score((enum trace_role)role, words);
			if (s <= 0 || s < most ||
			    strlen(header->item[i]) > COLUMN_LONGEST)
				continue;
			ties = s == most;
			most = s;
			best = header->item[i];
		}
		if (best && !ties)
			strcpy(c->name[role], best);
	}
}
