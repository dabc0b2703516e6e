#include "keys/hardware.h"
#include "scratch.h"

static struct problem p;
static struct hardware h;

/* From an INI "a.ini" beside the GPUs' files; 0, or -1 with p. */
static int load(const char *text, const char *arm_section, uint32_t format)
{
	struct ini c;
	p = (struct problem){0};
	if (ini_load(&c, scratch_file("a.ini", text), &p) < 0)
		bail_out(p.text);
	int rc = hardware_load(&h, &c, NULL, arm_section, format, &p);
	h.keys.config = NULL; /* it points into c */
	ini_free(&c);
	return rc;
}

static void refused(const char *text, const char *want)
{
	ok(load(text, "cost_model:a", SC_BF16) < 0 && p.code == EXIT_USAGE,
	   "refused");
	if (!ok(strstr(p.text, want) != NULL, "%s", want))
		printf("# got: %s\n", p.text);
	hardware_free(&h);
}

#define GPU "[hardware]\nconfig = ./gpu.ini\n"

static void units(void)
{
	ok(load("[hardware]\nbf16_tflops=2\nfp8_tflops=4\nint8_tops=5\n"
		"memory_bandwidth_tbs=3\nmemory_gib=80\nl2_mb=50\n"
		"link_bandwidth_gbs=450\nlink_latency_us=2\nsm_count=132\n",
		NULL, SC_BF16) == 0,
	   "keys alone: %s", p.text);
	is(h.name, "[hardware]", "it has no other name");
	near(h.view.peak_flops[SC_BF16], 2e12, 0, "TFLOP/s");
	ok(h.view.peak_flops[SC_FP16] == 2e12 &&
	       h.view.peak_flops[SC_FP8] == 4e12 &&
	       h.view.peak_flops[SC_INT8] == 5e12 &&
	       h.view.peak_flops[SC_FP4] == 0,
	   "FP16 is as BF16; what is not given is unsupported");
	ok(h.view.mem_bandwidth == 3e12 && h.view.mem_bytes == 80 * 0x1p30 &&
	       h.view.l2_bytes == 50e6 && h.view.link_bandwidth == 450e9 &&
	       h.view.link_latency_us == 2 && h.view.sm_count == 132,
	   "bytes, bytes per second, us");
	hardware_free(&h);
	ok(load("", NULL, SC_BF16) == 0 && h.view.mem_bandwidth == 0,
	   "no [hardware]: all is unknown");
	hardware_free(&h);
}

static void files(void)
{
	scratch_file("gpu.ini", "[hardware]\nbf16_tflops=10\nfp8_tflops=20\n"
				"memory_bandwidth_tbs=2\nusable_bytes=7e9\n");
	ok(load(GPU, NULL, SC_BF16) == 0, "from a file: %s", p.text);
	is(h.name, "gpu", "named as the file is");
	ok(h.view.peak_flops[SC_FP8] == 20e12 && h.view.mem_bytes == 7e9,
	   "its keys");
	hardware_free(&h);
	ok(load(GPU "memory_bandwidth_tbs=1\nmemory_gib=1\n", NULL, SC_BF16) ==
		   0 &&
	       h.view.mem_bandwidth == 1e12 && h.view.mem_bytes == 0x1p30,
	   "what [hardware] says goes before the file; GiB before its bytes");
	hardware_free(&h);
	ok(load(GPU "memory_bandwidth_tbs=1\n[cost_model:a]\n"
		    "hardware.memory_bandwidth_tbs=0.5\n",
		"cost_model:a", SC_BF16) == 0 &&
	       h.view.mem_bandwidth == 0.5e12,
	   "what an arm says goes before both");
	hardware_free(&h);
	ok(load(GPU "peak_tflops=99\n", NULL, SC_FP8) == 0 &&
	       h.view.peak_flops[SC_FP8] == 99e12 &&
	       h.view.peak_flops[SC_BF16] == 10e12,
	   "peak_tflops is of the format that is computed in");
	hardware_free(&h);
	scratch_file("peak.ini", "[hardware]\npeak_tflops=10\n"
				 "memory_bandwidth_tbs=2\n");
	ok(load("[hardware]\nconfig=./peak.ini\nbf16_tflops=3\n", NULL,
		SC_BF16) == 0 &&
	       h.view.peak_flops[SC_BF16] == 3e12,
	   "and gives way to the format's own, laid over it");
	hardware_free(&h);
	ok(load(GPU "[cost_model:a]\nhardware.config = ./peak.ini\n",
		"cost_model:a", SC_BF16) == 0 &&
	       h.view.peak_flops[SC_BF16] == 10e12,
	   "an arm may have a GPU of its own");
	hardware_free(&h);
}

