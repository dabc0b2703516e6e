words='NAME=probe_kernel '"FOLDER=$work/probe_set"
wants='time falls along tokens'
plant() {
	before include/stepcost/kernel/kernel_tables.h '	X(moe_suspect,' '	X(probe_kernel, 0, SC_NO_LAW, NULL)                                    \'
	before src/cost/kernel_op.c '    KIND(moe_suspect,' '    KIND(probe_kernel, .key = {THE_DTYPE, TELLS("probe_width", NONE)},
	 .axis = {TELLS("tokens", TOKENS)}, .starts_us = 1),'
	before doc/tables.md '| `elementwise` |' '| `probe_kernel` | dtype, probe_width | tokens |'
	mkdir "$work/probe_set"
	printf 'source = made up\n' >"$work/probe_set/MANIFEST"
	printf 'dtype,probe_width,tokens,latency_us\nbf16,8,1,2\nbf16,8,2,1\n' >"$work/probe_set/probe_kernel.csv"
}
