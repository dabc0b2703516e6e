/* Lengths of a workload are read, and fill rows that have none. */
#include "validate/measured/lengths.h"
#include "scratch.h"

static struct length_samples l;
static struct problem p;

static int read_text(const char *text)
{
	lengths_free(&l);
	p = (struct problem){0};
	return lengths_read(&l, scratch_file("l.csv", text), &p);
}

static void refused(const char *text, const char *want)
{
	if (!ok(read_text(text) < 0 && p.code == EXIT_INPUT &&
		    strstr(p.text, want),
		"%s", want))
		printf("# got %s\n", p.text);
}

#define HEAD "output_tokens,workload,input_tokens\n"

static void read_them(void)
{
	ok(read_text(HEAD "3,chat,10\n5,chat,20\n7,code,1e8\n") == 0 &&
	       l.n == 3,
	   "samples: %s", p.text);
	is(l.sample[2].workload, "code", "a workload");
	ok(l.sample[2].is.input_tokens == 100000000 &&
	       l.sample[2].is.output_tokens == 7,
	   "its lengths, by the names of the columns");
	refused("workload,input_tokens\nchat,1\n",
		"l.csv:1: needs the columns workload, input_tokens and "
		"output_tokens");
	refused(HEAD "3,chat,0\n", "l.csv:2: lengths are whole numbers");
	refused(HEAD "3,chat,1\nx,chat,5\n", "l.csv:3: lengths are");
	refused(HEAD "2e8,chat,1\n", "l.csv:2: lengths are");
	refused(HEAD ",chat,1\n", "l.csv:2: lengths are");
	refused(HEAD "3.5,chat,1\n", "l.csv:2: lengths are");
	lengths_free(&l);
	ok(lengths_read(&l, scratch_path("none.csv"), &p) < 0 &&
	       p.code == EXIT_USAGE,
	   "%s", p.text);
}

static struct measured_row *add(struct measured *m, const char *workload,
				double input, double output)
{
	struct measured_row *r = measured_add(m, &p);
	if (!r)
		bail_out(p.text);
	r->workload = workload ? strdup(workload) : NULL;
	r->input_tokens = input;
	r->output_tokens = output;
	return r;
}

static void filled(void)
{
	struct measured m = {0};
	measured_add_file(&m, "runs.csv", &p);
	add(&m, "chat", NAN, NAN);
	add(&m, "chat", 50, NAN);
	add(&m, "chat", 50, 60);
	add(&m, "unknown", NAN, NAN);
	add(&m, NULL, NAN, NAN);
	read_text(HEAD "3,chat,10\n5,chat,20\n7,code,1\n");
	ok(lengths_fill(&l, &m) == 0 && m.row[0].n_lengths == 2 &&
	       m.row[0].length[1].input_tokens == 20,
	   "a row without lengths has the samples of its workload");
	ok(m.row[0].input_tokens == 15 && m.row[0].output_tokens == 4,
	   "and their means");
	ok(m.row[1].n_lengths == 2 && m.row[1].input_tokens == 15,
	   "so has a row without one of the two");
	ok(m.row[2].n_lengths == 0 && m.row[2].input_tokens == 50,
	   "a row with both keeps them");
	ok(m.row[3].n_lengths == 0 && isnan(m.row[3].input_tokens) &&
	       isnan(m.row[4].output_tokens),
	   "a row of another workload, or of none, stays unknown");
	measured_free(&m);
}

int main(void)
{
	scratch_open();
	read_them();
	filled();
	lengths_free(&l);
	return done();
}
