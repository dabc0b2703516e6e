/* pieces.c -- Text that is cut into tokens comes back. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "api/pieces.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	struct ids l = {0};
	char piece[PIECE_TEXT];
	for (size_t i = 0; i < size;) {
		size_t n = utf8_length(s + i, size - i);
		if (n == 0)
			return 0;
		i += n;
	}
	pieces_encode(s, size, SIZE_MAX - 1, &l);
	size_t at = 0;
	for (size_t i = 0; i < l.n; i++) {
		size_t n = pieces_text(l.id[i], piece);
		if (n > size - at || memcmp(s + at, piece, n) != 0)
			abort();
		at += n;
	}
	if (at != size)
		abort();
	ids_free(&l);
	return 0;
}
