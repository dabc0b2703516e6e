/* faults.c -- Reads and draws faults. */
#include "serve/faults.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/number.h"

const char *const fault_name[N_FAULTS] = {"none",  "429", "500",  "503",
					  "reset", "cut", "stall"};

int fault_parse(const char *text, size_t n, struct fault *to)
{
	char word[32];
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	while (n && (*text == ' ' || *text == '\t'))
		text++, n--;
	if (n == 0 || n >= sizeof word)
		return -1;
	memcpy(word, text, n);
	word[n] = '\0';
	char *colon = strchr(word, ':');
	*to = (struct fault){FAULT_NONE, 0};
	if (colon) {
		*colon = '\0';
		const char *end = number_parse(colon + 1, &to->value);
		if (end == colon + 1 || *end || !(to->value >= 0) ||
		    !(to->value <= 1e6))
			return -1;
	}
	for (int k = FAULT_429; k < N_FAULTS; k++)
		if (!strcmp(word, fault_name[k]))
			to->kind = (enum fault_kind)k;
	int needs = to->kind == FAULT_CUT || to->kind == FAULT_STALL;
	return to->kind == FAULT_NONE || needs != (colon != NULL) ? -1 : 0;
}

int fault_shares_parse(const char *text, struct fault_shares *to,
		       struct problem *p)
{
	double sum = 0;
	*to = (struct fault_shares){0};
	snprintf(to->text, sizeof to->text, "%s", text);
	for (const char *s = text; *s;) {
		size_t n = strcspn(s, ",");
		const char *equals = memchr(s, '=', n);
		if (!equals || to->n == FAULT_SHARES ||
		    fault_parse(s, (size_t)(equals - s), &to->of[to->n].fault) <
			0)
			return problem_set(p, EXIT_USAGE,
					   "faults: %.60s: not FAULT=SHARE, "
					   "with FAULT 429, 500, 503, reset, "
					   "cut:N or stall:SECONDS",
					   s);
		double share;
		const char *end = number_parse(equals + 1, &share);
		while (*end == ' ')
			end++;
		if (end == equals + 1 || end != s + n || !(share >= 0) ||
		    (sum += share) > 1)
			return problem_set(p, EXIT_USAGE,
					   "faults: %.60s: shares are from 0 "
					   "to 1, together at most 1",
					   s);
		to->of[to->n++].share = share;
		s += n + (s[n] == ',');
	}
	return 0;
}

struct fault fault_draw(const struct fault_shares *s, uint64_t seed,
			uint64_t number)
{
	uint64_t h = hash_mix(hash_mix(seed + 0x5e7e) + number);
	double u = (double)(h >> 11) * 0x1p-53;
	for (size_t i = 0; i < s->n; i++) {
		if (u < s->of[i].share)
			return s->of[i].fault;
		u -= s->of[i].share;
	}
	return (struct fault){FAULT_NONE, 0};
}
