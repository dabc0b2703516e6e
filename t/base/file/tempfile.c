/* A temporary file has no name, and no program that is started sees it. */
#include "base/file/tempfile.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"

static int links(FILE *f)
{
	struct stat is;
	return fstat(fileno(f), &is) == 0 ? (int)is.st_nlink : -1;
}

static void try(const char *tmpdir)
{
	char text[8] = "";
	if (tmpdir)
		setenv("TMPDIR", tmpdir, 1);
	else
		unsetenv("TMPDIR");
	FILE *f = tempfile_open();
	ok(f && links(f) == 0, "TMPDIR %s: without a name",
	   tmpdir ? tmpdir : "(unset)");
	if (!f)
		return;
	ok(fcntl(fileno(f), F_GETFD) & FD_CLOEXEC, "close-on-exec");
	fputs("text", f);
	rewind(f);
	ok(fgets(text, sizeof text, f) != NULL, "what was written");
	is(text, "text", "is read");
	fclose(f);
}

int main(void)
{
	try(NULL);
	try(".");
	try("/none/such");
	ok(tempfile_in("/none/such") < 0 && errno == ENOENT, "no folder");
	/* Folders of processes: its file system makes no files, and only root
	 * may try. */
	int why = access("/proc", W_OK) == 0 ? EOPNOTSUPP : EACCES;
	ok(tempfile_in("/proc") < 0 && errno == why, "no such files");
	return done();
}
