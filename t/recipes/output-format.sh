# One command learns it; another one refuses it.
words='NAME=probe'
wants='probed
describe: --format probe: it writes text, json, csv'
plant() {
	before src/base/cmdline.h '	N_FORMATS' '	FORMAT_PROBE,'
	behind src/base/cmdline.h '	WRITES_CSV = ' '	WRITES_PROBE = 1 << FORMAT_PROBE,'
	replace src/base/cmdline.c '"prometheus", NULL};' '"prometheus", "probe", NULL};'
	behind src/cmd/plugins/plugins.c '		plugins_csv(' '	else if (c->format == FORMAT_PROBE)
		fputs("probed\\n", out.f);'
	line=$(at src/cmd/plugins/plugins.c 'const struct command command_plugins_list') &&
		sed "$line,\$s/| WRITES_CSV/| WRITES_CSV | WRITES_PROBE/" src/cmd/plugins/plugins.c >"$tap_tmp/new" &&
		cat "$tap_tmp/new" >src/cmd/plugins/plugins.c
}
