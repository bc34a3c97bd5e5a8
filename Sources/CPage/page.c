// The files of the folder Page, embedded. A build sees when one of them changes.

#include "CPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_html[] = {
#embed "Page/page.html"
};

static const unsigned char style_css[] = {
#embed "Page/style.css"
};

// Scripts: each file here, and in the list below in the order in which they run.

static const unsigned char recording_js[] = {
#embed "Page/recording.js"
};

static const unsigned char app_js[] = {
#embed "Page/app.js"
};

#define HINDSIGHT_PAGE_FILE(file) {file, sizeof(file)}

static const hindsight_page_file scripts[] = {
    HINDSIGHT_PAGE_FILE(recording_js),
    HINDSIGHT_PAGE_FILE(app_js),
};

hindsight_page_file hindsight_page_html(void) { return (hindsight_page_file)HINDSIGHT_PAGE_FILE(page_html); }

hindsight_page_file hindsight_page_style(void) { return (hindsight_page_file)HINDSIGHT_PAGE_FILE(style_css); }

hindsight_page_file hindsight_page_script(size_t index) {
    if (index < sizeof(scripts) / sizeof(scripts[0])) return scripts[index];
    return (hindsight_page_file){0, 0};
}
