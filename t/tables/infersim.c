/* InferSim's layout, read as it is. */
#include "tables/infersim.h"
#include "scratch.h"
#include "tables/set.h"
#include "stepcost/table.h"

static struct problem p;
static struct table_set s;

static int load(void)
{
	return set_load(&s, scratch, "h9", 0, &p);
}

static sc_setup setup_of(void)
{
	return (sc_setup){
	    .size = sizeof(sc_setup), .n_tables = s.n, .table = s.view};
}

static void merges(void)
{
	scratch_file("gemm/h9/data.csv",
		     "m,k,n,latency_us,mfu\n8,2,6,8.5,0.5\n");
	scratch_file("mha/decode/h9/32-8-128-tp2.csv",
		     "dtype,batch_size,kv_len,latency_us,mfu,x\n"
		     "bf16,4,64,2,0.25,9\n");
	scratch_file("mha/decode/h9/32-8-128-tp1.csv",
		     "batch_size,kv_len,latency_us,mfu\n3,32,1.5,0.125\n");
	scratch_file("mha/prefill/h9/28-4-128.csv",
		     "dtype,seq_len,latency_us,mfu\nbf16,1024,7,0.2\n");
	ok(load() == 0, "%s", p.text);
	ok(s.n == 3 && s.n_files == 4, "three tables of four files");
	const sc_setup setup = setup_of();
	const sc_table *t = sc_table_of(&setup, "attention_decode");
	ok(t && t->n_rows == 2 && sc_column(t, "tp")[0] == 1 &&
	       sc_column(t, "tp")[1] == 2 &&
	       sc_column(t, "model_heads")[1] == 32 &&
	       sc_column(t, "batch")[0] == 3 &&
	       sc_column(t, "latency_us")[1] == 2 && !sc_column(t, "x"),
	   "decode: shapes from the names, files in their order");
	ok(t && !strcmp(t->text[0][0], "unknown") &&
	       !strcmp(t->text[0][1], "bf16"),
	   "a format where it is said");
	t = sc_table_of(&setup, "attention_prefill");
	ok(t && sc_column(t, "batch")[0] == 1 &&
	       sc_column(t, "kv_heads")[0] == 4 &&
	       sc_column(t, "mfu")[0] == 0.2,
	   "prefill: one request");
	t = sc_table_of(&setup, "gemm");
	ok(t && sc_column(t, "k")[0] == 2 && !strcmp(t->set, "h9"), "GEMM");
	ok(t && t->n_cols == 6 && !strcmp(t->col_name[1], "m") &&
	       strstr(t->origin, "/gemm/h9"),
	   "its columns, and the folder it comes from");
	ok(t && !strcmp(sc_words(t, "dtype")[0], "fp8_block"),
	   "of a block-scaled format");
	set_free(&s);
}

/* An MFU that one file lacks is none of the table. */
static void common(void)
{
	scratch_file("mha/decode/h9/64-8-128-tp1.csv",
		     "batch_size,kv_len,latency_us\n3,32,1e-7\n");
	ok(load() == 0, "%s", p.text);
	const sc_setup setup = setup_of();
	const sc_table *t = sc_table_of(&setup, "attention_decode");
	ok(t && t->n_rows == 3 && !sc_column(t, "mfu") &&
	       sc_column(t, "latency_us")[2] == 1e-7,
	   "columns that all files have; numbers to the last bit");
	set_free(&s);
	unlink(scratch_path("mha/decode/h9/64-8-128-tp1.csv"));
}

/* KV formats of one file become two tables; no tp in the name, no header. */
static void kv_formats(void)
{
	scratch_file("mha/decode/h9/16-2-256.csv",
		     "bf16,bf16,1,1024,32.185,0.004\n"
		     "bf16,fp8,1,1024,25.5,0.008\n");
	ok(load() == 0, "%s", p.text);
	const sc_setup setup = setup_of();
	const sc_table *t = sc_table_of(&setup, "attention_decode");
	ok(t && t->n_rows == 3 && sc_column(t, "tp")[0] == 1 &&
	       sc_column(t, "model_heads")[0] == 16 &&
	       sc_column(t, "latency_us")[0] == 32.185,
	   "16-bit KV beside the other files'");
	t = sc_table_of(&setup, "attention_decode_more");
	ok(t && t->n_rows == 1 && !strcmp(sc_words(t, "kv_dtype")[0], "fp8") &&
	       sc_column(t, "latency_us")[0] == 25.5,
	   "8-bit KV by itself");
	set_free(&s);
	unlink(scratch_path("mha/decode/h9/16-2-256.csv"));
}

