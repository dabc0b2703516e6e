/* Points that may go, and what that costs. */
#include "tables/downsample.h"
#include "findings.h"
#include "scratch.h"

static struct checked_table c;
static struct downsampled out;
static char is_kept[64];

static void downsample(const char *file, double share, const char *rows)
{
	struct problem p;
	scratch_file(file, rows);
	ok(checked_table_open(&c, scratch_path(file), NULL, note_finding, NULL,
			      &p) == 0 &&
	       downsample_table(&c, share, is_kept, &out) == 0,
	   "thinned");
}

static const char *written(void)
{
	static char text[2000];
	FILE *f = fmemopen(text, sizeof text, "w");
	downsample_write(&c, is_kept, f);
	fclose(f);
	return text;
}

int main(void)
{
	scratch_open();
	/* On a line in logarithms, except m = 8. */
	downsample("gemm.csv", .9,
		   "dtype,m,n,k,latency_us\nbf16,1,8,8,10\nbf16,2,8,8,20\n"
		   "bf16,4,8,8,40\nbf16,8,8,8,120\nbf16,16,8,8,160\n"
		   "bf16,1,9,8,7\n");
	is(written(),
	   "dtype,m,n,k,latency_us\nbf16,1,8,8,10\nbf16,4,8,8,40\n"
	   "bf16,8,8,8,120\nbf16,16,8,8,160\nbf16,1,9,8,7\n",
	   "a point on the line between others goes");
	ok(out.n == 6 && out.kept == 5, "at most the share");
	checked_table_close(&c);
	downsample("gemm.csv", .1,
		   "dtype,m,n,k,latency_us\nbf16,1,8,8,10\nbf16,2,8,8,20\n"
		   "bf16,4,8,8,80\n");
	is(written(), "dtype,m,n,k,latency_us\nbf16,1,8,8,10\nbf16,4,8,8,80\n",
	   "the ends stay");
	near(out.mean, sqrt(800) / 20 - 1, 1e-12, "off the line between them");
	near(out.worst, out.mean, 1e-12, "the only one");
	ok(out.worst_line == 3, "in its line of the file");
	checked_table_close(&c);
	downsample("attention_decode.csv", 1,
		   "dtype,heads,kv_heads,head_dim,batch,kv_len,latency_us\n"
		   "bf16,8,8,128,1,10,5\nbf16,8,8,128,1,20,9\n"
		   "bf16,8,8,128,2,20,9\n");
	ok(out.kept == 3 && out.mean == 0, "all of it");
	checked_table_close(&c);
	return done();
}
