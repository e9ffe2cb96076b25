import Foundation
import ListChanges
import ListModel
import SyncClient
import SyncClientHTTP
import UIKitStub

/// An app whose view follows a replica.
@MainActor final class ClientApp {
  // page
  struct Park: Codable, Identifiable, Equatable, Sendable {
    let id: String
    var name: String
  }
  // end

  private let collectionView = UICollectionView()
  private var parks: [Park] = []

  func follow() async throws {
    // page
    let folder = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
    let replica = Replica<Park>(
      of: ListName("parks")!, at: try ServerAddress("https://lists.example"),
      storage: .file(folder.appendingPathComponent("parks.replica").path))
    try await replica.start()
    for try await update in replica.updates {
      collectionView.update(by: update.batchUpdates, inSection: 0) { self.parks = update.after }
    }
    // end
  }

  func edit(_ replica: Replica<Park>) async throws {
    // page
    try await replica.edit { parks in parks[0].name = "Zion" }
    for await state in replica.session.editStates {
      if case .refused(.conflicts(let conflicts)) = state { show(conflicts) }
    }
    // end
  }

  private func show(_ conflicts: [ItemMerge.Conflict]) {}

  func followMany(_ names: [ListName], at address: ServerAddress) -> [Replica<Park>] {
    // page
    let server = ReplicaServer(at: address, over: HTTPTransport(address))
    let replicas = names.map { Replica<Park>(of: $0, from: server) }
    // end
    return replicas
  }
}

/// The controller of the client's documentation, which waits for each animation.
enum DocumentedController {
  @MainActor class UICollectionViewController {
    let collectionView = UICollectionView()
    func viewDidLoad() {}
  }

  // page
  struct Park: Decodable, Identifiable, Sendable {
    let id: String
    let name: String
  }

  @MainActor
  final class ParksController: UICollectionViewController {
    private let replica: Replica<Park>
    private var following: Task<Void, Never>?
    /// The last update in the view, whose list the data source shows.
    private var last: ReplicaUpdate<Park>?
    private var parks: [Park] { last?.after ?? [] }

    // end
    init(_ replica: Replica<Park>) { self.replica = replica }

    private func show(_ error: any Error) {}

    // page
    override func viewDidLoad() {
      super.viewDidLoad()
      follow()
    }

    // The task does not hold the controller, and ends with it.
    deinit { following?.cancel() }

    private func follow() {
      following = Task { [weak self, replica, last] in
        do {
          try await replica.start()
          for try await update in replica.updates(after: last) {
            await self?.perform(update)
          }
        } catch {
          self?.show(error)  // a ReplicaError; replica.resume() and follow() begin again
        }
      }
    }

    /// The next update is requested after this animation; it contains all changes in between.
    private func perform(_ update: ReplicaUpdate<Park>) async {
      await withCheckedContinuation { shown in
        collectionView.update(by: update.batchUpdates, inSection: 0) {
          self.last = update
        } completion: { _ in
          shown.resume()
        }
      }
    }
  }
  // end
}
