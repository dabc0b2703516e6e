/* pieces.c -- Cuts text into pieces, and computes their ids. */
#include "api/pieces.h"
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "base/utf8.h"

enum {
	LONGEST = 6,
	CAPITALS = 3,
	RUN = 64,
	N_MARKS_USED = 62,
	WORDS = 321272406, /* 26 + 26^2 + … + 26^6 */
	UPPER = 18278,     /* up to 26^3 */
	NUMBERS = 1110,
	MARKS = 242234,  /* 62 + 62^2 + 62^3 */
	TWO = 3688320,   /* 1920 + 1920^2 */
	WIDE = 0x10F800, /* code points from U+0800 on */
	FIRST_TWO = 0x80,
	FIRST_WIDE = 0x800,
};
/* The first id of each kind. */
#define AT_UPPER (6u * WORDS)
#define AT_NUMBER (AT_UPPER + 2u * UPPER)
#define AT_MARK (AT_NUMBER + 2u * NUMBERS)
#define AT_TWO (AT_MARK + 2u * MARKS)
#define AT_WIDE (AT_TWO + 2u * TWO)
#define AT_SPACE (AT_WIDE + (uint32_t)WIDE)
#define AT_SPECIAL (AT_SPACE + 4u * RUN)

static const char special_name[][12] = {
    "begin",     "end",  "start",     "sep",  "system", "user",
    "assistant", "tool", "developer", "role", "tools",  "item"};

uint32_t pieces_special(enum special which)
{
	return AT_SPECIAL + (uint32_t)which;
}

uint32_t pieces_role(const char *name)
{
	for (int i = SPECIAL_SYSTEM; i <= SPECIAL_DEVELOPER; i++)
		if (!strcmp(name, special_name[i]))
			return pieces_special((enum special)i);
	return 0;
}

/* ---- kinds of characters ---- */

static int is_small(uint32_t c)
{
	return c >= 'a' && c <= 'z';
}

static int is_large(uint32_t c)
{
	return c >= 'A' && c <= 'Z';
}

/* Returns l(etter), d(igit), s(pace), w(hite), p(unctuation), m(iddle: U+0080
 * to U+07FF) or x (above). */
static char kind(uint32_t c)
{
	if (is_small(c) || is_large(c))
		return 'l';
	if (c >= '0' && c <= '9')
		return 'd';
	if (c == ' ')
		return 's';
	if (c == '\n' || c == '\t' || c == '\r')
		return 'w';
	return c < FIRST_TWO ? 'p' : c < FIRST_WIDE ? 'm' : 'x';
}

/* Returns the place of an ASCII mark among them. */
static uint32_t mark_rank(uint32_t c)
{
	uint32_t n = c;
	n -= c > '\t' ? 1 : 0;
	n -= c > '\n' ? 1 : 0;
	n -= c > '\r' ? 1 : 0;
	n -= c > ' ' ? 1 : 0;
	n -= c > '9' ? 10 : 0;
	n -= c > 'Z' ? 26 : 0;
	n -= c > 'z' ? 26 : 0;
	return n;
}

static uint32_t mark_of(uint32_t rank)
{
	uint32_t c = 0;
	for (;; c++)
		if (kind(c) == 'p' && mark_rank(c) == rank)
			return c;
}

/* ---- ids ---- */

/* The place of a piece among those of 1, 2, … digits in that base. */
struct rank {
	uint32_t base, shorter, power, value;
};

static struct rank rank_begin(uint32_t base)
{
	return (struct rank){base, 0, 1, 0};
}

static void rank_digit(struct rank *r, uint32_t digit)
{
	r->value = r->value * r->base + digit;
	r->power *= r->base;
	r->shorter += r->power;
}

static uint32_t rank_end(const struct rank *r)
{
	return r->shorter - r->power + r->value;
}

static uint32_t word_id(const uint32_t *s, size_t n, uint32_t lead)
{
	struct rank r = rank_begin(26);
	for (size_t i = 0; i < n; i++)
		rank_digit(&r, (s[i] | 0x20) - 'a');
	return (is_small(s[0]) ? lead : 4 + lead) * (uint32_t)WORDS +
	       rank_end(&r);
}

