/* Which sets an arm is told of. */
#include "tables/choice.h"
#include "scratch.h"

#define GEMM "m,n,k,latency_us\n1,2,3,4\n"

static struct problem p;
static struct set_choice c;
static struct library l;

static void a_set(const char *name, const char *gpu)
{
	char path[200], text[100];
	snprintf(path, sizeof path, "data/bench_data/%s", name);
	scratch_folder(path);
	snprintf(path, sizeof path, "data/bench_data/%s/gemm.csv", name);
	scratch_file(path, GEMM);
	snprintf(path, sizeof path, "data/bench_data/%s/MANIFEST", name);
	snprintf(text, sizeof text, "gpu = %s\n", gpu);
	if (gpu)
		scratch_file(path, text);
}

static const char *names(void)
{
	static char text[300];
	text[0] = '\0';
	for (size_t i = 0; i < c.n; i++) {
		size_t n = strlen(text);
		snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "",
			 c.item[i].name);
	}
	set_choice_free(&c);
	return text;
}

static void words(void)
{
	ok(set_is_of_gpu("H100 SXM 80GB", "h100-sxm") &&
	       set_is_of_gpu("A100 80GB SXM", "A100 SXM 80") &&
	       set_is_of_gpu("GB200 (one of NVL72)", "gb200"),
	   "all words of the GPU are in the name");
	ok(!set_is_of_gpu("H100, NVLink in pairs", "h100-sxm") &&
	       !set_is_of_gpu("H200 SXM 141GB", "h20") &&
	       !set_is_of_gpu("L40S 48GB", "l4") &&
	       !set_is_of_gpu("H100 SXM", "") && !set_is_of_gpu("", "h100"),
	   "or not");
}

static void by_name(void)
{
	ok(set_choice_named(&c, NULL, NULL, "h1.a, h1.b", &p) == 0, "two sets");
	is(names(), "h1.a h1.b", "in their order");
	ok(set_choice_named(&c, NULL, NULL, "h1.a,h1.a", &p) < 0 &&
	       p.code == EXIT_USAGE,
	   "%s", p.text);
	set_choice_free(&c);
	ok(set_choice_named(&c, NULL, NULL, "h1.a,", &p) < 0, "%s", p.text);
	set_choice_free(&c);
}

static void choose(const char *gpu, const char *want)
{
	struct hardware h;
	ok(hardware_read(&h, gpu, &p) == 0, "%s: %s", gpu, p.text);
	ok(set_choice_of_gpu(&c, &l, NULL, NULL, &h, 0, &p) == 0, "%s", p.text);
	is(names(), want, "the sets of %s", gpu);
	hardware_free(&h);
}

static void by_gpu(void)
{
	choose("h1", "h1.b-0.24 h1.b-0.9 h1.b h1.a");
	choose("h2", "h2");
	choose("h3", "h2");
	choose("h4", "");
}

static void gpu(const char *name, const char *architecture, double tbs)
{
	char path[100], text[200];
	snprintf(path, sizeof path, "data/etc/hardware/%s.ini", name);
	snprintf(text, sizeof text,
		 "[hardware]\narchitecture = %s\nbf16_tflops = 1\n"
		 "memory_bandwidth_tbs = %g\n",
		 architecture, tbs);
	scratch_file(path, text);
}

int main(void)
{
	scratch_open();
	scratch_folder("data/etc/hardware");
	setenv("STEPCOST_DATA_PATH", scratch_path("data"), 1);
	a_set("h1.a", "H1 of any kind");
	a_set("h1.b", "H1");
	a_set("h1.b-0.9", "H1");
	a_set("h1.b-0.24", "H1");
	a_set("h1.own", "H1\nauto = no");
	a_set("h2", NULL);
	gpu("h1", "Ampere", 1);
	gpu("h2", "Ampere", 4);
	gpu("h3", "ampere", 2.5);
	gpu("h4", "Hopper", 4);
	words();
	by_name();
	by_gpu();
	is(set_names_behind_auto("auto"), "", "auto alone");
	is(set_names_behind_auto("auto , h1.a"), " h1.a", "and others");
	ok(!set_names_behind_auto("automatic") &&
	       !set_names_behind_auto("h1.a,auto"),
	   "names that do not begin with it");
	library_free(&l);
	return done();
}
