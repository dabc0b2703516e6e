# inject.sh -- try: t/lib/inject.py with the built program; a script that sources
# this is skipped where calls cannot be caught.
inject=$(cd "$top_builddir" && pwd)/t/so/.libs/inject.so
try() { # OPTION...
	python3 "$top_srcdir/t/lib/inject.py" "$top_builddir/stepcost" "$inject" "$@"
	code=$?
	[ $code -ne 77 ] || { echo 'no system call can be caught here'; return 0; }
	return $code
}
[ -e "$inject" ] || { echo '1..0 # SKIP no shared objects are built'; exit 0; }
! nm "$top_builddir/stepcost" 2>/dev/null | grep -q __asan_init || [ -n "${SC_SANITIZED:-}" ] ||
	{ echo '1..0 # SKIP a sanitizer has allocations and system calls of its own'; exit 0; }
