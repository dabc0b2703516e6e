/* base/yaml_text.h -- a text as a word of YAML.  [any thread] */
#pragma once
#include <stddef.h>
#include <stdio.h>

/* Writes a text in double quotes, on one line, as any parser of YAML 1.1 or 1.2
 * reads it back.  Bytes that are not UTF-8 become U+FFFD. */
void yaml_text(FILE *f, const char *s);
/* Writes n bytes of such a text without the quotes. */
void yaml_escaped(FILE *f, const char *s, size_t n);
