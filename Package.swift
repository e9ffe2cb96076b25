// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let arguments: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nio: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHTTP: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")

// The direction of every arrow is enforced here: a layer sees the ones below it, never the ones
// above.
let package = Package(
  name: "ListSync",
  platforms: [.macOS(.v14), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "ListChanges", targets: ["ListChanges"]),
    .library(name: "ListChangesTesting", targets: ["ListChangesTesting"]),
    .library(name: "ListModel", targets: ["ListModel"]),
    .library(name: "ListDocuments", targets: ["ListDocuments"]),
    .library(name: "ListStore", targets: ["ListStore"]),
    .library(name: "SyncService", targets: ["SyncService"]),
    .library(name: "SyncClient", targets: ["SyncClient"]),
    .library(name: "SyncClientHTTP", targets: ["SyncClientHTTP"]),
    .library(name: "SyncServer", targets: ["SyncServer"]),
    .executable(name: "listsync", targets: ["listsync"]),
    .executable(name: "listsync-pull", targets: ["listsync-pull"]),
    .executable(name: "listsyncd", targets: ["listsyncd"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
    // Of the server and of listsync-pull alone: listsync links none of these.
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1",
      traits: ["FullFoundation"]),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.92.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.36.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.9.0"),
  ],
  targets: [
    .target(name: "ListChanges", swiftSettings: strict),
    .target(
      name: "ListChangesTesting", dependencies: ["ListChanges"], swiftSettings: strict),
    .target(name: "ListModel", dependencies: ["ListChanges", crypto], swiftSettings: strict),
    .target(
      name: "ListDocuments", dependencies: ["ListChanges", "ListModel", crypto],
      swiftSettings: strict),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "Gzip", dependencies: ["CZlib"], swiftSettings: strict),
    .target(
      name: "Migrations", path: "Migrations",
      resources: [
        .embedInCode("0001_create.sql"), .embedInCode("0002_checkpoints.sql"),
        .embedInCode("0003_page_checksums.sql"), .embedInCode("0004_tokens.sql"),
        .embedInCode("0005_row_digests.sql"),
      ],
      swiftSettings: strict),
    .target(name: "RawSQLite", dependencies: [grdb, sqlite], swiftSettings: strict),
    // Files that are named by people: where a name leads, and how a file is replaced.
    .target(name: "LocalFiles", swiftSettings: strict),
    .target(
      name: "ListStore",
      dependencies: [
        "ListChanges", "ListModel", "LocalFiles", "Migrations", "RawSQLite", crypto, grdb, sqlite,
      ],
      swiftSettings: strict),
    .target(
      name: "SyncService", dependencies: ["ListChanges", "ListModel", "ListStore", "LocalFiles"],
      swiftSettings: strict),
    .target(
      name: "ServiceDocuments", dependencies: ["ListDocuments", "ListModel", "SyncService"],
      swiftSettings: strict),
    // A client stands on its own: neither the store nor the service, and nothing of Linux alone.
    .target(
      name: "SyncClient",
      dependencies: [
        "ListChanges", "ListDocuments", "ListModel", "LocalFiles", "RawSQLite", grdb,
      ],
      swiftSettings: strict),
    // Its transport where there is no URLSession.
    .target(
      name: "SyncClientHTTP",
      dependencies: [
        "Gzip", "ListModel", "SyncClient", nio, nioPosix, nioSSL,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: strict),
    // What both programs for the command line need.
    .target(
      name: "Terminal",
      dependencies: ["ListChanges", "ListDocuments", "ListModel", arguments],
      swiftSettings: strict),
    .target(name: "GitHistory", swiftSettings: strict),
    .executableTarget(
      name: "listsync",
      dependencies: [
        "GitHistory", "Gzip", "ListChanges", "ListModel", "ListDocuments", "ListStore",
        "LocalFiles", "ServiceDocuments", "SyncService", "Terminal", arguments,
      ],
      swiftSettings: strict),
    // The verb pull, which listsync starts.
    .executableTarget(
      name: "listsync-pull",
      dependencies: [
        "ListChanges", "ListDocuments", "ListModel", "LocalFiles", "SyncClient", "SyncClientHTTP",
        "Terminal", arguments,
      ],
      swiftSettings: strict),
    .target(
      name: "SyncServer",
      dependencies: [
        "Gzip", "ListChanges", "ListDocuments", "ListModel", "ListStore", "ServiceDocuments",
        "SyncService", crypto, httpTypes, hummingbird, logging, nio, nioHTTP,
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("OpenAPI/openapi.json")], swiftSettings: strict),
    .executableTarget(
      name: "listsyncd",
      dependencies: [
        "ListModel", "ListStore", "SyncServer", "SyncService", arguments, hummingbird, logging, nio,
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"), nioSSL,
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      swiftSettings: strict),

    .executableTarget(
      name: "ChangeBenchmarks", dependencies: ["ListChanges"], path: "Benchmarks/Changes",
      swiftSettings: strict),
    .target(
      name: "ParkLists", dependencies: ["TestSupport"], path: "Benchmarks/Parks",
      swiftSettings: strict),
    .executableTarget(
      name: "StoreBenchmarks",
      dependencies: [
        "ListChanges", "ListModel", "ListStore", "ParkLists", "SyncService", "TestSupport",
        arguments, sqlite,
      ],
      path: "Benchmarks/Store", swiftSettings: strict),

    .executableTarget(
      name: "ServerBenchmarks",
      dependencies: [
        "ListModel", "ListStore", "SyncServer", "SyncService", arguments, httpTypes, hummingbird,
        logging, nio, .product(name: "HummingbirdCore", package: "hummingbird"),
      ],
      path: "Benchmarks/Server", exclude: ["Load"], swiftSettings: strict),

    .target(
      name: "TestSupport", path: "Tests/TestSupport",
      swiftSettings: strict),
    .target(
      name: "FaultyFiles", dependencies: [sqlite], path: "Tests/FaultyFiles",
      swiftSettings: strict),
    .target(
      name: "StoreTestSupport",
      dependencies: ["ListChanges", "ListModel", "ListStore", "SyncService", "TestSupport", grdb],
      path: "Tests/StoreTestSupport", swiftSettings: strict),
    // Not a product: the process that campaigns kill, and that competes with others.
    .executableTarget(
      name: "CampaignWorker",
      dependencies: ["ListModel", "ListStore", "StoreTestSupport", "SyncService"],
      path: "Tests/CampaignWorker", swiftSettings: strict),
    .testTarget(
      name: "ListChangesTests",
      dependencies: ["ListChanges", "ListChangesTesting", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ListChangesTestingTests", dependencies: ["ListChanges", "ListChangesTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "ListModelTests", dependencies: ["ListModel", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ListDocumentsTests", dependencies: ["ListDocuments", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "GzipTests", dependencies: ["Gzip", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "GitHistoryTests", dependencies: ["GitHistory", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "MigrationsTests", dependencies: ["Migrations", "TestSupport", grdb],
      swiftSettings: strict),
    .testTarget(
      name: "LocalFilesTests", dependencies: ["LocalFiles", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ListStoreTests", dependencies: ["ListStore", "TestSupport", grdb, sqlite],
      swiftSettings: strict),
    .testTarget(
      name: "SyncServiceTests",
      dependencies: [
        "SyncService", "ListDocuments", "ListStore", "StoreTestSupport", "TestSupport", crypto,
        grdb,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SyncClientTests",
      dependencies: [
        "Gzip", "ListChanges", "ListChangesTesting", "ListDocuments", "ListModel", "SyncClient",
        "SyncClientHTTP", "TestSupport", grdb, nio, nioPosix, nioSSL,
      ],
      swiftSettings: strict),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "Gzip", "ListChanges", "ListDocuments", "ListModel", "ListStore", "SyncService", crypto,
      ],
      path: "Tests/FuzzTargets", swiftSettings: strict),
    .testTarget(
      name: "FaultyFilesTests", dependencies: ["FaultyFiles", "TestSupport", grdb],
      swiftSettings: strict),
    .testTarget(
      name: "CampaignTests",
      dependencies: [
        "listsyncd", "CampaignWorker", "FaultyFiles", "FuzzTargets", "Gzip", "ListChanges",
        "ListChangesTesting",
        "ListDocuments", "ListModel", "ListStore", "Migrations", "StoreTestSupport", "SyncClient",
        "SyncClientHTTP", "SyncServer", "SyncService", "TestSupport", "listsync", grdb, httpTypes,
        hummingbird,
        logging, nio,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ParkListsTests",
      dependencies: ["ListChanges", "ListModel", "ParkLists", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SyncServerTests",
      dependencies: [
        "FaultyFiles", "Gzip", "ListChanges", "ListDocuments", "ListModel", "ListStore",
        "StoreTestSupport", "SyncServer", "SyncService", "TestSupport", httpTypes, hummingbird,
        logging, nio, nioHTTP,
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "listsyncTests",
      dependencies: [
        "Gzip", "listsync", "listsync-pull", "listsyncd", "ListDocuments", "ListModel", "ListStore",
        "StoreBenchmarks", "ServiceDocuments", "StoreTestSupport", "SyncService", "Terminal",
        "TestSupport", arguments, grdb,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "listsyncdTests",
      dependencies: [
        "listsync", "listsyncd", "TestSupport", logging, nio,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      swiftSettings: strict),
  ]
)
