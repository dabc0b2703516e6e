/* dso.c -- Reads the symbol tables of an ELF file without loading it. */
#include "plugin/dso.h"
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/infile.h"

/* The file with its section table; every access is checked against its size. */
struct elf {
	const unsigned char *at;
	size_t bytes;
	const ElfW(Ehdr) * head;
	const ElfW(Shdr) * section;
};

enum { LONGEST_MIB = 4096 }; /* of a plugin */

/* Returns the bytes of the file at offset, or NULL if it has fewer or they are
 * not aligned. */
static const void *bytes_at(const struct elf *e, size_t offset, size_t bytes)
{
	if (offset > e->bytes || bytes > e->bytes - offset || offset % 8)
		return NULL;
	return e->at + offset;
}

/* Returns section s as an array of n items of that size, or NULL. */
static const void *contents(const struct elf *e, const ElfW(Shdr) * s,
			    size_t each, size_t *n)
{
	*n = s->sh_size / each;
	return bytes_at(e, s->sh_offset, s->sh_size);
}

/* Returns the string at `at` in the string table of section `link`, or NULL. */
static const char *text(const struct elf *e, size_t link, size_t at)
{
	if (link >= e->head->e_shnum)
		return NULL;
	const ElfW(Shdr) *s = &e->section[link];
	if (s->sh_offset > e->bytes || s->sh_size > e->bytes - s->sh_offset ||
	    at >= s->sh_size)
		return NULL;
	const char *t = (const char *)e->at + s->sh_offset;
	return memchr(t + at, '\0', s->sh_size - at) ? t + at : NULL;
}

/* Symbols that the compiler's start-up files put into every shared object. */
static int of_crt(const char *name)
{
	static const char *const crt[] = {
	    "completed.",    "__dso_handle", "__TMC_END__",
	    "__EH_FRAME",    "_DYNAMIC",     "_GLOBAL_OFFSET_TABLE_",
	    "__frame_dummy", "__do_global"};
	for (size_t i = 0; i < sizeof crt / sizeof *crt; i++)
		if (!strncmp(name, crt[i], strlen(crt[i])))
			return 1;
	return 0;
}

/* Returns 1 for a mangled name of Rust's standard library. */
static int of_rust(const char *name)
{
	return !strcmp(name, "DW.ref.rust_eh_personality") ||
	       !strncmp(name, "_rust_extern_", 13) ||
	       (!strncmp(name, "_R", 2) &&
		(strstr(name, "_3std") || strstr(name, "_6memchr"))) ||
	       !strncmp(name, "_ZN3std", 7) || !strncmp(name, "_ZN6memchr", 10);
}

/* Returns 1 for .data and .bss, but not for sections that become read-only
 * after relocation. */
static int stays_writable(const struct elf *e, size_t section)
{
	if (section >= e->head->e_shnum)
		return 0;
	const ElfW(Shdr) *s = &e->section[section];
	const char *name = text(e, e->head->e_shstrndx, s->sh_name);
	return (s->sh_flags & SHF_WRITE) && !(s->sh_flags & SHF_TLS) && name &&
	       (!strcmp(name, ".data") || !strcmp(name, ".bss") ||
		!strncmp(name, ".data.", 6)) &&
	       strncmp(name, ".data.rel.ro", 12) != 0;
}

static int sort_out(struct dso *d, const struct elf *e, const ElfW(Sym) * y,
		    const char *name, int dynamic)
{
	int bind = ELF64_ST_BIND(y->st_info), type = ELF64_ST_TYPE(y->st_info);
	if (!dynamic)
		return type == STT_OBJECT && y->st_size &&
			       stays_writable(e, y->st_shndx) &&
			       !of_crt(name) && !of_rust(name)
			   ? names_add(&d->writable, name)
			   : 0;
	if (!strncmp(name, "__asan_", 7) || !strncmp(name, "__ubsan_", 8) ||
	    !strncmp(name, "__tsan_", 7))
		d->sanitized = 1;
	if (bind == STB_LOCAL)
		return 0;
	if (y->st_shndx == SHN_UNDEF)
		return names_add(&d->imported, name);
	/* The symbol of a version definition has no section. */
	return y->st_shndx == SHN_ABS ? 0 : names_add(&d->exported, name);
}

static int read_symbols(struct dso *d, const struct elf *e,
			const ElfW(Shdr) * s)
{
	size_t n;
	const ElfW(Sym) *y = contents(e, s, sizeof *y, &n);
	for (size_t i = 1; y && i < n; i++) {
		const char *name = text(e, s->sh_link, y[i].st_name);
		if (name && *name &&
		    sort_out(d, e, &y[i], name, s->sh_type == SHT_DYNSYM) < 0)
			return -1;
	}
	return y ? 0 : -1;
}

static void read_segments(struct dso *d, const struct elf *e)
{
	const ElfW(Phdr) *h =
	    bytes_at(e, e->head->e_phoff, e->head->e_phnum * sizeof *h);
	for (size_t i = 0; h && i < e->head->e_phnum; i++)
		if (h[i].p_type == PT_GNU_STACK && (h[i].p_flags & PF_X))
			d->exec_stack = 1;
}

static void read_dynamic(struct dso *d, const struct elf *e,
			 const ElfW(Shdr) * s)
{
	size_t n;
	const ElfW(Dyn) *y = contents(e, s, sizeof *y, &n);
	for (size_t i = 0; y && i < n; i++)
		d->text_relocations |= y[i].d_tag == DT_TEXTREL;
}

int dso_read(struct dso *d, const char *path, struct problem *p)
{
	*d = (struct dso){0};
	d->file = infile_read(path, LONGEST_MIB, &d->bytes, p);
	if (!d->file)
		return -1;
	struct elf e = {.at = d->file, .bytes = d->bytes};
	e.head = bytes_at(&e, 0, sizeof *e.head);
	if (!e.head || memcmp(e.head->e_ident, ELFMAG, SELFMAG) ||
	    e.head->e_ident[EI_CLASS] !=
		(sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    e.head->e_type != ET_DYN)
		return problem_set(p, EXIT_PLUGIN, "%s: not a shared object",
				   path);
	e.section =
	    bytes_at(&e, e.head->e_shoff, e.head->e_shnum * sizeof *e.section);
	if (!e.section || e.head->e_shentsize != sizeof *e.section)
		return problem_set(p, EXIT_PLUGIN, "%s: has no section table",
				   path);
	read_segments(d, &e);
	for (size_t i = 0; i < e.head->e_shnum; i++) {
		const ElfW(Shdr) *s = &e.section[i];
		if (s->sh_type == SHT_DYNAMIC)
			read_dynamic(d, &e, s);
		if ((s->sh_type == SHT_DYNSYM || s->sh_type == SHT_SYMTAB) &&
		    read_symbols(d, &e, s) < 0)
			return problem_set(p, EXIT_PLUGIN,
					   "%s: a damaged symbol table", path);
	}
	return 0;
}

void dso_free(struct dso *d)
{
	names_free(&d->exported);
	names_free(&d->imported);
	names_free(&d->writable);
	free(d->file);
	*d = (struct dso){0};
}
