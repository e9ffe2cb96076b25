// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as an app's author has one. `swift run first-rows` in this folder.
let package = Package(
  name: "first-rows",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "ListSync", path: "../..", traits: ["Replica"]),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "first-rows",
      dependencies: [
        .product(name: "GRDBReplica", package: "ListSync"),
        .product(name: "SyncClientHTTP", package: "ListSync"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ])
  ])
