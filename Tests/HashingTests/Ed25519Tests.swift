import Hashing
import Testing

@Suite struct Ed25519Tests {
  /// Tests 1 and 2 of RFC 8032, section 7.1.
  static let vectors = [
    Vector(
      seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
      signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
    Vector(
      seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: "72",
      signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
  ]

  @Test(arguments: vectors) func keysAndSignaturesAreThoseOfTheStandard(_ vector: Vector) {
    #expect(Ed25519.publicKey(ofSeed: vector.seed) == vector.key)
    #expect(Ed25519.signature(of: vector.message, bySeed: vector.seed) == vector.signature)
    #expect(Ed25519.isSignature(vector.signature, of: vector.message, byKey: vector.key))
  }

  @Test(arguments: vectors) func everyChangedBitIsRefused(_ vector: Vector) {
    for bit in 0..<512 {
      var signature = vector.signature
      signature[bit / 8] ^= 1 << (bit % 8)
      #expect(!Ed25519.isSignature(signature, of: vector.message, byKey: vector.key))
    }
    for bit in 0..<256 {
      var key = vector.key
      key[bit / 8] ^= 1 << (bit % 8)
      #expect(!Ed25519.isSignature(vector.signature, of: vector.message, byKey: key))
    }
    #expect(!Ed25519.isSignature(vector.signature, of: vector.message + [0], byKey: vector.key))
  }

  @Test func bytesOfAnotherLengthAreNoKeyAndNoSignature() {
    let vector = Self.vectors[0]
    for count in 0...96 where count != 32 {
      let key = Array((vector.key + vector.signature).prefix(count))
      #expect(!Ed25519.isSignature(vector.signature, of: vector.message, byKey: key))
    }
    for count in 0...96 where count != 64 {
      let signature = Array((vector.signature + vector.key).prefix(count))
      #expect(!Ed25519.isSignature(signature, of: vector.message, byKey: vector.key))
    }
  }

  struct Vector: Sendable {
    let seed, key, message, signature: [UInt8]

    init(seed: String, key: String, message: String, signature: String) {
      self.seed = bytes(seed)
      self.key = bytes(key)
      self.message = bytes(message)
      self.signature = bytes(signature)
    }
  }
}
