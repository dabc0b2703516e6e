#include "base/file/outfile.h"
#include <dirent.h>
#include <fcntl.h>
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
	int n = -2;
	DIR *d = opendir(folder);
	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

/* The target is replaced, and the link stays one. */
static void links(const char *path)
{
	struct outfile o;
	struct stat st;
	char link[100];
	snprintf(link, sizeof link, "%s/link", folder);
	ok(symlink("x", link) == 0 && outfile_open(&o, link, &p) == 0,
	   "through a link");
	fputs("four", o.f);
	ok(outfile_commit(&o, &p) == 0 && lstat(link, &st) == 0 &&
	       S_ISLNK(st.st_mode),
	   "which stays");
	is(content(path), "four", "the target");
	unlink(link);
}

/* What wrote it failed, or did not. */
static void ends(const char *path)
{
	struct outfile o;
	o = (struct outfile){0};
	ok(outfile_open_if(&o, NULL, &p) == 0 && !o.f &&
	       outfile_commit(&o, &p) == 0,
	   "a file that nobody asks for");
	ok(outfile_open_if(&o, path, &p) == 0 && o.f, "one that is asked for");
	outfile_discard(&o);
	ok(outfile_open(&o, path, &p) == 0, "open");
	fputs("half", o.f);
	ok(outfile_end(&o, -1, &p) == -1, "its writer failed");
	is(content(path), "four", "as it was");
	ok(outfile_open(&o, path, &p) == 0, "open again");
	fputs("five", o.f);
	ok(outfile_end(&o, 0, &p) == 0, "its writer did not");
	is(content(path), "five", "replaced");
}

static void nobody_reads(const char *path)
{
	struct outfile o;
	unlink(path);
	ok(mkfifo(path, 0600) == 0 && outfile_open(&o, path, &p) < 0,
	   "a pipe that nobody reads: %s", p.text);
}

/* As main() leaves one that was closed. */
static void no_standard_output(void)
{
	struct outfile o;
	int kept = dup(STDOUT_FILENO);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup2(null, STDOUT_FILENO);
	int rc = outfile_open(&o, NULL, &p);
	dup2(kept, STDOUT_FILENO);
	close(kept), close(null);
	ok(rc < 0 && p.code == EXIT_USAGE, "no standard output: %s", p.text);
	ok(outfile_open(&o, NULL, &p) == 0 && o.f == stdout, "the usual one");
	outfile_discard(&o);
}

int main(void)
{
	no_standard_output();
	struct outfile o;
	struct stat st;
	char path[100];
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	snprintf(path, sizeof path, "%s/x", folder);
	umask(022);
	ok(outfile_open(&o, path, &p) == 0, "open");
	fputs("one", o.f);
	ok(n_files() == 0, "nothing there before commit");
	ok(fcntl(fileno(o.f), F_GETFD) & FD_CLOEXEC, "close-on-exec");
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
	ok(n_files() == 1, "nothing beside it");
	links(path);
	ends(path);
	nobody_reads(path);
	unlink(path);
	rmdir(folder);
	ok(outfile_open(&o, path, &p) < 0 && p.code == EXIT_USAGE, "%s",
	   p.text);
	ok(outfile_open(&o, "/dev/full", &p) == 0, "a device");
	fputs("x", o.f);
	ok(outfile_commit(&o, &p) < 0, "%s", p.text);
	is(p.text, "cannot write /dev/full: No space left on device", "why");
	outfile_open(&o, "/dev/full", &p);
	fputs("x", o.f), fflush(o.f);
	ok(outfile_commit(&o, &p) < 0, "a write that failed before");
	is(p.text,
	   "cannot write /dev/full: an earlier write failed; is the disk full?",
	   "and what may be done");
	return done();
}
