/// The modules of the JavaScript client, embedded when the package is built.
package enum ClientFiles {
  package static let listsync = PackageResources.listsync_js
  package static let documents = PackageResources.documents_js
  package static let publications = PackageResources.publications_js
  package static let proofs = PackageResources.proofs_js
  package static let changes = PackageResources.changes_js
  package static let signatures = PackageResources.signatures_js
  package static let roots = PackageResources.roots_js
  package static let lists = PackageResources.lists_js
}
