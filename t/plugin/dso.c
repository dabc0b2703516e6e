/* What a shared object's symbol tables say, symbol by symbol, and that damage
 * to them is refused: an ELF file made here, one part of it changed at a time.
 */
#include "plugin/dso.h"
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include "scratch.h"

/* The sections, in their order. */
enum section {
	NO_SECTION,
	DYNSYM,
	SYMTAB,
	STRTAB,
	DYNAMIC,
	DATA,
	BSS,
	DATA_X,
	RELRO,
	TDATA,
	RODATA,
	LOCKED,
	UNNAMED,
	N_SECTIONS
};
static const struct {
	const char *name;
	ElfW(Word) type;
	ElfW(Xword) flags;
} kind[N_SECTIONS] = {
    [DYNSYM] = {".dynsym", SHT_DYNSYM, 0},
    [SYMTAB] = {".symtab", SHT_SYMTAB, 0},
    [STRTAB] = {".strtab", SHT_STRTAB, 0},
    [DYNAMIC] = {".dynamic", SHT_DYNAMIC, SHF_WRITE},
    [DATA] = {".data", SHT_PROGBITS, SHF_WRITE},
    [BSS] = {".bss", SHT_NOBITS, SHF_WRITE},
    [DATA_X] = {".data.x", SHT_PROGBITS, SHF_WRITE},
    [RELRO] = {".data.rel.ro.y", SHT_PROGBITS, SHF_WRITE},
    [TDATA] = {".data.tls", SHT_PROGBITS, SHF_WRITE | SHF_TLS},
    [RODATA] = {".rodata", SHT_PROGBITS, SHF_WRITE},
    [LOCKED] = {".data", SHT_PROGBITS, 0},
    [UNNAMED] = {"", SHT_PROGBITS, SHF_WRITE},
};

static struct image {
	ElfW(Ehdr) head;
	ElfW(Phdr) stack;
	ElfW(Shdr) section[N_SECTIONS];
	ElfW(Sym) dynsym[2], symtab[2]; /* the first of each is empty */
	ElfW(Dyn) dynamic[2];
	char text[512];
	size_t used;
} image;

static ElfW(Word) word(const char *name)
{
	size_t at = image.used;
	image.used += strlen(name) + 1;
	strcpy(image.text + at, name);
	return (ElfW(Word))at;
}

static void place(enum section s, size_t at, size_t bytes)
{
	image.section[s].sh_offset = at;
	image.section[s].sh_size = bytes;
	image.section[s].sh_link = STRTAB;
}
#define PLACE(s, member)                                                       \
	place(s, offsetof(struct image, member), sizeof image.member)

/* A sound file without symbols. */
static void make(void)
{
	image = (struct image){.used = 1};
	memcpy(image.head.e_ident, ELFMAG, SELFMAG);
	image.head.e_ident[EI_CLASS] = ELFCLASS64;
	image.head.e_type = ET_DYN;
	image.head.e_phoff = offsetof(struct image, stack);
	image.head.e_phnum = 1;
	image.head.e_shoff = offsetof(struct image, section);
	image.head.e_shnum = N_SECTIONS;
	image.head.e_shentsize = sizeof image.section[0];
	image.head.e_shstrndx = STRTAB;
	image.stack.p_type = PT_GNU_STACK;
	for (int s = 1; s < N_SECTIONS; s++) {
		image.section[s].sh_name = word(kind[s].name);
		image.section[s].sh_type = kind[s].type;
		image.section[s].sh_flags = kind[s].flags;
	}
	PLACE(DYNSYM, dynsym);
	PLACE(SYMTAB, symtab);
	PLACE(DYNAMIC, dynamic);
	PLACE(STRTAB, text);
}

static struct problem why;
static int read_bytes(struct dso *d, size_t bytes)
{
	const char *path = scratch_path("x.so");
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(&image, 1, bytes, f) != bytes || fclose(f))
		bail_out(path);
	why = (struct problem){0};
	return dso_read(d, path, &why);
}

