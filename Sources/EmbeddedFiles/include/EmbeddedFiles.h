#ifndef EMBEDDED_FILES_H
#define EMBEDDED_FILES_H

#include <stddef.h>

/// The bytes of a file of this package, as it was when the package was built.
typedef struct {
  const unsigned char *_Nonnull bytes;
  size_t count;
} EmbeddedFile;

// The JavaScript client.
EmbeddedFile embedded_changes_js(void);
EmbeddedFile embedded_documents_js(void);
EmbeddedFile embedded_lists_js(void);
EmbeddedFile embedded_listsync_js(void);
EmbeddedFile embedded_proofs_js(void);
EmbeddedFile embedded_publications_js(void);
EmbeddedFile embedded_roots_js(void);
EmbeddedFile embedded_signatures_js(void);

// The page of the server and of reports.
EmbeddedFile embedded_charts_js(void);
EmbeddedFile embedded_elements_js(void);
EmbeddedFile embedded_exact_js(void);
EmbeddedFile embedded_icon_svg(void);
EmbeddedFile embedded_index_html(void);
EmbeddedFile embedded_item_js(void);
EmbeddedFile embedded_live_js(void);
EmbeddedFile embedded_page_css(void);
EmbeddedFile embedded_page_js(void);
EmbeddedFile embedded_parts_js(void);
EmbeddedFile embedded_members_js(void);
EmbeddedFile embedded_replay_js(void);
EmbeddedFile embedded_report_html(void);
EmbeddedFile embedded_report_js(void);
EmbeddedFile embedded_rows_js(void);
EmbeddedFile embedded_views_js(void);

// The description of the server.
EmbeddedFile embedded_openapi_json(void);

#endif
