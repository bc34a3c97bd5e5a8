#ifndef HINDSIGHT_CPAGE_H
#define HINDSIGHT_CPAGE_H

#include <stddef.h>

/// A file of the page, as it was when this target was compiled.
typedef struct {
    const unsigned char *bytes;
    size_t count;
} hindsight_page_file;

/// The template, whose markers the module HindsightView replaces.
hindsight_page_file hindsight_page_html(void);

hindsight_page_file hindsight_page_style(void);

/// The script, which reads the recording and shows it.
hindsight_page_file hindsight_page_script(void);

#endif
