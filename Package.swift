// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

// Make's debug builds optimize the layers and tests in which most of the time goes, and keep their
// assertions. A consumer may not use unsafe flags, so nothing else sets the variable.
let optimized: [SwiftSetting] = [
  .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
]
let engine =
  strict + (Context.environment["LISTSYNC_OPTIMIZED_ENGINE"] == nil ? [] : optimized)
// `make quick` declares the core alone. The compiler needs five times as long to optimize a target,
// so that its short tests gain nothing where they compute little: these are optimized elsewhere.
let isCore = Context.environment["LISTSYNC_CORE"] != nil
let upperEngine = isCore ? strict : engine

// A consumer names the traits that it needs, and resolves only what these add. ListChanges and
// ListChangesTesting need none. `.ci/traits` counts the packages of each trait, and
// Documentation/Decisions/0031 says why there are traits.
let replica: Trait = .trait(
  name: "Replica", description: "SyncClient, over URLSession or the system's libcurl.")
let store: Trait = .trait(name: "Store", description: "ListStore, SyncService and listsync.")
let server: Trait = .trait(
  name: "Server", description: "Store, SyncServer and listsyncd.", enabledTraits: [store.name])

/// A product of another package, for targets that are built with one of these traits. One use
/// without a condition, by a target of a product, would resolve the package for every consumer: so
/// each product of another package is named here.
func external(_ product: String, _ package: String, _ traits: Trait...) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: Set(traits.map(\.name))))
}

let grdb = external("GRDB", "GRDB.swift", replica, store)
let sqlite = external("GRDBSQLite", "GRDB.swift", replica, store)
let arguments = external("ArgumentParser", "swift-argument-parser", store)
let nio = external("NIOCore", "swift-nio", server)
let nioEmbedded = external("NIOEmbedded", "swift-nio", server)
let nioHTTP1 = external("NIOHTTP1", "swift-nio", server)
let nioPosix = external("NIOPosix", "swift-nio", server)
let nioSSL = external("NIOSSL", "swift-nio-ssl", server)
let nioHTTPTypes = external("NIOHTTPTypes", "swift-nio-extras", server)
let nioHTTPTypesHTTP1 = external("NIOHTTPTypesHTTP1", "swift-nio-extras", server)
let httpTypes = external("HTTPTypes", "swift-http-types", server)
let hummingbird = external("Hummingbird", "hummingbird", server)
let hummingbirdCore = external("HummingbirdCore", "hummingbird", server)
let hummingbirdTLS = external("HummingbirdTLS", "hummingbird", server)
let logging = external("Logging", "swift-log", server)
let serviceLifecycle = external("ServiceLifecycle", "swift-service-lifecycle", server)
let unixSignals = external("UnixSignals", "swift-service-lifecycle", server)

