/* Errors of single kernels from a file. */
#include "trust/kernel_errors.h"
#include <unistd.h>
#include "stepcost/plugin.h"
#include "tap.h"

static struct kernel_errors errors;
static char path[] = "/tmp/stepcost-kernels-XXXXXX";

static size_t read_text(const char *text)
{
	FILE *f = fopen(path, "w");
	if (!f)
		bail_out(path);
	fputs(text, f);
	fclose(f);
	kernel_errors_read(&errors, path, "mine", "1");
	return errors.n;
}

#define HEAD "plugin,version,op,provenance,rows,mean_error,low,high\n"

int main(void)
{
	int fd = mkstemp(path);
	if (fd < 0)
		bail_out("no file");
	close(fd);
	ok(read_text(HEAD "mine,1,gemm,interpolated,90,0.1,0.9,1.2\n"
			  "mine,1,gemm,substituted,80,0.2,0.5,1.5\n"
			  "mine,2,moe,interpolated,90,0.1,0.9,1.2\n"
			  "other,1,moe,interpolated,90,0.1,0.9,1.2\n") == 2,
	   "the rows of a plugin in its version");
	const struct kernel_error *e =
	    kernel_error_of(&errors, "gemm", SC_SUBSTITUTED);
	ok(e && e->n == 80, "of an operator and a label");
	near(e->low, .5, 1e-12, "its lower end");
	near(e->high, 1.5, 1e-12, "its upper end");
	ok(!kernel_error_of(&errors, "gemm", SC_EXACT), "a measured kernel");
	ok(!kernel_error_of(&errors, "moe", SC_INTERPOLATED),
	   "another operator");
	ok(read_text("plugin,version,op,provenance,rows,low\n") == 0,
	   "a column is missing");
	ok(read_text(HEAD "mine,1,gemm,guessed,90,0.1,0.9,1.2\n") == 0,
	   "an unknown label");
	ok(read_text(HEAD "mine,1,gemm,clamped,90,0.1,1.9,1.2\n") == 0,
	   "ends that are exchanged");
	unlink(path);
	kernel_errors_read(&errors, path, "mine", "1");
	ok(errors.n == 0, "no file");
	return done();
}
