/* cell_digest.c -- Hashes the cells of a row. */
#include "store/cell_digest.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Adds a letter for the type, and eight bytes in one order on all machines. */
static void add(struct cell_digest *d, char type, uint64_t v)
{
	uint8_t bytes[9] = {(uint8_t)type};
	for (int i = 0; i < 8; i++)
		bytes[1 + i] = (uint8_t)(v >> (8 * i));
	SHA256Update(&d->sha, bytes, sizeof bytes);
}

static void add_bytes(struct cell_digest *d, char type, const void *bytes,
		      size_t n)
{
	add(d, type, n);
	SHA256Update(&d->sha, bytes, n);
}

void cell_digest_begin(struct cell_digest *d)
{
	SHA256Init(&d->sha);
}

void cell_digest_text(struct cell_digest *d, const char *text)
{
	if (text)
		add_bytes(d, 't', text, strlen(text));
	else
		add(d, 'n', 0);
}

void cell_digest_whole(struct cell_digest *d, int64_t v)
{
	add(d, 'i', (uint64_t)v);
}

void cell_digest_number(struct cell_digest *d, double v)
{
	uint64_t bits;
	v += 0.0; /* -0 becomes 0 */
	memcpy(&bits, &v, sizeof bits);
	if (isfinite(v))
		add(d, 'd', bits);
	else
		add(d, 'n', 0);
}

void cell_digest_cell(struct cell_digest *d, sqlite3_stmt *st, int column)
{
	const void *bytes;
	switch (sqlite3_column_type(st, column)) {
	case SQLITE_INTEGER:
		cell_digest_whole(d, sqlite3_column_int64(st, column));
		break;
	case SQLITE_FLOAT:
		cell_digest_number(d, sqlite3_column_double(st, column));
		break;
	case SQLITE_TEXT:
		bytes = sqlite3_column_text(st, column);
		add_bytes(d, 't', bytes ? bytes : "",
			  (size_t)sqlite3_column_bytes(st, column));
		break;
	case SQLITE_BLOB:
		bytes = sqlite3_column_blob(st, column);
		add_bytes(d, 'b', bytes ? bytes : "",
			  (size_t)sqlite3_column_bytes(st, column));
		break;
	default:
		cell_digest_text(d, NULL);
	}
}

void cell_digest_end(struct cell_digest *d, char hex[CELL_DIGEST])
{
	char all[SHA256_DIGEST_STRING_LENGTH];
	SHA256End(&d->sha, all);
	snprintf(hex, CELL_DIGEST, "%.*s", CELL_DIGEST - 1, all);
}
