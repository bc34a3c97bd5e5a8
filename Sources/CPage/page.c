// The files of the folder Page, embedded. A build sees when one of them changes.

#include "CPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_html[] = {
#embed "Page/page.html"
};

static const unsigned char style_css[] = {
#embed "Page/style.css"
};

// One script, of files that share their names: each comes after those that it stands on.
static const unsigned char script_js[] = {
// Reading the recording.
#embed "Page/values.js" suffix(,)
#embed "Page/patches.js" suffix(,)
#embed "Page/differences.js" suffix(,)
#embed "Page/columns.js" suffix(,)
#embed "Page/following.js" suffix(,)
#embed "Page/search.js" suffix(,)
#embed "Page/questions.js" suffix(,)
#embed "Page/recording.js" suffix(,)
// Showing it.
#embed "Page/dom.js" suffix(,)
#embed "Page/format.js" suffix(,)
#embed "Page/virtual.js" suffix(,)
#embed "Page/palette.js" suffix(,)
#embed "Page/timeline.js" suffix(,)
#embed "Page/pins.js" suffix(,)
#embed "Page/actions.js" suffix(,)
#embed "Page/marks.js" suffix(,)
#embed "Page/tree.js" suffix(,)
#embed "Page/diff.js" suffix(,)
#embed "Page/inspector.js" suffix(,)
#embed "Page/dialogs.js" suffix(,)
#embed "Page/address.js" suffix(,)
#embed "Page/live.js" suffix(,)
#embed "Page/commands.js" suffix(,)
#embed "Page/panels.js" suffix(,)
#embed "Page/app.js" suffix(,)
};

#define HINDSIGHT_PAGE_FILE(file) (hindsight_page_file){file, sizeof(file)}

hindsight_page_file hindsight_page_html(void) { return HINDSIGHT_PAGE_FILE(page_html); }

hindsight_page_file hindsight_page_style(void) { return HINDSIGHT_PAGE_FILE(style_css); }

hindsight_page_file hindsight_page_script(void) { return HINDSIGHT_PAGE_FILE(script_js); }
