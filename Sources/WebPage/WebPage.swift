import JavaScriptClient

/// The page that shows lists and their history in a browser. Its files are embedded when the
/// package is built.
package enum WebPage {
  package struct File: Sendable {
    package let mediaType: String
    package let bytes: [UInt8]
  }

  package static let document = File(
    mediaType: "text/html; charset=utf-8", bytes: PackageResources.index_html)

  /// The files beside the document, by name. The JavaScript client is the one in `Clients`.
  package static let files = [
    "charts.js": script(PackageResources.charts_js),
    "documents.js": script(ClientFiles.documents),
    "elements.js": script(PackageResources.elements_js),
    "exact.js": script(PackageResources.exact_js),
    "icon.svg": File(mediaType: "image/svg+xml", bytes: PackageResources.icon_svg),
    "item.js": script(PackageResources.item_js),
    "lists.js": script(ClientFiles.lists),
    "listsync.js": script(ClientFiles.listsync),
    "live.js": script(PackageResources.live_js),
    "page.css": File(mediaType: "text/css; charset=utf-8", bytes: PackageResources.page_css),
    "page.js": script(PackageResources.page_js),
    "proofs.js": script(ClientFiles.proofs),
    "publications.js": script(ClientFiles.publications),
    "roots.js": script(ClientFiles.roots),
    "rows.js": script(PackageResources.rows_js),
    "changes.js": script(ClientFiles.changes),
    "signatures.js": script(ClientFiles.signatures),
    "views.js": script(PackageResources.views_js),
  ]

  private static func script(_ bytes: [UInt8]) -> File {
    File(mediaType: "text/javascript; charset=utf-8", bytes: bytes)
  }

  /// Only files of this server, no frame, no markup made of texts.
  package static let contentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
    "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")
}