enum list { NONE, EXPORTED, IMPORTED, WRITABLE };
static const struct symbol {
	const char *name;
	int is_dynamic;
	unsigned bind, type, section;
	size_t bytes;
	enum list is;
} symbol[] = {
    {"f", 1, STB_GLOBAL, STT_FUNC, RODATA, 8, EXPORTED},
    {"weak", 1, STB_WEAK, STT_FUNC, RODATA, 8, EXPORTED},
    {"puts", 1, STB_GLOBAL, STT_FUNC, SHN_UNDEF, 0, IMPORTED},
    {"local", 1, STB_LOCAL, STT_FUNC, RODATA, 8, NONE},
    {"VERSION_1", 1, STB_GLOBAL, STT_OBJECT, SHN_ABS, 0, NONE},
    {"", 1, STB_GLOBAL, STT_FUNC, RODATA, 8, NONE},
    {"n", 0, STB_LOCAL, STT_OBJECT, DATA, 4, WRITABLE},
    {"n", 0, STB_GLOBAL, STT_OBJECT, BSS, 4, WRITABLE},
    {"n", 0, STB_LOCAL, STT_OBJECT, DATA_X, 4, WRITABLE},
    {"relocated", 0, STB_LOCAL, STT_OBJECT, RELRO, 4, NONE},
    {"of_thread", 0, STB_LOCAL, STT_OBJECT, TDATA, 4, NONE},
    {"constant", 0, STB_LOCAL, STT_OBJECT, RODATA, 4, NONE},
    {"locked", 0, STB_LOCAL, STT_OBJECT, LOCKED, 4, NONE},
    {"unnamed", 0, STB_LOCAL, STT_OBJECT, UNNAMED, 4, NONE},
    {"nowhere", 0, STB_LOCAL, STT_OBJECT, N_SECTIONS, 4, NONE},
    {"function", 0, STB_LOCAL, STT_FUNC, DATA, 4, NONE},
    {"empty", 0, STB_LOCAL, STT_OBJECT, DATA, 0, NONE},
    {"completed.0", 0, STB_LOCAL, STT_OBJECT, BSS, 1, NONE},
    {"__dso_handle", 0, STB_LOCAL, STT_OBJECT, DATA, 8, NONE},
    {"DW.ref.rust_eh_personality", 0, STB_WEAK, STT_OBJECT, DATA, 8, NONE},
    {"_rust_extern_with_linkage_x", 0, STB_LOCAL, STT_OBJECT, DATA, 8, NONE},
    {"_RNvNtC_3std2io", 0, STB_LOCAL, STT_OBJECT, DATA, 8, NONE},
    {"_RNvNtC_6memchr2x", 0, STB_LOCAL, STT_OBJECT, DATA, 8, NONE},
    {"_RNvC_4mine", 0, STB_LOCAL, STT_OBJECT, DATA, 8, WRITABLE},
    {"_ZN3std2io", 0, STB_LOCAL, STT_OBJECT, DATA, 8, NONE},
    {"_ZN6memchr2x", 0, STB_LOCAL, STT_OBJECT, DATA, 8, NONE},
    {"_ZN4mine2x", 0, STB_LOCAL, STT_OBJECT, DATA, 8, WRITABLE},
};

static int is_in(const struct names *l, const struct symbol *s, enum list list)
{
	return s->is == list ? l->n == 1 && !strcmp(l->item[0], s->name)
			     : l->n == 0;
}

static void each_symbol(void)
{
	for (size_t i = 0; i < sizeof symbol / sizeof *symbol; i++) {
		const struct symbol *s = &symbol[i];
		struct dso d;
		make();
		ElfW(Sym) *y =
		    s->is_dynamic ? &image.dynsym[1] : &image.symtab[1];
		y->st_name = word(s->name);
		y->st_info = (unsigned char)ELF64_ST_INFO(s->bind, s->type);
		y->st_shndx = (ElfW(Section))s->section;
		y->st_size = s->bytes;
		ok(read_bytes(&d, sizeof image) == 0 &&
		       is_in(&d.exported, s, EXPORTED) &&
		       is_in(&d.imported, s, IMPORTED) &&
		       is_in(&d.writable, s, WRITABLE) && !d.sanitized,
		   "'%s' of %s is in the list %d: %s", s->name,
		   s->section > 0 && s->section < N_SECTIONS
		       ? kind[s->section].name
		       : "no section",
		   s->is, why.text);
		dso_free(&d);
	}
}