/* lead: 1 for a space before it; 2: '_', 3: '.'. */
static uint32_t id_of(const uint32_t *s, size_t n, uint32_t lead)
{
	struct rank r;
	if (kind(*s) == 'l' && (is_small(*s) || (n > 1 && is_small(s[1]))))
		return word_id(s, n, lead);
	switch (kind(*s)) {
	case 'l':
		r = rank_begin(26);
		for (size_t i = 0; i < n; i++)
			rank_digit(&r, s[i] - 'A');
		return AT_UPPER + lead * UPPER + rank_end(&r);
	case 'd':
		r = rank_begin(10);
		for (size_t i = 0; i < n; i++)
			rank_digit(&r, s[i] - '0');
		return AT_NUMBER + lead * NUMBERS + rank_end(&r);
	case 'p':
		r = rank_begin(N_MARKS_USED);
		for (size_t i = 0; i < n; i++)
			rank_digit(&r, mark_rank(s[i]));
		return AT_MARK + lead * MARKS + rank_end(&r);
	case 'm':
		r = rank_begin(1920);
		for (size_t i = 0; i < n; i++)
			rank_digit(&r, s[i] - FIRST_TWO);
		return AT_TWO + lead * TWO + rank_end(&r);
	case 'x':
		return AT_WIDE + *s - FIRST_WIDE;
	default:
		return AT_SPACE +
		       (uint32_t)(strchr(" \n\t\r", (int)*s) - " \n\t\r") *
			   RUN +
		       (uint32_t)n - 1;
	}
}

uint32_t pieces_word(const char *word, size_t n, int has_space)
{
	uint32_t s[LONGEST] = {0};
	for (size_t i = 0; i < n && i < LONGEST; i++)
		s[i] = (unsigned char)word[i];
	return word_id(s, n, has_space != 0);
}

uint32_t pieces_full_stop(void)
{
	const uint32_t s = '.';
	return id_of(&s, 1, 0);
}

/* ---- cutting ---- */

struct cutting {
	const uint32_t *s;
	size_t n, at;
	struct ids *to;
};

/* '_' and '.' belong to a small word behind them. */
static int leads(const struct cutting *c, size_t i)
{
	return (c->s[i] == '_' || c->s[i] == '.') && i + 1 < c->n &&
	       is_small(c->s[i + 1]);
}

static void cut_word(struct cutting *c, uint32_t lead)
{
	size_t end = c->at;
	while (end < c->n && kind(c->s[end]) == 'l')
		end++;
	while (c->at < end) {
		const uint32_t *s = c->s + c->at;
		size_t left = end - c->at, n = 1;
		if (is_small(s[0]) || (left > 1 && is_small(s[1])))
			while (n < left && n < LONGEST && is_small(s[n]))
				n++;
		else
			while (n < left && n < CAPITALS && is_large(s[n]) &&
			       !(n + 1 < left && is_small(s[n + 1])))
				n++;
		ids_add(c->to, id_of(s, n, lead));
		lead = 0;
		c->at += n;
	}
}

static size_t longest_of(char k)
{
	return k == 'm' ? 2 : k == 'x' ? 1 : k == 'w' ? RUN : 3;
}

static void cut_run(struct cutting *c, uint32_t lead)
{
	char k = kind(c->s[c->at]);
	size_t end = c->at, most = longest_of(k);
	while (end < c->n && kind(c->s[end]) == k &&
	       (k != 'w' || c->s[end] == c->s[c->at]) &&
	       !(k == 'p' && end > c->at && leads(c, end)))
		end++;
	while (c->at < end) {
		size_t n = end - c->at < most ? end - c->at : most;
		ids_add(c->to, id_of(c->s + c->at, n, lead));
		lead = 0;
		c->at += n;
	}
}

static void cut_spaces(struct cutting *c)
{
	size_t end = c->at;
	while (end < c->n && c->s[end] == ' ')
		end++;
	int joins = end < c->n && strchr("ldpm", kind(c->s[end])) != NULL;
	size_t alone = end - c->at - (size_t)joins;
	for (; alone; alone -= alone < RUN ? alone : RUN)
		ids_add(c->to,
			id_of(c->s + c->at, alone < RUN ? alone : RUN, 0));
	c->at = end;
	if (!joins)
		return;
	if (kind(c->s[end]) == 'l')
		cut_word(c, 1);
	else
		cut_run(c, 1);
}

static uint32_t *code_points(const char *s, size_t n, size_t *out_n)
{
	uint32_t *to = malloc((n + 1) * sizeof *to);
	size_t k = 0;
	for (size_t i = 0; to && i < n; k++) {
		size_t length = utf8_length(s + i, n - i);
		to[k] = length ? utf8_value(s + i, length) : 0xFFFD;
		i += length ? length : 1;
	}
	*out_n = k;
	return to;
}

