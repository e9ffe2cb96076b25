import EmbeddedFiles
import Foundation
import Hashing

/// The page with the history of one list inside, in one file that needs neither server nor network.
///
/// It has the modules of ``WebPage`` as one script, because a browser loads no modules from a disk.
/// The script and the style are admitted by their digests, and nothing else runs.
package struct ReportPage: Sendable {
  /// The bytes before and after the bundle.
  package let beginning: [UInt8]
  package let end: [UInt8]

  /// A text near the beginning of each report, and of no other page.
  package static let mark = #"<meta name="generator" content="ListSync">"#

  /// - Parameter facts: a JSON object with `title` (a JSON Pointer or null), `oldest` (the oldest
  ///   version of the list), and the arrays `tags` and `prunings` as the server has them.
  package init(facts: [UInt8]) {
    // In JSON, `<` occurs only inside of strings; without it, no text can end the element.
    let json = String(decoding: facts, as: UTF8.self).replacing("<", with: #"\u003c"#)
    beginning = Self.parts[0] + json.utf8 + Self.parts[1]
    end = Self.parts[2]
  }

  /// The texts before the facts, between them and the bundle, and after it. They are found once,
  /// since a program that publishes makes many pages.
  private static let parts: [[UInt8]] = {
    let parts = template.components(separatedBy: "{{BUNDLE}}")
      .flatMap { $0.components(separatedBy: "{{FACTS}}") }.map { Array($0.utf8) }
    precondition(parts.count == 3, "the template has one place for the facts, and one behind it")
    return parts
  }()

  /// The document without the facts and the bundle.
  private static let template = [
    "{{POLICY}}": policy, "{{STYLE}}": style, "{{SCRIPT}}": script,
  ].reduce(text(of: embedded_report_html())) { document, part in
    document.replacing(part.key, with: part.value, maxReplacements: 1)
  }

  static let policy = [
    "default-src 'none'", "script-src \(source(of: script))", "style-src \(source(of: style))",
    "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].joined(separator: "; ")

  private static let style = text(of: embedded_page_css())

  /// All modules, each after those that it imports. Their top-level names are distinct.
  static let script = [
    embedded_lists_js(), embedded_roots_js(), embedded_documents_js(), embedded_listsync_js(),
    embedded_exact_js(), embedded_elements_js(), embedded_charts_js(), embedded_parts_js(),
    embedded_rows_js(), embedded_members_js(), embedded_views_js(), embedded_item_js(),
    embedded_replay_js(), embedded_page_js(), embedded_report_js(),
  ].map { withoutLinks(text(of: $0)) }.joined()

  private static func text(of file: EmbeddedFile) -> String {
    String(decoding: [UInt8](file), as: UTF8.self)
  }

  /// A module without its imports and exports, which are statements that begin a line.
  private static func withoutLinks(_ module: String) -> String {
    module
      .replacing(#/(?m)^import [^;]*;\n/#, with: "")
      .replacing(#/(?m)^export \{[^;]*;\n/#, with: "")
      .replacing(#/(?m)^export /#, with: "")
      // A module that is loaded when it is needed: what it exports is there by its name.
      .replacing(#/\(await import\("\./[a-z]+\.js"\)\)\./#, with: "")
  }

  /// The source expression of a Content-Security-Policy that admits a text.
  private static func source(of text: String) -> String {
    "'sha256-\(Data(SHA256.digest(of: Array(text.utf8)).bytes).base64EncodedString())'"
  }
}