static void of_a_sanitizer(void)
{
	static const char *const name[] = {"__asan_init", "__ubsan_handle_x",
					   "__tsan_init"};
	for (int i = 0; i < 3; i++) {
		struct dso d;
		make();
		image.dynsym[1].st_name = word(name[i]);
		ok(read_bytes(&d, sizeof image) == 0 && d.sanitized,
		   "%s is of a sanitizer", name[i]);
		dso_free(&d);
	}
}

static void of_the_file(void)
{
	struct dso d;
	make();
	ok(read_bytes(&d, sizeof image) == 0 && !d.exec_stack &&
	       !d.text_relocations,
	   "a sound file: %s", why.text);
	dso_free(&d);
	image.stack.p_flags = PF_X;
	image.dynamic[0].d_tag = DT_TEXTREL;
	ok(read_bytes(&d, sizeof image) == 0 && d.exec_stack &&
	       d.text_relocations,
	   "an executable stack, relocations of code: %s", why.text);
	dso_free(&d);
	image.stack.p_type = PT_LOAD;
	image.section[DYNAMIC].sh_offset = sizeof image;
	ok(read_bytes(&d, sizeof image) == 0 && !d.exec_stack &&
	       !d.text_relocations,
	   "another segment, and a dynamic section beyond the end");
	dso_free(&d);
	image.head.e_phoff = sizeof image;
	ok(read_bytes(&d, sizeof image) == 0, "no segments");
	dso_free(&d);
}

#define AT(member) offsetof(struct image, member), sizeof image.member
static const struct damage {
	size_t at, bytes;
	uint64_t value;
	const char *says; /* NULL: the symbol has no name, and is left out */
} damage[] = {
    {AT(head.e_ident[1]), 'e', "not a shared object"},
    {AT(head.e_ident[EI_CLASS]), ELFCLASS32, "not a shared object"},
    {AT(head.e_type), ET_EXEC, "not a shared object"},
    {AT(head.e_shoff), sizeof image, "no section table"},
    {AT(head.e_shoff), UINT64_MAX, "no section table"},
    {AT(head.e_shoff), 65, "no section table"},
    {AT(head.e_shnum), 60000, "no section table"},
    {AT(head.e_shentsize), 40, "no section table"},
    {AT(section[DYNSYM].sh_offset), sizeof image, "damaged symbol table"},
    {AT(section[SYMTAB].sh_size), UINT64_MAX, "damaged symbol table"},
    {AT(section[SYMTAB].sh_offset), 1, "damaged symbol table"},
    {AT(section[DYNSYM].sh_link), N_SECTIONS, NULL},
    {AT(section[STRTAB].sh_offset), sizeof image + 1, NULL},
    {AT(section[STRTAB].sh_size), sizeof image, NULL},
    {AT(section[STRTAB].sh_size), 1, NULL},
    {AT(dynsym[1].st_name), sizeof image.text, NULL},
};

static void each_damage(void)
{
	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		const struct damage *x = &damage[i];
		struct dso d;
		make();
		image.dynsym[1].st_name = word("puts");
		image.dynsym[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		memcpy((char *)&image + x->at, &x->value, x->bytes);
		int rc = read_bytes(&d, sizeof image);
		ok(x->says ? rc < 0 && why.code == EXIT_PLUGIN &&
				 strstr(why.text, x->says)
			   : rc == 0 && !d.imported.n,
		   "damage %zu: %s", i, why.text);
		dso_free(&d);
	}
}

/* A name at the end of its table has no end; a file may end anywhere. */
static void cut(void)
{
	struct dso d;
	make();
	image.section[STRTAB].sh_size = image.used + 2;
	image.dynsym[1].st_name = word("puts");
	ok(read_bytes(&d, sizeof image) == 0 && !d.imported.n,
	   "a name that does not end in its table is none");
	dso_free(&d);
	for (size_t bytes = 0; bytes < offsetof(struct image, text);
	     bytes += 61) {
		make();
		ok(read_bytes(&d, bytes) < 0 && why.code == EXIT_PLUGIN,
		   "the first %zu bytes: %s", bytes, why.text);
		dso_free(&d);
	}
	ok(dso_read(&d, scratch_path("none.so"), &why) < 0 &&
	       why.code == EXIT_USAGE && strstr(why.text, "none.so"),
	   "no file: %s", why.text);
	dso_free(&d);
}

int main(void)
{
	scratch_open();
	each_symbol();
	of_a_sanitizer();
	of_the_file();
	each_damage();
	cut();
	return done();
}
