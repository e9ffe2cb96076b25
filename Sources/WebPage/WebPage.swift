import EmbeddedFiles

extension [UInt8] {
  /// The bytes of a file that the program carries.
  package init(_ file: EmbeddedFile) {
    self.init(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}

/// The page that shows lists and their history in a browser. Its files are embedded when the
/// package is built.
package enum WebPage {
  package struct File: Sendable {
    package let mediaType: String
    package let bytes: [UInt8]

    fileprivate init(mediaType: String, file: EmbeddedFile) {
      self.mediaType = mediaType
      bytes = [UInt8](file)
    }
  }

  package static let document = File(
    mediaType: "text/html; charset=utf-8", file: embedded_index_html())

  /// The files beside the document, by name. The JavaScript client is the one in `Clients`.
  package static let files = [
    "charts.js": script(embedded_charts_js()),
    "documents.js": script(embedded_documents_js()),
    "elements.js": script(embedded_elements_js()),
    "exact.js": script(embedded_exact_js()),
    "icon.svg": File(mediaType: "image/svg+xml", file: embedded_icon_svg()),
    "item.js": script(embedded_item_js()),
    "lists.js": script(embedded_lists_js()),
    "listsync.js": script(embedded_listsync_js()),
    "live.js": script(embedded_live_js()),
    "members.js": script(embedded_members_js()),
    "page.css": File(mediaType: "text/css; charset=utf-8", file: embedded_page_css()),
    "page.js": script(embedded_page_js()),
    "parts.js": script(embedded_parts_js()),
    "proofs.js": script(embedded_proofs_js()),
    "publications.js": script(embedded_publications_js()),
    "roots.js": script(embedded_roots_js()),
    "replay.js": script(embedded_replay_js()),
    "rows.js": script(embedded_rows_js()),
    "changes.js": script(embedded_changes_js()),
    "signatures.js": script(embedded_signatures_js()),
    "views.js": script(embedded_views_js()),
  ]

  private static func script(_ file: EmbeddedFile) -> File {
    File(mediaType: "text/javascript; charset=utf-8", file: file)
  }

  /// Only files of this server, no frame, no markup made of texts.
  package static let contentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
    "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")
}
