import Hashing
import Testing

@Suite struct SHA256Tests {
  /// FIPS 180-4 names these in its examples.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func digestIsThatOfTheStandard(text: String, hex: String) {
    #expect(SHA256.digest(of: Array(text.utf8)).bytes == bytes(hex))
  }

  @Test func piecesHaveTheDigestOfTheWhole() {
    let whole = (0..<200).map { UInt8($0) }
    for first in 0...200 {
      var hash = SHA256()
      hash.update(Array(whole[..<first]))
      #expect(hash.digest == SHA256.digest(of: Array(whole[..<first])))
      var copy = hash
      hash.update(Array(whole[first...]))
      #expect(hash.digest == SHA256.digest(of: whole))
      copy.update([1])
      #expect(copy.digest == SHA256.digest(of: whole[..<first] + [1]), "a copy goes on by itself")
    }
  }

  @Test func digestIsReadFrom32BytesAlone() {
    let digest = SHA256.digest(of: [])
    #expect(SHA256.Digest(bytes: digest.bytes) == digest)
    #expect(SHA256.Digest(bytes: digest.bytes.lazy.map { $0 }) == digest)
    #expect(SHA256.Digest(bytes: digest.bytes.dropLast()) == nil)
    #expect(SHA256.Digest(bytes: digest.bytes + [0]) == nil)
    #expect(digest.prefix == 0xe3b0_c442_98fc_1c14)
  }

  @Test func digestEqualsItsBytesAlone() {
    let digest = SHA256.digest(of: [])
    #expect(digest.isEqualInConstantTime(to: digest.bytes))
    #expect(!digest.isEqualInConstantTime(to: digest.bytes.dropLast()))
    #expect(!digest.isEqualInConstantTime(to: digest.bytes + [0]))
    for index in 0..<32 {
      var other = digest.bytes
      other[index] ^= 1 << (index % 8)
      #expect(!digest.isEqualInConstantTime(to: other))
    }
  }
}

/// The bytes of hex digits.
func bytes(_ hex: String) -> [UInt8] {
  stride(from: 0, to: hex.count, by: 2).compactMap {
    UInt8(hex.dropFirst($0).prefix(2), radix: 16)
  }
}
