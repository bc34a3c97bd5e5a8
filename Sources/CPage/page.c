// The files of the folder Page, embedded. A build sees when one of them changes.

#include "CPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_html[] = {
#embed "Page/page.html"
};

static const unsigned char style_css[] = {
#embed "Page/style.css"
};

// The scripts: each one here, and below in the list of the order in which they run.

static const unsigned char values_js[] = {
#embed "Page/values.js"
};

static const unsigned char patches_js[] = {
#embed "Page/patches.js"
};

static const unsigned char differences_js[] = {
#embed "Page/differences.js"
};

static const unsigned char columns_js[] = {
#embed "Page/columns.js"
};

static const unsigned char following_js[] = {
#embed "Page/following.js"
};

static const unsigned char search_js[] = {
#embed "Page/search.js"
};

static const unsigned char questions_js[] = {
#embed "Page/questions.js"
};

static const unsigned char recording_js[] = {
#embed "Page/recording.js"
};

static const unsigned char dom_js[] = {
#embed "Page/dom.js"
};

static const unsigned char format_js[] = {
#embed "Page/format.js"
};

static const unsigned char virtual_js[] = {
#embed "Page/virtual.js"
};

static const unsigned char palette_js[] = {
#embed "Page/palette.js"
};

static const unsigned char timeline_js[] = {
#embed "Page/timeline.js"
};

static const unsigned char pins_js[] = {
#embed "Page/pins.js"
};

static const unsigned char actions_js[] = {
#embed "Page/actions.js"
};

static const unsigned char marks_js[] = {
#embed "Page/marks.js"
};

static const unsigned char tree_js[] = {
#embed "Page/tree.js"
};

static const unsigned char diff_js[] = {
#embed "Page/diff.js"
};

static const unsigned char inspector_js[] = {
#embed "Page/inspector.js"
};

static const unsigned char dialogs_js[] = {
#embed "Page/dialogs.js"
};

static const unsigned char address_js[] = {
#embed "Page/address.js"
};

static const unsigned char live_js[] = {
#embed "Page/live.js"
};

static const unsigned char app_js[] = {
#embed "Page/app.js"
};

#define HINDSIGHT_PAGE_FILE(file) {file, sizeof(file)}

static const hindsight_page_file scripts[] = {
    // Reading the recording.
    HINDSIGHT_PAGE_FILE(values_js),
    HINDSIGHT_PAGE_FILE(patches_js),
    HINDSIGHT_PAGE_FILE(differences_js),
    HINDSIGHT_PAGE_FILE(columns_js),
    HINDSIGHT_PAGE_FILE(following_js),
    HINDSIGHT_PAGE_FILE(search_js),
    HINDSIGHT_PAGE_FILE(questions_js),
    HINDSIGHT_PAGE_FILE(recording_js),
    // Showing it.
    HINDSIGHT_PAGE_FILE(dom_js),
    HINDSIGHT_PAGE_FILE(format_js),
    HINDSIGHT_PAGE_FILE(virtual_js),
    HINDSIGHT_PAGE_FILE(palette_js),
    HINDSIGHT_PAGE_FILE(timeline_js),
    HINDSIGHT_PAGE_FILE(pins_js),
    HINDSIGHT_PAGE_FILE(actions_js),
    HINDSIGHT_PAGE_FILE(marks_js),
    HINDSIGHT_PAGE_FILE(tree_js),
    HINDSIGHT_PAGE_FILE(diff_js),
    HINDSIGHT_PAGE_FILE(inspector_js),
    HINDSIGHT_PAGE_FILE(dialogs_js),
    HINDSIGHT_PAGE_FILE(address_js),
    HINDSIGHT_PAGE_FILE(live_js),
    HINDSIGHT_PAGE_FILE(app_js),
};

hindsight_page_file hindsight_page_html(void) { return (hindsight_page_file)HINDSIGHT_PAGE_FILE(page_html); }

hindsight_page_file hindsight_page_style(void) { return (hindsight_page_file)HINDSIGHT_PAGE_FILE(style_css); }

hindsight_page_file hindsight_page_script(size_t index) {
    if (index < sizeof(scripts) / sizeof(scripts[0])) return scripts[index];
    return (hindsight_page_file){0, 0};
}
