#include "base/outfile.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"

static char folder[] = "outfile.XXXXXX";
static struct problem p;

static const char *content(const char *path)
{
	static char s[100];
	FILE *f = fopen(path, "r");
	if (!f)
		return "(none)";
	s[fread(s, 1, sizeof s - 1, f)] = '\0';
	fclose(f);
	return s;
}

static int n_files(void)
{
	int n = 0;
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

int main(void)
{
	struct outfile o;
	struct stat st;
	char path[100];
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	snprintf(path, sizeof path, "%s/x", folder);
	umask(022);
	ok(outfile_open(&o, path, &p) == 0, "open");
	fputs("one", o.f);
	is(content(path), "(none)", "nothing there before commit");
	ok(outfile_commit(&o, &p) == 0, "commit");
	is(content(path), "one", "all there after");
	ok(stat(path, &st) == 0 && (st.st_mode & 0777) == 0644,
	   "with the usual mode");
	ok(outfile_open(&o, path, &p) == 0, "open again");
	fputs("two", o.f);
	outfile_discard(&o);
	is(content(path), "one", "discarded: as it was");
	ok(n_files() == 1, "nothing else left");
	ok(outfile_open(&o, path, &p) == 0, "and again");
	fputs("three", o.f);
	ok(outfile_commit(&o, &p) == 0, "commit");
	outfile_discard(&o);
	is(content(path), "three", "replaced; discard after commit is nothing");
	unlink(path);
	rmdir(folder);
	ok(outfile_open(&o, path, &p) < 0 && p.code == EXIT_USAGE, "%s",
	   p.text);
	ok(outfile_open(&o, "/dev/full", &p) == 0, "a device");
	fputs("x", o.f);
	ok(outfile_commit(&o, &p) < 0, "%s", p.text);
	is(p.text, "cannot write /dev/full: No space left on device", "why");
	return done();
}