static void faults(void)
{
	refused("[hardware]\nbf16_tflops=2\n",
		"a.ini:1: [hardware] needs config or memory_bandwidth_tbs");
	scratch_file("slow.ini", "[hardware]\nbf16_tflops=10\n");
	refused("[hardware]\nconfig = ./slow.ini\n",
		"a.ini:2: config = ./slow.ini has no memory_bandwidth_tbs");
	refused("[hardware]\nfp8_tflops=2\nmemory_bandwidth_tbs=3\n",
		"has no peak for bf16, which the model computes in; give "
		"peak_tflops");
	refused(GPU "memory_bandwidth_tbs=0\n",
		"a.ini:3: memory_bandwidth_tbs = 0: must be above 0");
	refused(GPU "memory_bandwidth_tbs=-1\n", "a.ini:3: ");
	refused("[hardware]\nconfig = ./none.ini\n", "a.ini:2: config = ");
	scratch_file("bad.ini", "[hardware]\nmemory=1\n");
	refused("[hardware]\nconfig = ./bad.ini\n",
		"bad.ini:2: unknown key 'memory'");
	scratch_file("bad.ini", "[hardware]\nconfig=x\n");
	refused("[hardware]\nconfig = ./bad.ini\n",
		"bad.ini:2: a file named by config cannot have a key config");
	scratch_file("bad.ini", "[model]\n");
	refused("[hardware]\nconfig = ./bad.ini\n",
		"bad.ini:1: unknown section [model]; allowed: hardware");
}

/* The usable part of another GPU's memory, left in a copy of its file. */
static void too_much_usable(void)
{
	refused("[hardware]\nmemory_bandwidth_tbs = 2\nbf16_tflops = 400\n"
		"memory_gib = 48\nusable_bytes = 84.9e9\n",
		":5: usable_bytes = 8.49e+10 is more than memory_gib = 48");
}

/* An arm's GPU over a pool's over [hardware]. */
static void pools(void)
{
	struct ini c;
	const char *text = "[hardware]\nconfig=./gpu.ini\n[engine:decode]\n"
			   "hardware.memory_bandwidth_tbs=5\n"
			   "hardware.usable_bytes=9e9\n"
			   "[cost_model:a]\nhardware.usable_bytes=8e9\n";
	if (ini_load(&c, scratch_file("a.ini", text), &p) < 0)
		bail_out(p.text);
	ok(hardware_load(&h, &c, "engine:decode", NULL, SC_BF16, &p) == 0 &&
	       h.view.mem_bandwidth == 5e12 && h.view.mem_bytes == 9e9,
	   "a pool's");
	hardware_free(&h);
	ok(hardware_load(&h, &c, "engine:decode", "cost_model:a", SC_BF16,
			 &p) == 0 &&
	       h.view.mem_bandwidth == 5e12 && h.view.mem_bytes == 8e9,
	   "an arm's before it");
	hardware_free(&h);
	ini_free(&c);
}

