/* allocations.c -- Notes allocations that fail, and reads of SQLite. */
#include "cmd/allocations.h"
#include <errno.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/problem.h"

static void *noted(void *p)
{
	if (!p)
		problem_note_machine(ENOMEM);
	return p;
}

/* ---- in place of the C library's ---- */

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_malloc(size_t n)
{
	return noted(__real_malloc(n));
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	return noted(__real_calloc(n, size));
}

void *__real_realloc(void *old, size_t n);
void *__wrap_realloc(void *old, size_t n);
void *__wrap_realloc(void *old, size_t n)
{
	void *p = __real_realloc(old, n);
	return n ? noted(p) : p; /* 0 bytes: freed */
}

char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);
char *__wrap_strdup(const char *s)
{
	return noted(__real_strdup(s));
}

char *__real_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n)
{
	return noted(__real_strndup(s, n));
}

int __real_vasprintf(char **text, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));
int __wrap_vasprintf(char **text, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));
int __wrap_vasprintf(char **text, const char *format, va_list ap)
{
	int n = __real_vasprintf(text, format, ap);
	if (n < 0)
		problem_note_machine(ENOMEM);
	return n;
}

int __wrap_asprintf(char **text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = __wrap_vasprintf(text, format, ap);
	va_end(ap);
	return n;
}

char *__real_realpath(const char *path, char *to);
char *__wrap_realpath(const char *path, char *to);
char *__wrap_realpath(const char *path, char *to)
{
	char *found = __real_realpath(path, to);
	if (!found)
		problem_note_machine(errno);
	return found;
}

/* ---- in other libraries ---- */

/* SQLite's own, which sqlite3_config() hands out once. */
static sqlite3_mem_methods sqlite;

static void *sqlite_memory(int n)
{
	return noted(sqlite.xMalloc(n));
}

static void *sqlite_more(void *old, int n)
{
	return noted(sqlite.xRealloc(old, n));
}

/* In place of SQLite's read(), pread() and pread64(). */
static ssize_t noted_bytes(ssize_t n)
{
	if (n < 0 && errno != EINTR)
		problem_note_machine(errno);
	return n;
}

static ssize_t sqlite_read(int fd, void *to, size_t n)
{
	return noted_bytes(read(fd, to, n));
}

static ssize_t sqlite_pread(int fd, void *to, size_t n, off_t at)
{
	return noted_bytes(pread(fd, to, n, at));
}

static void note_reads(void)
{
	sqlite3_vfs *files = sqlite3_vfs_find("unix");
	if (!files || files->iVersion < 3)
		return;
	files->xSetSystemCall(files, "read", (sqlite3_syscall_ptr)sqlite_read);
	files->xSetSystemCall(files, "pread",
			      (sqlite3_syscall_ptr)sqlite_pread);
	files->xSetSystemCall(files, "pread64",
			      (sqlite3_syscall_ptr)sqlite_pread);
}

void allocations_begin(void)
{
	json_set_alloc_funcs(malloc, free);
	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite) != SQLITE_OK)
		return;
	sqlite3_mem_methods noting = sqlite;
	noting.xMalloc = sqlite_memory;
	noting.xRealloc = sqlite_more;
	sqlite3_config(SQLITE_CONFIG_MALLOC, &noting);
	note_reads();
}
