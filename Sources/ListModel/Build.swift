/// What this package's programs say of themselves.
package enum Build {
  package static let version = "0.1.0"
}