/* A configured price goes before a file of prices. */
static void prices(void)
{
	scratch_folder("data/etc");
	setenv("STEPCOST_DATA_PATH", scratch_path("data"), 1);
	scratch_file("data/etc/prices.csv", "gpu,usd_per_hour,kind,as_of,list\n"
					    "gpu,2,on demand,2026-09,x\n");
	scratch_file("own.csv", "gpu,usd_per_hour,kind,as_of,list\n"
				"gpu,5,spot,2026-10,y\n");
	ok(load(GPU, NULL, SC_BF16) == 0 && h.view.usd_per_hour == 2 &&
	       h.keys.usd_per_hour == 2 && h.price.lists == 1,
	   "the price of etc/prices.csv: %s", p.text);
	hardware_free(&h);
	ok(load(GPU "usd_per_hour = 3\n", NULL, SC_BF16) == 0 &&
	       h.view.usd_per_hour == 3 && h.price.lists == 0,
	   "a price that is configured goes before it");
	hardware_free(&h);
	ok(load(GPU "prices = own.csv\n", NULL, SC_BF16) == 0 &&
	       h.view.usd_per_hour == 5,
	   "another file of prices: %s", p.text);
	is(h.price.kind, "spot", "its kind");
	hardware_free(&h);
	ok(load("[hardware]\nconfig = ./peak.ini\nprices = own.csv\n", NULL,
		SC_BF16) == 0 &&
	       h.view.usd_per_hour == 0,
	   "a GPU that it lacks has no price");
	hardware_free(&h);
	ok(load("[hardware]\nconfig = ./peak.ini\nprices = own.csv\n"
		"gpu = gpu\n",
		NULL, SC_BF16) == 0 &&
	       h.view.usd_per_hour == 5,
	   "unless its key gpu names one");
	hardware_free(&h);
	refused(GPU "prices = none.csv\n", "none.csv");
	unsetenv("STEPCOST_DATA_PATH");
}

/* A law of the user's, and prices of energy. */
static void power(void)
{
	ok(load("[hardware]\nbf16_tflops=2\nmemory_bandwidth_tbs=3\npower_"
		"limit_w=300\n"
		"power_a=.2\npower_b=.3\nidle_w=90\nusd_per_kwh=.36\npue=1.5\n",
		NULL, SC_BF16) == 0 &&
	       h.power.limit_w == 300 && h.power.a == .2 && h.power.error == 0,
	   "a power law of the user's");
	near(h.power.usd_per_joule, .36 * 1.5 / 3.6e6, 1e-15,
	     "energy has a price");
	ok(h.power.idle_w == 90, "an idle GPU its power");
	hardware_free(&h);
	refused(
	    "[hardware]\nbf16_tflops=2\nmemory_bandwidth_tbs=3\npower_b=.2\n",
	    "need power_limit_w");
	refused("[hardware]\nbf16_tflops=2\nmemory_bandwidth_tbs=3\n"
		"power_limit_w=300\n",
		"needs power_a, power_b or power_c above 0");
	refused("[hardware]\nbf16_tflops=2\nmemory_bandwidth_tbs=3\n"
		"power_limit_w=300\npower_a=.1\npower_c=.1\nidle_w=70\n",
		"idle_w = 70 is above the power of a GPU with all the work "
		"that it can do, 60 W by power_limit_w");
	refused("[hardware]\nbf16_tflops=2\nmemory_bandwidth_tbs=3\n"
		"usd_per_kwh=-1\n",
		"usd_per_kwh = -1");
	refused("[hardware]\nbf16_tflops=2\nmemory_bandwidth_tbs=3\n"
		"pue=.9\n",
		"pue = .9");
}

static void gone(void)
{
	ok(hardware_read(&h, "h100-gone", &p) < 0 &&
	       strstr(p.text, "h100-gone"),
	   "a GPU whose file is gone: %s", p.text);
	hardware_free(&h);
}

/* A GPU by its name, from the data folder. */
static void names(void)
{
	scratch_folder("named/etc/hardware");
	setenv("STEPCOST_DATA_PATH", scratch_path("named"), 1);
	scratch_file("named/etc/hardware/g.ini",
		     "[hardware]\nbf16_tflops=10\nmemory_bandwidth_tbs=2\n");
	ok(load("[hardware]\nconfig = g\n", NULL, SC_BF16) == 0 && h.is_shipped,
	   "a shipped GPU: %s", p.text);
	hardware_free(&h);
	ok(load("[hardware]\nconfig = g\nmemory_bandwidth_tbs = 2.0\n"
		"sm_count = 0\n",
		NULL, SC_BF16) == 0 &&
	       h.is_shipped,
	   "keys that say the same leave it so");
	hardware_free(&h);
	ok(load("[hardware]\nconfig = g\nsm_count = 1\n", NULL, SC_BF16) == 0 &&
	       !h.is_shipped,
	   "another value does not");
	hardware_free(&h);
	ok(load("[hardware]\nconfig = g\n[engine:decode]\nmax_num_seqs = 8\n"
		"hardware.sm_count = 7\n",
		NULL, SC_BF16) == 0 &&
	       h.view.sm_count == 0,
	   "a pool that is not asked for");
	hardware_free(&h);
	ok(load("[hardware]\nconfig =\nmemory_bandwidth_tbs = 1\n"
		"peak_tflops = 3\n",
		NULL, SC_FP16) == 0 &&
	       h.view.peak_flops[SC_BF16] == 3e12 &&
	       h.view.peak_flops[SC_FP16] == 3e12,
	   "no config; a peak of FP16 is one of BF16");
	is(h.name, "[hardware]", "by keys alone");
	hardware_free(&h);
	struct names all = {0};
	ok(hardware_names(&all) == 0 && all.n == 1 && !strcmp(all.item[0], "g"),
	   "the names of all");
	names_free(&all);
	unsetenv("STEPCOST_DATA_PATH");
}

