/* abi.c -- Writes the structs and fields of the ABI. */
#include "report/abi.h"
#include <stddef.h>
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "stepcost/plugin.h"

struct abi_row {
	const char *of, *name, *type; /* name NULL: the struct itself */
	uint32_t minor;
	const char *meaning;
	size_t offset, size;
};
/* The formatter takes #name for a directive. */
/* clang-format off */
#define STRUCT(s, minor, meaning) {#s, NULL, NULL, minor, meaning, 0, sizeof(s)},
#define FIELD(s, f, type, minor, meaning)                                      \
	{#s, #f, type, minor, meaning, offsetof(s, f), sizeof(((s *)0)->f)},
/* clang-format on */
static const struct abi_row row[] = {
#include "report/abi_fields.inc"
};
enum { N_ROWS = sizeof row / sizeof *row };

void abi_text(FILE *f)
{
	fprintf(f, "ABI %u.%u\n", SC_ABI_MAJOR, SC_ABI_MINOR);
	for (size_t i = 0; i < N_ROWS; i++)
		if (!row[i].name)
			fprintf(f, "%s: %zu bytes, since %u.%u\n", row[i].of,
				row[i].size, SC_ABI_MAJOR, row[i].minor);
		else
			fprintf(f, "  %4zu %-20s %s, since %u.%u%s%s\n",
				row[i].offset, row[i].name, row[i].type,
				SC_ABI_MAJOR, row[i].minor,
				*row[i].meaning ? ": " : "", row[i].meaning);
}

void abi_csv(FILE *f)
{
	fputs("struct,field,type,offset,size,minor,meaning\n", f);
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!row[i].name)
			continue;
		fprintf(f, "%s,%s,", row[i].of, row[i].name);
		csv_text(f, row[i].type);
		fprintf(f, ",%zu,%zu,%u,", row[i].offset, row[i].size,
			row[i].minor);
		csv_text(f, row[i].meaning);
		putc('\n', f);
	}
}

static void write_row(struct jw *j, const struct abi_row *r)
{
	jw_flat_object(j, NULL);
	jw_text(j, "name", r->name);
	jw_text(j, "type", r->type);
	jw_uint(j, "offset", r->offset);
	jw_uint(j, "size", r->size);
	jw_uint(j, "minor", r->minor);
	jw_text(j, "meaning", r->meaning);
	jw_end(j);
}

void abi_json(FILE *f)
{
	struct jw j = jw_document(f);
	jw_flat_array(&j, "abi");
	jw_uint(&j, NULL, SC_ABI_MAJOR);
	jw_uint(&j, NULL, SC_ABI_MINOR);
	jw_end(&j);
	jw_array(&j, "structs");
	for (size_t i = 0; i < N_ROWS;) {
		jw_object(&j, NULL);
		jw_text(&j, "name", row[i].of);
		jw_uint(&j, "size", row[i].size);
		jw_uint(&j, "minor", row[i].minor);
		jw_text(&j, "meaning", row[i].meaning);
		jw_array(&j, "fields");
		for (i++; i < N_ROWS && row[i].name; i++)
			write_row(&j, &row[i]);
		jw_end(&j);
		jw_end(&j);
	}
	jw_finish(&j);
}