static void mla_and_experts(void)
{
	scratch_folder("mla/decode/h8");
	scratch_folder("mla/prefill/h8");
	scratch_folder("grouped_gemm/decode/h8");
	scratch_file("mla/decode/h8/128-512-64.csv",
		     "dtype,kv_dtype,batch_size,kv_len,latency_us,mfu\n"
		     "bf16,bf16,16,4096,61.5,0.2\n");
	scratch_file("mla/prefill/h8/128-128-64.csv",
		     "dtype,seq_len,latency_us,mfu\nbf16,1024,116.88,0.5\n");
	scratch_file("grouped_gemm/decode/h8/data.csv",
		     "num_experts,num_gpus,num_local_experts,topk,hidden_size,"
		     "intermediate_size,batch_size_per_gpu,tokens_per_expert,"
		     "up_proj_us,up_mfu,down_proj_us,down_mfu\n"
		     "256,8,32,8,7168,2048,64,16,500.5,0.1,300.25,0.2\n");
	ok(set_load(&s, scratch, "h8", 0, &p) == 0 && s.n == 3, "%s", p.text);
	const sc_setup setup = setup_of();
	const sc_table *t = sc_table_of(&setup, "mla_decode");
	ok(t && sc_column(t, "heads")[0] == 128 &&
	       sc_column(t, "batch")[0] == 16 &&
	       !strcmp(sc_words(t, "kv_dtype")[0], "bf16"),
	   "MLA, heads from the name");
	t = sc_table_of(&setup, "mla_prefill");
	ok(t && sc_column(t, "seq_len")[0] == 1024, "its prompts");
	t = sc_table_of(&setup, "grouped_gemm_decode");
	ok(t && !strcmp(sc_words(t, "dtype")[0], "fp8_block") &&
	       sc_column(t, "local_experts")[0] == 32 &&
	       sc_column(t, "inter")[0] == 2048 &&
	       sc_column(t, "tokens_per_rank")[0] == 64 &&
	       sc_column(t, "up_us")[0] == 500.5 &&
	       sc_column(t, "down_us")[0] == 300.25,
	   "experts, two times a row");
	set_free(&s);
}

static void refused(const char *file, const char *text, const char *why)
{
	const char *path = scratch_file(file, text);
	ok(load() < 0 && p.code == EXIT_INPUT && strstr(p.text, why), "%s",
	   p.text);
	unlink(path);
}

static int n_bad;

static void on_bad(void *user, const struct problem *q)
{
	(void)user;
	n_bad += q->code == EXIT_INPUT;
}

static void faults(void)
{
	const struct table_bad bad = {on_bad, NULL};
	refused("mha/prefill/h9/28-4.csv", "seq_len,latency_us\n1,2\n",
		"28-4.csv: a file here is called HEADS-KVHEADS-DIM.csv");
	refused("mha/decode/h9/28-4.csv", "x\n1\n",
		"a file here is called HEADS-KVHEADS-DIM.csv, or with -tpN");
	refused("mha/prefill/h9/28-4-64.csv", "len,latency_us\n1,2\n",
		"28-4-64.csv:1: needs a column seq_len of numbers");
	scratch_file("mha/prefill/h9/28-4-64.csv", "len,latency_us\n1,2\n");
	ok(set_load_some(&s, scratch, "h9", &bad, &p) == 0 && n_bad == 1 &&
	       s.n == 2,
	   "a bad file costs its table, and is told once");
	set_free(&s);
	unlink(scratch_path("mha/prefill/h9/28-4-64.csv"));
	refused("gemm/h9/data.csv",
		"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
		"data.csv:1: is a git-LFS pointer");
	refused("gemm/h9/data.csv", "m,k,n,latency_us\n8,2,6,-1\n",
		"data.csv:2: a negative number");
	refused("gemm/h9/data.csv.gz", "x", "compressed: unpack it first");
}

