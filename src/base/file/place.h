/* base/file/place.h -- paths as texts: absolute and without "." and "..", and
 * the way from one to another.  Links are not followed.  [any thread] */
#pragma once

/* Both return a text that the caller frees; NULL: memory is out, or the working
 * directory is not known. */
/* "a/../b" in /home/u -> "/home/u/b" */
char *place_of(const char *path);
/* The path of `to`, a place, as a file in the folder `from` would write it:
 * "/a/b", "/a/c/d" -> "../c/d". */
char *place_from(const char *from, const char *to);
/* Returns the part of a place below a folder, or NULL if it is not below:
 * "/a", "/a/b/c" -> "b/c". */
const char *place_below(const char *folder, const char *place);
