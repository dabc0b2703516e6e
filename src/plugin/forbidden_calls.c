/* forbidden_calls.c -- Points a plugin's imports to unmapped addresses. */
#include "plugin/forbidden_calls.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 4096, APART = 16 }; /* imports; bytes between their addresses */

/* Global, because a signal handler has no other access to it; the process ends
 * soon. */
static struct {
	char *nowhere; /* MOST * APART bytes without access */
	const char *name[MOST];
	size_t n;
	forbidden_call_fn on_call;
	void *user;
} forbidden;

/* These functions only compute, and only touch their arguments.  snprintf is
 * for the text of an error. */
static const char *const harmless[] = {
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "mempcpy",
    "memrchr",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strchr",
    "strrchr",
    "strspn",
    "strcspn",
    "strstr",
    "strcpy",
    "strncpy",
    "stpcpy",
    "strtod",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "bsearch",
    "snprintf",
    "vsnprintf",
    "abort",
    "bcmp",
    "__tls_get_addr",
    "abs",
    "labs",
    "llabs",
    "div",
    "ldiv",
    "frexp",
    "ldexp",
    "modf",
    "scalbn",
    "copysign",
    "__finite",
    "__isnan",
    "__isinf",
    "finite",
    "isnan",
    "isinf",
    "frexpf",
    "ldexpf",
    "modff",
    "copysignf",
    "__errno_location",
    "__assert_fail",
    "__stack_chk_fail",
    /* at unloading */
    "__cxa_finalize",
};

/* __memcpy_chk counts as memcpy. */
static int is_harmless(const char *name)
{
	char plain[64];
	size_t n = strlen(name);
	if (n > 6 && n < sizeof plain && !strncmp(name, "__", 2) &&
	    !strcmp(name + n - 4, "_chk")) {
		memcpy(plain, name + 2, n - 6);
		plain[n - 6] = '\0';
		name = plain;
	}
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (!strcmp(name, harmless[i]))
			return 1;
	return 0;
}

static int is_from(const char *file, const char *library)
{
	const char *slash = strrchr(file, '/');
	return !strncmp(slash ? slash + 1 : file, library, strlen(library));
}

/* Forbidden are all functions of the C library that do more than compute;
 * functions of the mathematical library that change the floating-point
 * environment; and C++'s new and delete from any library.  Other libraries are
 * the plugin's own business. */
static int is_forbidden(const char *name, const void *bound_to)
{
	static const char *const fenv[] = {"feset",  "feenable", "fedisable",
					   "fehold", "feupdate", "feraise"};
	Dl_info of;
	if (is_harmless(name))
		return 0;
	if (!strncmp(name, "_Zn", 3) || !strncmp(name, "_Zd", 3))
		return 1;
	if (!bound_to || !dladdr(bound_to, &of) || !of.dli_fname)
		return 0;
	if (is_from(of.dli_fname, "libm.so") ||
	    is_from(of.dli_fname, "libm-")) {
		for (size_t i = 0; i < sizeof fenv / sizeof *fenv; i++)
			if (!strncmp(name, fenv[i], strlen(fenv[i])))
				return 1;
		return 0;
	}
	return is_from(of.dli_fname, "libc.so") ||
	       is_from(of.dli_fname, "libc-") ||
	       is_from(of.dli_fname, "libpthread") ||
	       is_from(of.dli_fname, "libdl") || is_from(of.dli_fname, "ld-");
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	uintptr_t at = (uintptr_t)info->si_addr;
	uintptr_t from = (uintptr_t)forbidden.nowhere;
	if (at >= from && at < from + forbidden.n * APART)
		forbidden.on_call(forbidden.user,
				  forbidden.name[(at - from) / APART]);
	/* Another kind of fault: raise it again without this handler. */
	signal(sig, SIG_DFL);
}

static int catch_faults(struct problem *p)
{
	struct sigaction act = {.sa_sigaction = on_fault,
				.sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack = {.ss_size = 65536};
	stack.ss_sp = malloc(stack.ss_size);
	forbidden.nowhere = mmap(NULL, (size_t)MOST * APART, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!stack.ss_sp || forbidden.nowhere == MAP_FAILED)
		return problem_no_memory(p);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
	return 0;
}

/* The tables of the dynamic section that are needed here. */
struct dynamic {
	ElfW(Addr) base;
	const ElfW(Sym) * symbol;
	const char *text;
	const ElfW(Rela) * rela, *jump;
	size_t rela_bytes, jump_bytes;
};

static const void *table(const struct dynamic *d, ElfW(Addr) at)
{
	/* On most machines the loader has added the base already. */
	return (const void *)(at < d->base ? at + d->base : at);
}

static void read_dynamic(struct dynamic *d, const struct link_map *map)
{
	*d = (struct dynamic){.base = map->l_addr};
	for (const ElfW(Dyn) *y = map->l_ld; y->d_tag != DT_NULL; y++) {
		if (y->d_tag == DT_SYMTAB)
			d->symbol = table(d, y->d_un.d_ptr);
		else if (y->d_tag == DT_STRTAB)
			d->text = table(d, y->d_un.d_ptr);
		else if (y->d_tag == DT_RELA)
			d->rela = table(d, y->d_un.d_ptr);
		else if (y->d_tag == DT_RELASZ)
			d->rela_bytes = y->d_un.d_val;
		else if (y->d_tag == DT_JMPREL)
			d->jump = table(d, y->d_un.d_ptr);
		else if (y->d_tag == DT_PLTRELSZ)
			d->jump_bytes = y->d_un.d_val;
	}
}

static int set_slot(void **slot, const char *name, struct problem *p)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	if (forbidden.n == MOST)
		return problem_set(p, EXIT_PLUGIN, "too many imports");
	if (mprotect((void *)((uintptr_t)slot & ~(page - 1)), page,
		     PROT_READ | PROT_WRITE) < 0)
		return problem_set(p, EXIT_USAGE, "mprotect failed");
	forbidden.name[forbidden.n] = name;
	*slot = forbidden.nowhere + APART * forbidden.n++;
	return 0;
}

static int set_all(const struct dynamic *d, const ElfW(Rela) * r, size_t bytes,
		   struct problem *p)
{
	for (size_t i = 0; r && i < bytes / sizeof *r; i++) {
		const ElfW(Sym) *y = &d->symbol[ELF64_R_SYM(r[i].r_info)];
		const char *name = d->text + y->st_name;
		void **slot = (void **)(d->base + r[i].r_offset);
		if (ELF64_R_SYM(r[i].r_info) && y->st_shndx == SHN_UNDEF &&
		    ELF64_ST_TYPE(y->st_info) != STT_OBJECT &&
		    ELF64_ST_TYPE(y->st_info) != STT_TLS &&
		    is_forbidden(name, *slot) && set_slot(slot, name, p) < 0)
			return -1;
	}
	return 0;
}

int forbid_calls(void *dso, forbidden_call_fn on_call, void *user,
		 struct problem *p)
{
	struct link_map *map;
	struct dynamic d;
	if (dlinfo(dso, RTLD_DI_LINKMAP, &map) < 0)
		return problem_set(p, EXIT_USAGE, "dlinfo: %s", dlerror());
	read_dynamic(&d, map);
	if (!d.symbol || !d.text)
		return problem_set(p, EXIT_PLUGIN, "no dynamic symbols");
	forbidden.on_call = on_call;
	forbidden.user = user;
	if (catch_faults(p) < 0 || set_all(&d, d.rela, d.rela_bytes, p) < 0)
		return -1;
	return set_all(&d, d.jump, d.jump_bytes, p);
}
