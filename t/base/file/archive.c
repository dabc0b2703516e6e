/* An archive has the same bytes for the same members, any tar reads it, and a
 * reader believes nothing. */
#include "base/file/archive.h"
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/infile.h"
#include "tap.h"

static char folder[] = "archive.XXXXXX";
static char *bytes;
static size_t n;

/* Writes members in this order into `bytes`. */
static void written(const char *const *name, size_t k)
{
	struct archive a = {0};
	struct problem p;
	free(bytes);
	FILE *f = open_memstream(&bytes, &n);
	for (size_t i = 0; i < k; i++)
		if (archive_add(&a, name[i], name[i], strlen(name[i]), &p) < 0)
			bail_out(p.text);
	archive_write(&a, f);
	fclose(f);
	archive_free(&a);
}

static void reads(void)
{
	struct problem p = {0};
	struct archive a;
	char deep[230] = "";
	for (int i = 0; i < 20; i++)
		strcat(deep, "folder-10/");
	strcat(deep, "file");
	const char *const name[] = {"b/c", "a", deep, "b"};
	const char *const other[] = {deep, "b", "b/c", "a"};
	written(other, 4);
	char *was = malloc(n);
	size_t size = n;
	memcpy(was, bytes, n);
	written(name, 4);
	ok(n == size && !memcmp(was, bytes, n), "in any order the same bytes");
	free(was);
	ok(n % 512 == 0, "whole blocks");
	ok(archive_read(&a, bytes, n, "x", &p) == 0 && a.n == 4, "read again");
	is(a.item[0].name, "a", "ascending");
	const struct archive_member *m = archive_find(&a, deep);
	ok(m && m->n == strlen(deep) && !memcmp(m->bytes, deep, m->n),
	   "a long name, and its bytes");
	ok(!archive_find(&a, "c"), "no such member");
	archive_free(&a);
}

static void extracts(void)
{
	const char *const name[] = {"s/one", "s/t/two", "three"};
	struct archive a;
	struct problem p = {0};
	char path[100], command[200];
	written(name, 3);
	ok(archive_read(&a, bytes, n, "x", &p) == 0 &&
	       archive_extract(&a, folder, &p) == 0,
	   "extracted");
	snprintf(path, sizeof path, "%s/s/t/two", folder);
	size_t got;
	char *text = infile_read(path, 1, &got, &p);
	is(text ? text : "(none)", "s/t/two", "a file in a folder");
	free(text);
	ok(archive_extract(&a, folder, &p) < 0, "never over a file: %s",
	   p.text);
	archive_free(&a);
	snprintf(path, sizeof path, "%s/a.tar", folder);
	FILE *f = fopen(path, "we");
	fwrite(bytes, 1, n, f);
	fclose(f);
	snprintf(command, sizeof command,
		 "[ \"$(tar tf %s | tr '\\n' ' ')\" = 's/one s/t/two three ' ]",
		 path);
	ok(system(command) == 0, "tar reads it");
	ok(archive_open(&a, path, &p) == 0 && a.n == 3, "from a file");
	archive_free(&a);
}

static void no_name(const char *name)
{
	struct archive a = {0};
	struct problem p = {0};
	ok(archive_add(&a, name, "", 0, &p) < 0 && p.code == EXIT_USAGE, "%s",
	   p.text);
	archive_free(&a);
}

/* Fills in the checksum of the first header again. */
static void sign(void)
{
	unsigned sum = 0;
	memset(bytes + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += (unsigned char)bytes[i];
	snprintf(bytes + 148, 8, "%06o", sum);
	bytes[155] = ' ';
}

static void refuses(const char *why)
{
	struct archive a;
	struct problem p = {0};
	ok(archive_read(&a, bytes, n, "x", &p) < 0 && p.code == EXIT_INPUT &&
	       strstr(p.text, why),
	   "%s: %s", why, p.text);
	archive_free(&a);
}

/* A member with that name, type and size in its header. */
static void header(const char *name, char type, const char *size)
{
	const char *const one[] = {"one"};
	written(one, 1);
	memset(bytes, 0, 100);
	memcpy(bytes, name, strlen(name));
	bytes[156] = type;
	memcpy(bytes + 124, size, strlen(size));
	sign();
}

static void suspicion(void)
{
	static const char three[] = "00000000003";
	const char *const two[] = {"a", "b"}, *const same[] = {"b"};
	header("one", '0', three);
	struct archive a;
	struct problem p = {0};
	ok(archive_read(&a, bytes, n, "x", &p) == 0, "as it was written");
	archive_free(&a);
	header("/one", '0', three), refuses("outside");
	header("../one", '0', three), refuses("outside");
	header("a/../one", '0', three), refuses("outside");
	header("a//one", '0', three), refuses("outside");
	header("a\none", '0', three), refuses("outside");
	header("", '0', three), refuses("outside");
	header("one", '2', three), refuses("no regular file");
	header("one", '5', three), refuses("no regular file");
	header("one", '0', "00000100000"), refuses("cut off");
	header("one", '0', "77777777777"), refuses("cut off");
	header("one", '0', "9"), refuses("cut off");
	header("one", '0', three), bytes[0] ^= 1, refuses("wrong checksum");
	header("one", '0', three), n -= 512, refuses("cut off");
	header("one", '0', three), n = 700, refuses("cut off");
	header("one", '0', three), bytes[257] = 'x', refuses("no bundle");
	n = 0, refuses("cut off");
	written(two, 2);
	memcpy(bytes, bytes + 1024, 512), refuses("ascending order");
	written(same, 1);
}

/* Whatever one byte is, the reader ends, within the archive. */
static void any_byte(void)
{
	const char *const name[] = {"one", "two"};
	size_t read = 0;
	for (size_t i = 0; i < 1024; i++) {
		struct archive a;
		struct problem p;
		written(name, 2);
		bytes[i] ^= (char)(1 << i % 8);
		read += archive_read(&a, bytes, n, "x", &p) == 0;
		for (size_t k = 0; k < a.n; k++)
			if (a.item[k].bytes < bytes ||
			    a.item[k].bytes + a.item[k].n > bytes + n)
				bail_out("outside");
		archive_free(&a);
	}
	ok(read >= 512 && read < 700, "%zu of 1024 changes are of content",
	   read);
}

int main(void)
{
	char clean[60];
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	reads();
	extracts();
	no_name("/a"), no_name("a/../b"), no_name(""), no_name("a/");
	char longer[400];
	memset(longer, 'x', sizeof longer), longer[399] = '\0';
	no_name(longer), longer[150] = '\0', no_name(longer);
	suspicion();
	any_byte();
	free(bytes);
	snprintf(clean, sizeof clean, "rm -rf %s", folder);
	return system(clean) == 0 ? done() : 1;
}