void pieces_encode(const char *s, size_t n, size_t most, struct ids *to)
{
	struct cutting c = {.to = to};
	uint32_t *points = code_points(s, n, &c.n);
	if (!points) {
		to->out_of_memory = 1;
		return;
	}
	c.s = points;
	while (c.at < c.n && to->n <= most && !to->out_of_memory) {
		char k = kind(c.s[c.at]);
		if (k == 's') {
			cut_spaces(&c);
		} else if (k == 'l') {
			cut_word(&c, 0);
		} else if (k == 'p' && leads(&c, c.at)) {
			uint32_t lead = c.s[c.at++] == '_' ? 2 : 3;
			cut_word(&c, lead);
		} else {
			cut_run(&c, 0);
		}
	}
	free(points);
}

/* ---- back to text ---- */

/* There are ids of surrogates. */
static size_t put_point(char *to, uint32_t c)
{
	return utf8_put(to, c >= 0xD800 && c < 0xE000 ? 0xFFFD : c);
}

static uint32_t letter(uint32_t d)
{
	return 'a' + d;
}
static uint32_t capital(uint32_t d)
{
	return 'A' + d;
}
static uint32_t digit(uint32_t d)
{
	return '0' + d;
}
static uint32_t middle(uint32_t d)
{
	return FIRST_TWO + d;
}

/* Writes the piece with that place among those of a kind. */
static size_t put_digits(char *to, uint32_t v, uint32_t base,
			 uint32_t (*of)(uint32_t))
{
	uint32_t n = 1, d[8];
	size_t out = 0;
	for (uint32_t power = base; v >= power; power *= base, n++)
		v -= power;
	for (uint32_t i = n; i-- > 0; v /= base)
		d[i] = v % base;
	for (uint32_t i = 0; i < n; i++)
		out += put_point(to + out, of(d[i]));
	return out;
}

static size_t word_text(uint32_t id, char *to)
{
	static const char *const lead[] = {"", " ", "_", ".", "", " "};
	uint32_t group = id / WORDS;
	size_t n = strlen(lead[group]);
	memcpy(to, lead[group], n);
	size_t more = put_digits(to + n, id % WORDS, 26, letter);
	if (group >= 4)
		to[n] = (char)(to[n] - 'a' + 'A');
	return n + more;
}

static const struct {
	uint32_t at, size, base;
	uint32_t (*of)(uint32_t);
} rest[] = {{AT_UPPER, UPPER, 26, capital},
	    {AT_NUMBER, NUMBERS, 10, digit},
	    {AT_MARK, MARKS, N_MARKS_USED, mark_of},
	    {AT_TWO, TWO, 1920, middle}};

static size_t special_text(uint32_t k, char *to)
{
	if (k < sizeof special_name / sizeof *special_name)
		return (size_t)snprintf(to, PIECE_TEXT, "<|%s|>",
					special_name[k]);
	if (k < N_SPECIAL)
		return (size_t)snprintf(to, PIECE_TEXT, "<|reserved%u|>", k);
	return put_point(to, 0xFFFD);
}

static size_t text_of(uint32_t id, char *to)
{
	if (id < AT_UPPER)
		return word_text(id, to);
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
		if (id >= rest[i].at + 2 * rest[i].size)
			continue;
		uint32_t v = id - rest[i].at;
		size_t lead = v >= rest[i].size;
		to[0] = ' ';
		return lead + put_digits(to + lead, v % rest[i].size,
					 rest[i].base, rest[i].of);
	}
	if (id < AT_SPACE)
		return put_point(to, id - AT_WIDE + FIRST_WIDE);
	if (id >= AT_SPECIAL)
		return special_text(id - AT_SPECIAL, to);
	size_t n = (id - AT_SPACE) % RUN + 1;
	memset(to, " \n\t\r"[(id - AT_SPACE) / RUN], n);
	return n;
}

size_t pieces_text(uint32_t id, char to[PIECE_TEXT])
{
	size_t n = text_of(id, to);
	to[n] = '\0';
	return n;
}

void pieces_encode_by(uint32_t chars, const char *s, size_t n, size_t most,
		      struct ids *to)
{
	if (chars == 0)
		pieces_encode(s, n, most, to);
	while (chars && n && to->n <= most) {
		size_t length = 0;
		for (uint32_t i = 0; i < chars && length < n; i++) {
			size_t more = utf8_length(s + length, n - length);
			length += more ? more : 1;
		}
		ids_add(
		    to,
		    (uint32_t)(hash_mix(hash_on(HASH_BEGIN, s, length)) >> 33));
		s += length;
		n -= length;
	}
}
