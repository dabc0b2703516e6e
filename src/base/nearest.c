/* nearest.c -- Finds the nearest name by edit distance. */
#include "base/nearest.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 63 /* only this many characters of a name are compared */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;
	return m < c ? m : c;
}

/* Counts insertions, deletions, substitutions, and swaps of neighbours. */
static unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[3][LONGEST + 1];
	size_t na = strnlen(a, LONGEST), nb = strnlen(b, LONGEST);
	for (unsigned j = 0; j <= nb; j++)
		row[0][j] = j;
	for (unsigned i = 1; i <= na; i++) {
		unsigned *now = row[i % 3], *before = row[(i - 1) % 3];
		const unsigned *two_before = row[(i + 1) % 3];
		now[0] = i;
		for (unsigned j = 1; j <= nb; j++) {
			now[j] = min3(before[j] + 1, now[j - 1] + 1,
				      before[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] &&
			    two_before[j - 2] + 1 < now[j])
				now[j] = two_before[j - 2] + 1;
		}
	}
	return row[na % 3][nb];
}

void nearest_start(struct nearest *n, const char *typed)
{
	/* Up to a third of the characters may be wrong. */
	*n = (struct nearest){typed, NULL,
			      (unsigned)(strlen(typed) + 1) / 3 + 1};
}

/* Each character that one name has more than the other is an insertion, so
 * names of very different lengths need no comparison. */
static int may_be_near(const struct nearest *n, const char *candidate)
{
	size_t a = strnlen(n->typed, LONGEST), b = strnlen(candidate, LONGEST);
	return (a > b ? a - b : b - a) < n->distance;
}

/* A name that begins as typed is as near as one with two wrong characters. */
static int is_begun(const struct nearest *n, const char *candidate)
{
	return !strncmp(candidate, n->typed, strlen(n->typed));
}

void nearest_try(struct nearest *n, const char *candidate)
{
	int begun = is_begun(n, candidate);
	if (!begun && !may_be_near(n, candidate))
		return;
	unsigned d = edit_distance(n->typed, candidate);
	d = begun && d > 2 ? 2 : d;
	int is_shorter = begun && n->name && d == n->distance &&
			 strlen(candidate) < strlen(n->name);
	if (d < n->distance || is_shorter) {
		n->distance = d;
		n->name = candidate;
	}
}

const char *nearest_hint(const struct nearest *n, char buf[100])
{
	if (n->name)
		snprintf(buf, 100, " (did you mean '%.70s'?)", n->name);
	else
		buf[0] = '\0';
	return buf;
}

const char *nearest_of(const char *typed, const struct names *known,
		       char buf[100])
{
	struct nearest n;
	nearest_start(&n, typed);
	for (size_t i = 0; i < known->n; i++)
		nearest_try(&n, known->item[i]);
	return nearest_hint(&n, buf);
}

/* Removes the folder and the name of the maker, and turns to lower case. */
static void plain_id(const char *typed, char buf[LONGEST + 1])
{
	static const char maker[] = "meta-";
	const char *slash = strrchr(typed, '/');
	size_t n = 0;
	typed = slash ? slash + 1 : typed;
	for (; typed[n] && n < LONGEST; n++)
		buf[n] = (char)tolower((unsigned char)typed[n]);
	buf[n] = '\0';
	if (!strncmp(buf, maker, sizeof maker - 1))
		memmove(buf, buf + sizeof maker - 1, n + 2 - sizeof maker);
}

/* Returns 1 if a word of the typed name begins with this word of n characters,
 * and does not go on with a character of the same kind. */
static int has_word(const char *typed, const char *word, size_t n)
{
	int ends_in_digit = isdigit((unsigned char)word[n - 1]);
	for (const char *s = typed; s; s = strchr(s, '-')) {
		s += *s == '-';
		if (strncmp(s, word, n))
			continue;
		unsigned char next = (unsigned char)s[n];
		if (!(ends_in_digit ? isdigit(next) : isalpha(next)))
			return 1;
	}
	return 0;
}

/* Returns 1 if the typed name has all words of the known one. */
static int has_words(const char *typed, const char *known)
{
	size_t n;
	for (; (n = strcspn(known, "-")) && has_word(typed, known, n);
	     known += n)
		n += known[n] == '-';
	return !*known;
}

/* Returns how many characters the known name has more than the typed one, which
 * it begins with.  If the typed name has all words of the known one, returns
 * more, the more others it has: h200 is h200-sxm rather than h20, and
 * a100-sxm4-80gb is a100-80-sxm.  Otherwise returns SIZE_MAX. */
static size_t left_over(const char *typed, const char *known)
{
	size_t n = strlen(typed), of = strlen(known);
	if (n <= of)
		return strncmp(typed, known, n) ? SIZE_MAX : of - n;
	return has_words(typed, known) ? LONGEST + n - of : SIZE_MAX;
}

const char *nearest_of_id(const char *typed, const struct names *known,
			  char buf[100])
{
	char plain[LONGEST + 1];
	struct nearest n = {.typed = typed};
	size_t least = SIZE_MAX;
	plain_id(typed, plain);
	for (size_t i = 0; *plain && i < known->n; i++) {
		size_t left = left_over(plain, known->item[i]);
		/* The last of several equally near ones wins: h100-sxm, not
		 * h100-nvl. */
		if (left <= least && left != SIZE_MAX) {
			least = left;
			n.name = known->item[i];
		}
	}
	return n.name ? nearest_hint(&n, buf) : nearest_of(plain, known, buf);
}
