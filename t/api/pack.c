/* msgpack and CBOR: the bytes that the two specifications give. */
#include "api/pack.h"
#include <math.h>
#include <string.h>
#include "tap.h"

static const char *hex_of(const struct buffer *b)
{
	static char text[200];
	for (size_t i = 0; i < b->n && i < 60; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned char)b->s[i]);
	return text;
}

static void whole(int64_t v, const char *msgpack, const char *cbor)
{
	for (int form = PACK_MSGPACK; form <= PACK_CBOR; form++) {
		const char *want = form == PACK_CBOR ? cbor : msgpack;
		struct buffer b = {0};
		pack_int((struct pack){&b, (enum pack_form)form}, v);
		ok(!strcmp(hex_of(&b), want), "%lld: %s", (long long)v,
		   hex_of(&b));
		buffer_free(&b);
	}
}

/* The first bytes of n elements, or bytes. */
static void headed(const char *what, size_t n, const char *want)
{
	static char bytes[70000];
	struct buffer b = {0};
	const struct pack m = {&b, PACK_MSGPACK}, c = {&b, PACK_CBOR};
	memset(bytes, 'x', n);
	bytes[n] = '\0';
	if (!strcmp(what, "text"))
		pack_text(m, bytes);
	else if (!strcmp(what, "bytes"))
		pack_bytes(m, bytes, n);
	else if (!strcmp(what, "array"))
		pack_array(m, n);
	else if (!strcmp(what, "map"))
		pack_map(m, n);
	else if (!strcmp(what, "CBOR text"))
		pack_text(c, bytes);
	else
		pack_array(c, n);
	ok(!strncmp(hex_of(&b), want, strlen(want)), "%s of %zu: %.10s", what,
	   n, hex_of(&b));
	buffer_free(&b);
}

int main(void)
{
	struct buffer b = {0};
	whole(0, "00", "00"), whole(23, "17", "17"), whole(24, "18", "1818");
	whole(127, "7f", "187f"), whole(128, "cc80", "1880");
	whole(255, "ccff", "18ff"), whole(256, "cd0100", "190100");
	whole(65536, "ce00010000", "1a00010000");
	whole(4294967296, "cf0000000100000000", "1b0000000100000000");
	whole(-1, "ff", "20"), whole(-24, "e8", "37"), whole(-25, "e7", "3818");
	whole(-32, "e0", "381f"), whole(-33, "d0df", "3820");
	whole(-128, "d080", "387f"), whole(-129, "d1ff7f", "3880");
	whole(-32769, "d2ffff7fff", "398000");
	whole(INT64_MIN, "d38000000000000000", "3b7fffffffffffffff");
	headed("text", 31, "bf78"), headed("text", 32, "d92078");
	headed("text", 256, "da010078"), headed("text", 65536, "db00010000");
	headed("bytes", 0, "c400"), headed("bytes", 256, "c50100");
	headed("array", 15, "9f"), headed("array", 16, "dc0010");
	headed("array", 65536, "dd00010000"), headed("map", 15, "8f");
	headed("map", 16, "de0010"), headed("CBOR text", 24, "781878");
	headed("CBOR array", 3, "83"), headed("CBOR array", 24, "9818");
	pack_double((struct pack){&b, PACK_MSGPACK}, 1.5);
	pack_nil((struct pack){&b, PACK_MSGPACK});
	pack_nil((struct pack){&b, PACK_CBOR});
	ok(!strcmp(hex_of(&b), "cb3ff8000000000000c0f6"), "a double, nil: %s",
	   hex_of(&b));
	buffer_free(&b);
	return done();
}
