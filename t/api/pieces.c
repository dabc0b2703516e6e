/* Text as tokens: known ids, and back without loss. */
#include "api/pieces.h"
#include <stdio.h>
#include <string.h>
#include "tap.h"

static uint64_t state = 3;
static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

static int comes_back(const char *text, size_t n, struct ids *l)
{
	static char back[1 << 16];
	size_t at = 0;
	l->n = 0;
	pieces_encode(text, n, SIZE_MAX - 1, l);
	for (size_t i = 0; i < l->n && at + PIECE_TEXT < sizeof back; i++)
		at += pieces_text(l->id[i], back + at);
	return at == n && !memcmp(back, text, n);
}

static void known(const char *text, const uint32_t *want, size_t n)
{
	struct ids l = {0};
	int back = comes_back(text, strlen(text), &l);
	ok(back && l.n == n && !memcmp(l.id, want, n * sizeof *want),
	   "known ids of %s", text);
	ids_free(&l);
}

static size_t draw(char *to)
{
	static const char *const part[] = {
	    "a", "b",    "Z",  "QQ", " ",  "  ",   "\n",  "\t",    "\r\n",
	    "0", "77",   ".",  "_",  "..", "(",    "é",   "мир",   "漢",
	    "😀", "HTTP", "ok", "x",  "~",  "\x01", " .b", "iPhone"};
	size_t n = 0;
	for (uint32_t k = below(40); k-- > 0;) {
		const char *p = part[below(sizeof part / sizeof *part)];
		n += (size_t)sprintf(to + n, "%s", p);
	}
	return n;
}

int main(void)
{
	struct ids l = {0}, both = {0};
	char text[2048];
	int wrong = 0, kept = 0, tried = 0;
	known("self.pool", (const uint32_t[]){337641, 964108975}, 2);
	known("  get_max_tokens ",
	      (const uint32_t[]){1936646384, 321277287, 642553649, 887224070,
				 1936646384},
	      5);
	for (int i = 0; i < 20000; i++)
		wrong += !comes_back(text, draw(text), &l);
	ok(wrong == 0, "20000 texts come back");
	for (uint32_t i = 0; i < 2000000; i++) {
		uint32_t id = below(1936646656);
		char piece[PIECE_TEXT];
		size_t n = pieces_text(id, piece);
		if (i % 997 || id >= pieces_special(SPECIAL_BEGIN))
			continue;
		tried++;
		l.n = 0;
		pieces_encode(piece, n, 99, &l);
		kept += l.n == 1 && l.id[0] == id;
	}
	ok(kept > tried * 9 / 10, "%d of %d pieces are one token", kept, tried);
	memset(text, ' ', 200);
	ok(comes_back(text, 200, &l) && l.n == 4, "200 spaces are 4 tokens");
	pieces_encode("one two three four", 18, 1, &both);
	ok(both.n == 2, "counting stops behind the limit");
	ok(pieces_role("tool") == pieces_special(SPECIAL_TOOL) &&
	       !pieces_role("begin"),
	   "roles");
	ids_free(&l), ids_free(&both);
	return done();
}
