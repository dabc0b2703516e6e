/* The digests are those of sha256sum, over the lines that a shell makes. */
#include "base/file/digest.h"
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"

static char folder[] = "digest.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[200];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "we");
	fputs(text, f);
	fclose(f);
}

/* Returns the first word that the command prints. */
static const char *shell(const char *command, char hex[DIGEST])
{
	char line[400];
	snprintf(line, sizeof line, "cd %s && %s", folder, command);
	FILE *f = popen(line, "re");
	hex[0] = '\0';
	if (!f || fscanf(f, "%64s", hex) != 1)
		hex[0] = '\0';
	if (f)
		pclose(f);
	return hex;
}

static void of_file(void)
{
	char hex[DIGEST], path[200];
	digest_bytes("abc", 3, hex);
	/* FIPS 180-4, the example of one block */
	is(hex,
	   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	   "abc");
	snprintf(path, sizeof path, "%s/b", folder);
	put("b", "abc");
	ok(digest_file(path, hex) && !strncmp(hex, "ba7816bf", 8),
	   "a file of these bytes");
	snprintf(path, sizeof path, "%s/none", folder);
	ok(!digest_file(path, hex), "none of no file");
}

static void of_folder(void)
{
	static const char line[] =
	    "find -L . -type f -printf '%P\\n' 2>/dev/null | LC_ALL=C sort | "
	    "xargs -d '\\n' sha256sum | sha256sum";
	char hex[DIGEST], want[DIGEST], path[200];
	snprintf(path, sizeof path, "%s/sub", folder);
	mkdir(path, 0777);
	put("sub/a", "1");
	put("sub/.hidden", "2");
	put("sub-", "3"); /* sorts before sub/a */
	put("Z with blank", "4");
	snprintf(path, sizeof path, "%s/link", folder);
	ok(symlink("b", path) == 0, "a link to a file");
	snprintf(path, sizeof path, "%s/sub/up", folder);
	ok(symlink("..", path) == 0, "a link to the folder above");
	snprintf(path, sizeof path, "%s/nowhere", folder);
	ok(symlink("none", path) == 0, "a link to nothing");
	ok(digest_folder(folder, hex) != NULL, "a folder");
	if (*shell(line, want))
		is(hex, want, "as the shell line says");
	put("sub/a", "5");
	char after[DIGEST];
	ok(digest_folder(folder, after) && strcmp(hex, after) != 0,
	   "another byte, another digest");
	char linked[DIGEST];
	put("b", "abcd");
	ok(digest_folder(folder, linked) && strcmp(linked, after) != 0,
	   "another byte of the target of a link");
	snprintf(path, sizeof path, "%s/none", folder);
	ok(!digest_folder(path, hex), "none of no folder");
}

int main(void)
{
	char clean[100];
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	of_file();
	of_folder();
	snprintf(clean, sizeof clean, "rm -rf %s", folder);
	return system(clean) == 0 ? done() : 1;
}
