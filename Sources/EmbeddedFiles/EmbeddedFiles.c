// The files that the programs carry. SwiftPM's embedInCode writes each byte as an element of a Swift array, for
// which the compiler takes seconds and hundreds of megabytes. Clang copies the bytes, and notes that it read the file.
#include "EmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define FILE(NAME) \
  EmbeddedFile embedded_##NAME(void) { return (EmbeddedFile){NAME, sizeof NAME}; }

static const unsigned char changes_js[] = {
#embed "../../Clients/JavaScript/changes.js"
};
FILE(changes_js)

static const unsigned char documents_js[] = {
#embed "../../Clients/JavaScript/documents.js"
};
FILE(documents_js)

static const unsigned char lists_js[] = {
#embed "../../Clients/JavaScript/lists.js"
};
FILE(lists_js)

static const unsigned char listsync_js[] = {
#embed "../../Clients/JavaScript/listsync.js"
};
FILE(listsync_js)

static const unsigned char proofs_js[] = {
#embed "../../Clients/JavaScript/proofs.js"
};
FILE(proofs_js)

static const unsigned char publications_js[] = {
#embed "../../Clients/JavaScript/publications.js"
};
FILE(publications_js)

static const unsigned char roots_js[] = {
#embed "../../Clients/JavaScript/roots.js"
};
FILE(roots_js)

static const unsigned char signatures_js[] = {
#embed "../../Clients/JavaScript/signatures.js"
};
FILE(signatures_js)

static const unsigned char charts_js[] = {
#embed "../WebPage/charts.js"
};
FILE(charts_js)

static const unsigned char elements_js[] = {
#embed "../WebPage/elements.js"
};
FILE(elements_js)

static const unsigned char exact_js[] = {
#embed "../WebPage/exact.js"
};
FILE(exact_js)

static const unsigned char icon_svg[] = {
#embed "../WebPage/icon.svg"
};
FILE(icon_svg)

static const unsigned char index_html[] = {
#embed "../WebPage/index.html"
};
FILE(index_html)

static const unsigned char item_js[] = {
#embed "../WebPage/item.js"
};
FILE(item_js)

static const unsigned char live_js[] = {
#embed "../WebPage/live.js"
};
FILE(live_js)

static const unsigned char page_css[] = {
#embed "../WebPage/page.css"
};
FILE(page_css)

static const unsigned char page_js[] = {
#embed "../WebPage/page.js"
};
FILE(page_js)

static const unsigned char parts_js[] = {
#embed "../WebPage/parts.js"
};
FILE(parts_js)

static const unsigned char report_html[] = {
#embed "../WebPage/report.html"
};
FILE(report_html)

static const unsigned char report_js[] = {
#embed "../WebPage/report.js"
};
FILE(report_js)

static const unsigned char members_js[] = {
#embed "../WebPage/members.js"
};
FILE(members_js)

static const unsigned char replay_js[] = {
#embed "../WebPage/replay.js"
};
FILE(replay_js)

static const unsigned char rows_js[] = {
#embed "../WebPage/rows.js"
};
FILE(rows_js)

static const unsigned char views_js[] = {
#embed "../WebPage/views.js"
};
FILE(views_js)

static const unsigned char openapi_json[] = {
#embed "../SyncServer/OpenAPI/openapi.json"
};
FILE(openapi_json)
