/* Sets of tables that arms get: by name, of their GPU, of a plugin's own
 * folder; and each refusal. */
#include "config_of.h"
#include "cost/kernel_op.h"

static struct config c;

/* The demo GPU has a set of this name in the folder of the plugin `operators`
 * alone. */
static void make_folders(const char *plugins)
{
	static const char *const from[] = {"operators", "const_step", "exec"};
	static char path[1000];
	char command[1500], *data = realpath(scratch, NULL);
	scratch_folder("plugins/operators/bench_data/own");
	scratch_file("plugins/operators/bench_data/own/MANIFEST",
		     "source = me\ngpu = demo\n");
	scratch_file("plugins/operators/bench_data/own/gemm.csv",
		     "m,n,k,dtype,latency_us\n1,512,512,bf16,5\n");
	scratch_folder("plugins/const_step");
	scratch_file("plugins/broken.so", "no shared object");
	for (size_t i = 0; data && i < sizeof from / sizeof *from; i++) {
		snprintf(command, sizeof command, "cp %s/%s.so %s/plugins/%s",
			 plugins, from[i], data, i < 2 ? from[i] : "");
		if (system(command))
			bail_out(command);
	}
	snprintf(path, sizeof path, "%s/plugins", data);
	free(data);
	setenv("STEPCOST_PLUGIN_PATH", path, 1);
	setenv("STEPCOST_DATA_PATH", scratch, 1);
}

#define DEMO                                                                   \
	CONFIG_SETUP CONFIG_ONE_BY_ONE "[hardware]\ngpu=demo\n"                \
				       "[tables]\n%s\n"                        \
				       "[cost_model]\nplugin=%s\n%s\n"

/* want: the sets of the arm, "a, b". */
static const struct choice {
	const char *tables, *plugin, *own; /* own: keys of the arm */
	const char *set, *want;
} choice[] = {
    {"", "operators", "", "auto", "own"},
    {"set=own", "operators", "", "own", "own"},
    {"set=", "operators", "", "", ""},
    {"set=none", "operators", "tables.set=own", "own", "own"},
    {"path=", "operators", "", "auto", "own"},
    {"path=/none", "operators", "tables.path=PLUGINS\ntables.set=own", "own",
     "own"},
    {"set=auto, operators/own", "const_step", "", "", ""},
    {"", "const_step", "", "", ""},
    {"", "const_step", "tables.set=operators/own", "operators/own", "own"},
    {"", "const_step", "tables.set=auto, operators/own", "auto, operators/own",
     "own"},
    {"", "exec", "", "", ""},
    {"set=operators/own", "exec", "", "operators/own", "own"},
    /* which cannot be asked */
    {"", "broken", "", "", ""},
    {"set=operators/own", "broken", "", "operators/own", "own"},
};

/* Where the set lies stands for PLUGINS. */
static const char *ini_of(const char *tables, const char *plugin,
			  const char *own)
{
	static char ini[2000];
	char keys[600];
	const char *at = strstr(own, "PLUGINS");
	snprintf(keys, sizeof keys, "%.*s%s%s",
		 (int)(at ? at - own : (long)strlen(own)), own,
		 at ? scratch_path("plugins/operators/bench_data") : "",
		 at ? at + strlen("PLUGINS") : "");
	snprintf(ini, sizeof ini, DEMO, tables, plugin, keys);
	return ini;
}

static void each_choice(void)
{
	for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) {
		const struct choice *x = &choice[i];
		char got[200] = "";
		size_t n = 0;
		int rc = config_of(&c, ini_of(x->tables, x->plugin, x->own));
		for (size_t k = 0; rc == 0 && k < c.arm[0].tables.n; k++)
			n += (size_t)snprintf(got + n, sizeof got - n, "%s%s",
					      k ? ", " : "",
					      c.arm[0].tables.item[k].name);
		is(rc == 0 ? got : why.text, x->want, "choice %zu: %s %s", i,
		   x->tables, x->plugin);
		is(rc == 0 ? c.arm[0].set : "", x->set, "it is noted");
		config_free(&c);
	}
}

static void each_refusal(void)
{
	static const struct {
		const char *tables, *plugin, *own, *says;
	} some[] = {
	    {"path=/none", "operators", "",
	     "path = /none: No such file or directory; it is a folder"},
	    {"set=none", "operators", "", "no set of tables 'none'"},
	    {"set=none", "const_step", "", "no set of tables 'none'"},
	    {"set=own", "const_step", "", "no set of tables 'own'"},
	    {"set=const_step/own", "operators", "",
	     "const_step.so has no folder bench_data of its own"},
	    {"set=nobody/own", "operators", "", "no nobody.so in"},
	    {"set=exec/own", "operators", "",
	     "exec.so has no folder bench_data of its own"},
	    {"", "operators", "hardware.memory_gib=0", "memory_gib = 0"},
	};
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		int rc = config_of(
		    &c, ini_of(some[i].tables, some[i].plugin, some[i].own));
		ok(rc < 0 && why.code == EXIT_USAGE &&
		       strstr(why.text, some[i].says),
		   "refusal %zu: %s", i, why.text);
		config_free(&c);
	}
}

/* Prefill and decode apart have a choice each, and kernels all tables. */
static void others(void)
{
	char ini[3000];
	snprintf(ini, sizeof ini,
		 "%s[engine:prefill]\nreplicas=1\n[engine:decode]\n"
		 "replicas=1\n[engine]\nkv_transfer_bandwidth_gbs=1\n",
		 ini_of("", "operators", ""));
	ok(config_of(&c, ini) == 0 && c.arm[0].tables.n == 1 &&
	       c.arm[0].decode_tables.n == 1,
	   "both pools have the set of their GPU: %s", why.text);
	config_free(&c);
	ok(config_load_kernels(
	       &c, scratch_file("k.ini", ini_of("", "operators", "")), NULL, 0,
	       NULL, &why) == 0 &&
	       c.arm[0].tables.layers == KERNEL_OF_ANY,
	   "kernels of any layers: %s", why.text);
	config_free(&c);
}

int main(void)
{
	scratch_open();
	make_folders(getenv("STEPCOST_PLUGIN_PATH"));
	each_choice();
	each_refusal();
	others();
	return done();
}
