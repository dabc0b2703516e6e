/* digest.c -- Hashes the files of a plugin. */
#include "plugin/digest.h"
#include <stdlib.h>
#include <string.h>
#include "plugin/loader.h"

const char *plugin_digest(const char *file, int does_io, char hex[DIGEST])
{
	const char *slash = strrchr(file, '/'), *is = NULL;
	struct names files = {0};
	if (!does_io)
		return digest_file(file, hex);
	char *folder =
	    slash ? strndup(file, (size_t)(slash - file)) : strdup(".");
	if (folder && plugin_files(&files, file) == 0)
		is = digest_names(folder, &files, hex);
	names_free(&files);
	free(folder);
	return is;
}

const char *plugin_data_digest(const char *file, char hex[DIGEST])
{
	char *folder = plugin_folder(file);
	const char *is = folder ? digest_folder(folder, hex) : NULL;
	free(folder);
	return is;
}