// The direction of every arrow is enforced here: a layer imports the layers below it, never those
// above it. CONTRIBUTING.md lists them, the lowest one first.
let package = Package(
  name: "ListSync",
  // A floor holds for the whole package. Store, service and server use Synchronization, which
  // begins with macOS 15, and are for macOS and Linux. On the other systems only ListChanges,
  // ListChangesTesting, ListModel, ListDocuments, SyncClient and GRDBReplica build: their floors
  // are these.
  platforms: [.macOS(.v15), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "ListChanges", targets: ["ListChanges"]),
    .library(name: "ListChangesTesting", targets: ["ListChangesTesting"]),
    .library(name: "ListModel", targets: ["ListModel"]),
    .library(name: "ListDocuments", targets: ["ListDocuments"]),
    .library(name: "ListStore", targets: ["ListStore"]),
    .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
    .library(name: "PostgresStore", targets: ["PostgresStore"]),
    .library(name: "SyncService", targets: ["SyncService"]),
    .library(name: "SyncClient", targets: ["SyncClient"]),
    .library(name: "SyncClientHTTP", targets: ["SyncClientHTTP"]),
    .library(name: "GRDBReplica", targets: ["GRDBReplica"]),
    .library(name: "SyncServer", targets: ["SyncServer"]),
    .executable(name: "listsync", targets: ["listsync"]),
    .executable(name: "listsyncd", targets: ["listsyncd"]),
  ],
  traits: [
    replica, store, server, .default(enabledTraits: [replica.name, server.name]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // For the trait Server alone: listsync links none of these.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1",
      traits: ["FullFoundation"]),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.92.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.36.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.9.0"),
  ],
  targets: [
    .target(name: "ListChanges", swiftSettings: engine),
    .target(
      name: "ListChangesTesting", dependencies: ["ListChanges"], swiftSettings: engine),
    .systemLibrary(
      name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // SHA-256 and Ed25519: of the system's libcrypto, and of CryptoKit on Apple's systems.
    .target(
      name: "Hashing",
      dependencies: [.target(name: "CLibcrypto", condition: .when(platforms: [.linux]))],
      swiftSettings: engine),
    .target(name: "ListModel", dependencies: ["Hashing", "ListChanges"], swiftSettings: engine),
    .target(
      name: "ListDocuments", dependencies: ["Hashing", "ListChanges", "ListModel"],
      swiftSettings: upperEngine),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "Gzip", dependencies: ["CZlib"], swiftSettings: engine),
    .target(
      name: "Migrations", path: "Migrations",
      resources: [
        .embedInCode("0001_create.sql"), .embedInCode("PostgreSQL/postgresql_0001.sql"),
      ],
      swiftSettings: strict),
    .target(name: "RawSQLite", dependencies: [grdb, sqlite], swiftSettings: engine),
    // Files that are named by people: where a name leads, and how a file is replaced. And the
    // process's own streams.
    .target(name: "LocalFiles", swiftSettings: upperEngine),
    // What an engine has to offer, whichever it is.
    .target(
      name: "ListStore", dependencies: ["Gzip", "Hashing", "ListChanges", "ListModel"],
      swiftSettings: engine),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "ListChanges", "ListModel", "ListStore", "LocalFiles", "Migrations", "RawSQLite", grdb,
        sqlite,
      ],
      swiftSettings: upperEngine),
    // An engine for several machines. It loads PostgreSQL's client library when it needs it.
    .target(
      name: "PostgresStore", dependencies: ["ListChanges", "ListModel", "ListStore", "Migrations"],
      swiftSettings: engine),
    .target(
      name: "SyncService",
      dependencies: ["ListChanges", "ListDocuments", "ListModel", "ListStore", "LocalFiles"],
      swiftSettings: upperEngine),
    // Lists as files, from which clients catch up without a server.
    .target(
      name: "Publishing",
      dependencies: [
        "Gzip", "ListDocuments", "ListModel", "ListStore", "LocalFiles", "SQLExport", "SyncService",
        "WebPage",
      ],
      swiftSettings: strict),
    // Histories as plain SQLite files, for readers of SQL.
    .target(
      name: "SQLExport",
      dependencies: [
        "ListChanges", "ListDocuments", "ListModel", "ListStore", "LocalFiles", "RawSQLite",
        "SyncService", grdb,
      ],
      swiftSettings: upperEngine),
    // A client stands on its own: neither the store nor the service, and nothing of Linux alone.
    .target(
      name: "SyncClient",
      dependencies: [
        "ListChanges", "ListDocuments", "ListModel", "LocalFiles", "RawSQLite", grdb,
      ],
      swiftSettings: strict),
    // Calls of libcurl that Swift cannot make.
    .target(name: "CLibCurl"),
    // Its transport where there is no URLSession. It loads libcurl when it needs it.
    .target(
      name: "SyncClientHTTP", dependencies: ["CLibCurl", "Gzip", "ListModel", "SyncClient"],
      swiftSettings: strict),
    // A replica as rows of a table in an app's own database.
    .target(
      name: "GRDBReplica",
      dependencies: [
        "ListChanges", "ListDocuments", "ListModel", "RawSQLite", "SyncClient", grdb,
      ],
      swiftSettings: strict),
    // An example, which is also a package of its own.
    .executableTarget(
      name: "first-rows",
      dependencies: ["GRDBReplica", "ListModel", "SyncClient", "SyncClientHTTP", grdb],
      path: "Examples/first-rows/Sources/first-rows", packageAccess: false, swiftSettings: strict),
    .target(name: "GitHistory", dependencies: ["LocalFiles"], swiftSettings: strict),
    .executableTarget(
      name: "listsync",
      dependencies: [
        "GitHistory", "Gzip", "ListChanges", "ListModel", "ListDocuments", "ListStore",
        "LocalFiles", "PostgresStore", "Publishing", "SQLExport", "SQLiteStore", "SyncClient",
        "SyncClientHTTP", "SyncService", "WebPage", arguments,
      ],
      swiftSettings: strict),
    // Files that are not Swift, which the programs carry: pages, scripts, the server's description.
    .target(name: "EmbeddedFiles"),
    // The page of the server and of reports.
    .target(
      name: "WebPage", dependencies: ["EmbeddedFiles", "Hashing"],
      exclude: [
        "charts.js", "elements.js", "exact.js", "icon.svg", "index.html", "item.js", "live.js",
        "members.js", "page.css", "page.js", "parts.js", "replay.js", "report.html", "report.js",
        "rows.js", "views.js",
      ],
      swiftSettings: strict),
    .target(
      name: "SyncServer",
      dependencies: [
        "EmbeddedFiles", "Gzip", "ListChanges", "ListDocuments", "ListModel", "ListStore",
        "SyncService", "WebPage", httpTypes, hummingbird, hummingbirdCore, logging, nio, nioHTTP1,
        nioHTTPTypes, nioHTTPTypesHTTP1, serviceLifecycle,
      ],
      exclude: ["OpenAPI"], swiftSettings: strict),
    .executableTarget(
      name: "listsyncd",
      dependencies: [
        "ListDocuments", "ListModel", "ListStore", "LocalFiles", "PostgresStore", "Publishing",
        "SQLiteStore", "SyncServer", "SyncService", arguments, hummingbird, hummingbirdCore,
        hummingbirdTLS, logging, nio, nioPosix, nioSSL, serviceLifecycle, unixSignals,
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
        "GRDBReplica", "ListChanges", "ListModel", "ListStore", "ParkLists", "PostgresStore",
        "SQLiteStore", "SyncClient", "SyncService", "TestSupport", arguments, grdb, sqlite,
      ],
      path: "Benchmarks/Store", swiftSettings: strict),

    .executableTarget(
      name: "ServerBenchmarks",
      dependencies: [
        "ListModel", "ListStore", "SQLiteStore", "SyncServer", "SyncService", arguments, httpTypes,
        hummingbird, hummingbirdCore, logging, nio,
      ],
      path: "Benchmarks/Server", exclude: ["Load"], swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["LocalFiles"], path: "Tests/TestSupport",
      swiftSettings: upperEngine),
    // Not a product: declarations of Apple's views, against which tests compile the code of apps.
    .target(name: "UIKitStub", path: "Tests/UIKitStub", swiftSettings: strict),
    // The Swift that the README shows, compiled like an app in another package.
    .target(
      name: "ReadmeApp", dependencies: ["ListChanges", "UIKitStub"], path: "Tests/ReadmeApp",
      packageAccess: false, swiftSettings: strict),
    .target(
      name: "FaultyFiles", dependencies: [sqlite], path: "Tests/FaultyFiles",
      swiftSettings: engine),
    .target(
      name: "StoreTestSupport",
      dependencies: [
        "ListChanges", "ListModel", "ListStore", "Migrations", "SQLiteStore", "SyncService",
        "TestSupport", grdb,
      ],
      path: "Tests/StoreTestSupport", swiftSettings: upperEngine),
    .target(
      name: "PostgresTestSupport",
      dependencies: [
        "ListModel", "ListStore", "LocalFiles", "PostgresStore", "SQLiteStore", "StoreTestSupport",
        "SyncService",
        "TestSupport",
      ],
      path: "Tests/PostgresTestSupport", swiftSettings: engine),
    // Not a product: the process that campaigns kill, and that competes with others.
    .executableTarget(
      name: "CampaignWorker",
      dependencies: [
        "ListModel", "ListStore", "PostgresTestSupport", "SQLiteStore", "StoreTestSupport",
        "SyncService",
      ],
      path: "Tests/CampaignWorker", swiftSettings: strict),
    .testTarget(
      name: "ListChangesTests",
      dependencies: ["ListChanges", "ListChangesTesting", "TestSupport"], swiftSettings: upperEngine
    ),
    // Compiled like an app in another package.
    .testTarget(
      name: "AppTests",
      dependencies: [
        "GRDBReplica", "ListChanges", "ListModel", "SyncClient", "SyncClientHTTP", "TestSupport",
        "UIKitStub", grdb,
      ],
      packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "ListChangesTestingTests", dependencies: ["ListChanges", "ListChangesTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "ListModelTests", dependencies: ["ListModel", "TestSupport"], swiftSettings: upperEngine
    ),
    .testTarget(
      name: "ListDocumentsTests", dependencies: ["Hashing", "ListDocuments", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "HashingTests", dependencies: ["Hashing"], swiftSettings: strict),
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
      name: "ListStoreTests", dependencies: ["ListStore", "StoreTestSupport", "TestSupport"],
      swiftSettings: upperEngine),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: ["ListStore", "SQLiteStore", "StoreTestSupport", "TestSupport", grdb, sqlite],
      swiftSettings: strict),
    .testTarget(
      name: "PostgresStoreTests",
      dependencies: [
        "ListChanges", "ListDocuments", "ListModel", "ListStore", "LocalFiles", "PostgresStore",
        "PostgresTestSupport", "StoreTestSupport", "SyncService", "TestSupport", "listsync",
        "listsyncd",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SyncServiceTests",
      dependencies: [
        "Hashing", "ListDocuments", "ListStore", "SQLiteStore", "StoreTestSupport", "SyncService",
        "TestSupport", grdb,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SQLExportTests",
      dependencies: [
        "ListChanges", "ListDocuments", "ListModel", "ListStore", "RawSQLite", "SQLExport",
        "StoreTestSupport", "SyncService", "TestSupport", grdb,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "PublishingTests",
      dependencies: [
        "GRDBReplica", "ListDocuments", "ListModel", "LocalFiles", "Publishing", "StoreTestSupport",
        "SyncClient", "SyncService", "TestSupport", grdb,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SyncClientTests",
      dependencies: [
        "GRDBReplica", "Gzip", "ListChanges", "ListChangesTesting", "ListDocuments", "ListModel",
        "LocalFiles", "SyncClient", "SyncClientHTTP", "TestSupport", grdb, nio, nioPosix, nioSSL,
      ],
      swiftSettings: strict),
    // Writes the vectors of Tests/Conformance, and is judged by them like the other clients.
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "Hashing", "ListChanges", "ListDocuments", "ListModel", "SyncClient", "TestSupport",
      ],
      swiftSettings: strict),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "Gzip", "ListChanges", "ListDocuments", "ListModel", "ListStore", "SyncService",
      ],
      path: "Tests/FuzzTargets", swiftSettings: engine),
    .testTarget(
      name: "FaultyFilesTests", dependencies: ["FaultyFiles", "TestSupport", grdb],
      swiftSettings: strict),
    .testTarget(
      name: "CampaignTests",
      dependencies: [
        "CampaignWorker", "FaultyFiles", "FuzzTargets", "Gzip", "Hashing", "ListChanges",
        "ListChangesTesting", "ListDocuments", "ListModel", "ListStore", "LocalFiles", "Migrations",
        "PostgresStore", "PostgresTestSupport", "SQLiteStore", "StoreTestSupport", "SyncClient",
        "SyncClientHTTP", "SyncServer", "SyncService", "TestSupport", "listsync", "listsyncd", grdb,
        httpTypes, hummingbird, logging, nio,
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
        "SQLiteStore",
        "StoreTestSupport", "SyncServer", "SyncService", "TestSupport", "WebPage", httpTypes,
        hummingbird, hummingbirdCore, logging, nio, nioEmbedded, nioHTTP1, nioHTTPTypes, nioPosix,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "listsyncTests",
      dependencies: [
        "GRDBReplica", "Gzip", "Hashing", "ListDocuments", "ListModel", "ListStore", "LocalFiles",
        "PostgresStore", "Publishing", "SQLiteStore", "StoreBenchmarks", "StoreTestSupport",
        "SyncClient", "SyncClientHTTP", "SyncService", "TestSupport", "WebPage", "first-rows",
        "listsync", "listsyncd", arguments, grdb,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "listsyncdTests",
      dependencies: [
        "listsync", "listsyncd", "LocalFiles", "TestSupport", grdb, logging,
      ],
      swiftSettings: strict),
  ]
)

// The core is these tests, with the targets and packages that they need.
if isCore {
  var needed: Set = [
    "HashingTests", "ListChangesTests", "ListModelTests", "ListDocumentsTests", "ListStoreTests",
    "SQLiteStoreTests",
  ]
  var packages: Set<String> = []
  var unread = Array(needed)
  while let name = unread.popLast() {
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _):
        if needed.insert(name).inserted { unread.append(name) }
      case .productItem(_, let package?, _, _): packages.insert(package)
      default: break
      }
    }
  }
  package.products = []
  package.targets.removeAll { !needed.contains($0.name) }
  package.dependencies.removeAll { dependency in
    guard case .sourceControl(_, let location, _) = dependency.kind else { return true }
    return !packages.contains { location.hasSuffix("/\($0)") }
  }
}
