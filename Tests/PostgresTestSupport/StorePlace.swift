import Foundation
import ListStore
import PostgresStore
import SQLiteStore

/// Where a store of a campaign is. Other processes get it as text.
package enum StorePlace: Sendable, CustomStringConvertible {
  case file(String)
  case schema(String, address: String)

  package enum Use { case creating, writing, reading }

  /// - Parameter text: a file's path, or a database's address and a schema with `#` between them.
  package init(_ text: String) {
    let parts = text.split(separator: "#", maxSplits: 1).map(String.init)
    self = parts.count == 2 ? .schema(parts[1], address: parts[0]) : .file(text)
  }

  package var description: String {
    switch self {
    case .file(let path): path
    case .schema(let name, let address): "\(address)#\(name)"
    }
  }

  package func open(_ use: Use) throws -> any ListStore {
    switch self {
    case .file(let path):
      switch use {
      case .creating: return try SQLiteStore(path: path, ifAbsent: .create)
      case .writing: return try SQLiteStore(path: path, ifAbsent: .fail)
      case .reading: return try SQLiteStore(readingFrom: path)
      }
    case .schema(let name, let address):
      if use == .creating, CitusCluster.isUsed {
        _ = try PostgresStore.distribute(address: address, schema: name, shardCount: 4)
      }
      return try PostgresStore(
        address: use == .creating ? address : CitusCluster.atAnyNode(address), schema: name,
        createsMissing: use == .creating)
    }
  }
}

/// The engine of a campaign's stores.
package enum StoreEngine: String, Sendable, CaseIterable {
  case sqlite, postgres

  /// Those that this machine has; `make test-postgres` demands both.
  package static let here = allCases.filter { $0 == .sqlite || PostgresServer.isHere }

  /// The place of a path. In a database it is a schema with the end of the path as its name.
  package func place(_ path: String) throws -> StorePlace {
    switch self {
    case .sqlite: return .file(path)
    case .postgres:
      let name = URL(fileURLWithPath: path).pathComponents.suffix(2).joined(separator: " ")
      return .schema(name, address: try PostgresServer.shared.get().address())
    }
  }
}
