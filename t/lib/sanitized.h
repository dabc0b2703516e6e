/* sanitized.h -- a build with AddressSanitizer: it leaves signals to the
 * program under test, and looks for no leaks in children that are killed. */
#ifndef T_SANITIZED_H
#define T_SANITIZED_H

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
/* It reserves more than any limit allows, so none is set. */
enum { LIMITED = 0 };
const char *__asan_default_options(void);
/* Weak: the tests of a room are one program. */
__attribute__((weak)) const char *__asan_default_options(void)
{
	return "handle_segv=0:handle_sigfpe=0:handle_abort=0:"
	       "handle_sigbus=0:detect_leaks=0";
}
#else
enum { LIMITED = 1 };
#endif
#endif
