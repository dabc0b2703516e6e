/* Answers are words; their text is cut into the same tokens. */
#include "api/answer_text.h"
#include <string.h>
#include "api/pieces.h"
#include "tap.h"

int main(void)
{
	int wrong = 0, stops = 0;
	for (uint64_t k = 0; k < 500; k++) {
		struct ids made = {0}, cut = {0};
		char text[4096];
		size_t n = 0;
		const struct answer_source s = {.key = k * 977,
						.begins_bare = k % 2 == 0};
		for (uint64_t i = 0; i < 300; i++) {
			ids_add(&made, answer_token(&s, i));
			n += pieces_text(made.id[i], text + n);
			stops += text[n - 1] == '.';
		}
		pieces_encode(text, n, SIZE_MAX - 1, &cut);
		wrong += cut.n != made.n ||
			 memcmp(cut.id, made.id, 300 * sizeof *cut.id) != 0;
		ids_free(&made), ids_free(&cut);
	}
	ok(wrong == 0, "500 answers are cut as they were made");
	ok(stops == 500 * 25, "a full stop in each stretch");
	struct ids a = {0}, b = {0};
	ids_add(&a, 1), ids_add(&b, 2);
	ok(answer_key(&a, 0, 1, 2) == answer_key(&a, 0, 1, 2) &&
	       answer_key(&a, 0, 1, 2) != answer_key(&b, 0, 1, 2) &&
	       answer_key(&a, 0, 1, 2) != answer_key(&a, 1, 1, 2) &&
	       answer_key(&a, 0, 1, 2) != answer_key(&a, 0, 2, 2) &&
	       answer_key(&a, 0, 1, 2) != answer_key(&a, 0, 1, 3),
	   "prompt, choice and seeds make the key");
	const uint32_t echo[] = {5, 6, 7};
	const struct answer_source again = {.echo = echo, .n_echo = 3};
	ok(answer_token(&again, 4) == 6, "echo");
	ids_free(&a), ids_free(&b);
	return done();
}