/* The keys of the file alone. */
static void of_file(const char *text, const char *want)
{
	struct ini c;
	p = (struct problem){0};
	if (ini_load(&c, scratch_file("a.ini", text), &p) < 0)
		bail_out(p.text);
	int rc = hardware_load_file(&h, &c, NULL, NULL, SC_BF16, &p);
	ok(want ? rc < 0 && strstr(p.text, want)
		: rc == 0 && h.view.mem_bandwidth == 2e12,
	   "the file alone: %s", p.text);
	hardware_free(&h);
	ini_free(&c);
}

static void other_files(void)
{
	of_file(GPU "memory_bandwidth_tbs = 9\n", NULL);
	of_file("[hardware]\nconfig = ./none.ini\n", "No such file");
	scratch_file("text.ini", "[hardware]\nsm_count = many\n");
	of_file("[hardware]\nconfig = ./text.ini\n",
		"text.ini:2: sm_count = many: not an integer");
	scratch_file("data/etc/prices.csv", "gpu,usd_per_hour,kind,as_of,list\n"
					    "dear,2,on demand,2026-09,x\n");
	scratch_file("dear.csv", "gpu,usd_per_hour,kind,as_of,list\n"
				 "dear,7,spot,2026-10,y\n");
	scratch_file("dear.ini", "[hardware]\nbf16_tflops=10\n"
				 "memory_bandwidth_tbs=2\nprices=dear.csv\n");
	setenv("STEPCOST_DATA_PATH", scratch_path("data"), 1);
	ok(load("[hardware]\nconfig = ./dear.ini\n", NULL, SC_BF16) == 0 &&
	       h.view.usd_per_hour == 7,
	   "a GPU's file names its prices: %s", p.text);
	hardware_free(&h);
	ok(load("[hardware]\nconfig = ./dear.ini\nprices =\n", NULL, SC_BF16) ==
		   0 &&
	       h.view.usd_per_hour == 2,
	   "an empty name means the shipped ones: %s", p.text);
	hardware_free(&h);
	scratch_file("data/etc/power.csv",
		     "gpu,limit_w,a,b,p,c,q,error\ngpu,100,.5,.1,1,.1,1,.05\n");
	refused(GPU "idle_w = 71\n", "idle_w = 71 is above the power of a GPU "
				     "with all the work that it can do, 70 W "
				     "by etc/power.csv");
	refused(GPU "power_a = .2\n", "need power_limit_w");
	refused(GPU "power_c = .2\n", "need power_limit_w");
	scratch_file("data/etc/power.csv",
		     "gpu,limit_w,a,b,p,c,q,error\ngpu,x,.5,.1,1,.1,1,.05\n");
	ok(load(GPU, NULL, SC_BF16) < 0 && p.code == EXIT_INPUT &&
	       strstr(p.text, "power.csv:2: not a number"),
	   "a law that is none: %s", p.text);
	hardware_free(&h);
	unsetenv("STEPCOST_DATA_PATH");
	refused(GPU "architecture = Hoper\n",
		"a.ini:3: architecture = Hoper is none of Volta, Turing, "
		"Ampere, Ada, Hopper, Blackwell, CDNA3, CDNA4 (did you mean "
		"'Hopper'?); leave it empty");
	ok(load(GPU "architecture = hopper\n", NULL, SC_BF16) == 0,
	   "in any case");
	hardware_free(&h);
}

int main(void)
{
	gone();
	scratch_open();
	units();
	files();
	too_much_usable();
	pools();
	prices();
	faults();
	power();
	names();
	other_files();
	return done();
}
