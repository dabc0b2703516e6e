words='NAME=probe_us'
wants='probe_us'
plant() {
	behind plugins/const_step/const_step.c 'struct knobs {' '	double probe_us;'
	behind plugins/const_step/const_step.c 'static const sc_knob *const knobs[] = {' '    SC_DOUBLE(struct knobs, probe_us, "0", 0, 1e9, "us", "A word."),'
	behind plugins/const_step/const_step.md '## Source' 'probe_us: made up.'
}