/* A word, a negative number or nothing in place of each figure is refused with
 * its line. */
static void each_column(void)
{
	static const struct {
		const char *file, *head, *row;
	} of[] = {
	    {"grouped_gemm/prefill/h9/data.csv",
	     "num_experts,num_gpus,num_local_experts,topk,hidden_size,"
	     "intermediate_size,seq_len_per_gpu,tokens_per_expert,up_proj_us,"
	     "up_mfu,down_proj_us,down_mfu",
	     "256,8,32,8,7168,2048,64,16,500.5,0.1,300.25,0.2"},
	    {"gemm/h9/data.csv", "m,k,n,latency_us,mfu", "8,2,6,8.5,0.5"},
	    {"mha/decode/h9/32-8-128.csv", "batch_size,kv_len,latency_us,mfu",
	     "3,32,1.5,0.125"},
	    {"mha/prefill/h9/28-4-128.csv", "seq_len,latency_us,mfu",
	     "1024,7,0.2"},
	};
	static const char *const bad[] = {"x", "-1", ""};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		for (const char *cell = of[i].row; *cell;) {
			size_t n = strcspn(cell, ",");
			for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
				char text[400];
				snprintf(text, sizeof text, "%s\n%.*s%s%s\n",
					 of[i].head, (int)(cell - of[i].row),
					 of[i].row, bad[k], cell + n);
				refused(of[i].file, text, ".csv:");
			}
			cell += n + (cell[n] == ',');
		}
}

/* Formats that GEMMs say, prompts that say none, and a folder without files. */
static void formats_said(void)
{
	scratch_folder("gemm/h7");
	scratch_folder("gemm/h6");
	scratch_folder("mha/prefill/h7");
	scratch_file("gemm/h7/data.csv",
		     "dtype,m,k,n,latency_us\nfp8,8,2,6,8.5\nbf16,8,2,6,9\n");
	scratch_file("mha/prefill/h7/28-4-128.csv",
		     "seq_len,latency_us\n1024,7\n");
	ok(set_load(&s, scratch, "h7", 0, &p) == 0 && s.n == 2, "%s", p.text);
	const sc_setup setup = setup_of();
	const sc_table *t = sc_table_of(&setup, "gemm");
	ok(t && !strcmp(sc_words(t, "dtype")[0], "fp8_block") &&
	       !strcmp(sc_words(t, "dtype")[1], "bf16"),
	   "fp8 is block-scaled, other formats are what they say");
	t = sc_table_of(&setup, "attention_prefill");
	ok(t && !sc_words(t, "dtype") && sc_column(t, "seq_len")[0] == 1024,
	   "no file says a format: no column");
	set_free(&s);
	ok(set_load(&s, scratch, "h6", 0, &p) < 0 &&
	       strstr(p.text, "no .csv file for h6"),
	   "a folder without files: %s", p.text);
}

static void more_names(void)
{
	scratch_folder("mla/decode/h9");
	refused("mla/decode/h9/128-512-64-tp1.csv", "x\n1\n",
		"128-512-64-tp1.csv: a file here is called "
		"HEADS-KVHEADS-DIM.csv");
	refused("mha/prefill/h9/28-4-64-tp2.csv", "x\n1\n",
		"28-4-64-tp2.csv: a file here is called HEADS-KVHEADS-DIM.csv");
}

int main(void)
{
	scratch_open();
	scratch_folder("gemm/h9");
	scratch_folder("mha/decode/h9");
	scratch_folder("mha/prefill/h9");
	scratch_folder("grouped_gemm/prefill/h9");
	merges();
	common();
	kv_formats();
	mla_and_experts();
	more_names();
	formats_said();
	faults();
	each_column();
	return done();
}
