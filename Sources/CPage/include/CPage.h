#ifndef HINDSIGHT_CPAGE_H
#define HINDSIGHT_CPAGE_H

#include <stddef.h>

/// A file of the page, as it was when this target was compiled.
typedef struct {
    /// `NULL` if there is no such file.
    const unsigned char *bytes;
    size_t count;
} hindsight_page_file;

/// The template, whose markers the module HindsightView replaces.
hindsight_page_file hindsight_page_html(void);

hindsight_page_file hindsight_page_style(void);

/// A script by its place, from 0: they run in this order. After the last one, `bytes` is `NULL`.
hindsight_page_file hindsight_page_script(size_t index);

#endif
