// swift-tools-version: 6.2
import PackageDescription

// An app that shows lists with ListChanges in UIKit and SwiftUI, for simulators of Apple's systems.
// A package of its own: Xcode then builds ListChanges alone for a simulator, and resolves no other
// package. README.md says what was checked.

// A package at a path is known by the name of its folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init)!

let package = Package(
  name: "ParksApp",
  platforms: [.macOS(.v15), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [.library(name: "ParksApp", targets: ["ParksApp"])],
  dependencies: [.package(path: "../..", traits: [])],
  targets: [
    .target(name: "ParksApp", dependencies: [.product(name: "ListChanges", package: folder)]),
    .testTarget(
      name: "ParksAppTests",
      dependencies: ["ParksApp", .product(name: "ListChanges", package: folder)]),
  ]
)
