/// The version that this package's programs report.
package enum Build {
  package static let version = "0.1.0"
}
