import Hashing
import ListModel

extension BareChanges {
  /// Identifies the changes: the first 32 hex digits of the SHA-256 of a JSON object that has the
  /// four arrays of a delta document, in their order, without white space.
  package var digest: String {
    let bytes = JSONWriter.object { $0.members(of: self) }
    return Hex.encode(SHA256.digest(of: bytes).bytes.prefix(16))
  }
}
