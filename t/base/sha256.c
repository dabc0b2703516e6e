/* SHA-256: the examples of FIPS 180-4, and every length around a block. */
#include "base/sha256.h"
#include <stdio.h>
#include <string.h>
#include "tap.h"

static const char *hex_of(const void *bytes, size_t n)
{
	static char text[65];
	unsigned char sum[SHA256_BYTES];
	sha256(bytes, n, sum);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", sum[i]);
	return text;
}

static void sums_to(const char *text, const char *want)
{
	const char *got = hex_of(text, strlen(text));
	ok(!strcmp(got, want), "the sum of '%s': %s", text, got);
}

int main(void)
{
	static char many[1000000];
	char all[65 * 200] = "";
	sums_to("", "e3b0c44298fc1c149afbf4c8996fb924"
		    "27ae41e4649b934ca495991b7852b855");
	sums_to("abc", "ba7816bf8f01cfea414140de5dae2223"
		       "b00361a396177a9cb410ff61f20015ad");
	sums_to("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"248d6a61d20638b8e5c026930c3e6039"
		"a33ce45964ff2167f6ecedd419db06c1");
	memset(many, 'a', sizeof many);
	ok(!strcmp(hex_of(many, sizeof many),
		   "cdc76e5c9914fb9281a1c7e284d73e67"
		   "f1809a48a497200e046d39ccc7112cd0"),
	   "a million of 'a'");
	for (size_t n = 0; n < 200; n++)
		strcat(all, hex_of(many, n));
	ok(!strcmp(hex_of(all, strlen(all)),
		   "019f2b9f1af27a53a1f046da7e98af2c"
		   "179f431e4b5bebb000e74040917a4123"),
	   "the sums of 0 to 199 of them");
	return done();
}
