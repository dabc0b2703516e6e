/* A sum of bytes: in whatever pieces, and of these bytes alone. */
#include "base/checksum.h"
#include "tap.h"

static uint64_t in_pieces(const char *bytes, size_t n, size_t piece)
{
	struct checksum c = {0};
	for (size_t at = 0; at < n; at += piece)
		checksum_add(&c, bytes + at, n - at < piece ? n - at : piece);
	return checksum_value(&c);
}

int main(void)
{
	char bytes[100];
	int same = 1, differ = 1;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(i * i);
	for (size_t n = 0; n < sizeof bytes; n++)
		for (size_t piece = 1; piece < 20; piece++)
			same &= in_pieces(bytes, n, piece) ==
				in_pieces(bytes, n, sizeof bytes);
	ok(same, "the same in whatever pieces");
	uint64_t all = in_pieces(bytes, sizeof bytes, 7);
	for (size_t i = 0; i < sizeof bytes; i++)
		for (int bit = 0; bit < 8; bit++) {
			bytes[i] ^= (char)(1 << bit);
			differ &= in_pieces(bytes, sizeof bytes, 64) != all;
			bytes[i] ^= (char)(1 << bit);
		}
	ok(differ, "another with any bit changed");
	static const char zeros[16];
	for (size_t n = 1; n < sizeof zeros; n++)
		differ &= in_pieces(zeros, n, 3) != in_pieces(zeros, n - 1, 3);
	ok(differ, "zeros count");
	char swapped[16] = "12345678abcdefgh", other[16] = "abcdefgh12345678";
	ok(in_pieces(swapped, 16, 16) != in_pieces(other, 16, 16),
	   "and so does the order");
	return done();
}
