/* yaml_text.c -- Quotes a text for YAML. */
#include "base/yaml_text.h"
#include <string.h>
#include "base/utf8.h"

/* Characters that YAML allows as they are.  Byte order marks and the ends of
 * lines of Unicode are escaped, too. */
static int is_plain(uint32_t c)
{
	return (c >= 0x20 && c <= 0x7e && c != '"' && c != '\\') ||
	       (c >= 0xa0 && c <= 0xd7ff && c != 0x2028 && c != 0x2029) ||
	       (c >= 0xe000 && c <= 0xfffd && c != 0xfeff);
}

void yaml_escaped(FILE *f, const char *s, size_t left)
{
	while (left) {
		size_t n = utf8_length(s, left);
		uint32_t c = n ? utf8_value(s, n) : 0xfffd;
		if (n && is_plain(c))
			fwrite(s, 1, n, f);
		else if (c == '"' || c == '\\')
			fprintf(f, "\\%c", (char)c);
		else if (c <= 0xffff)
			fprintf(f, "\\u%04x", (unsigned)c);
		else
			fprintf(f, "\\U%08x", (unsigned)c);
		s += n ? n : 1;
		left -= n ? n : 1;
	}
}

void yaml_text(FILE *f, const char *s)
{
	fputc('"', f);
	yaml_escaped(f, s, strlen(s));
	fputc('"', f);
}
