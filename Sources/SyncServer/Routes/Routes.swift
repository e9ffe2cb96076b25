/// All that the server answers; `openapi.json` says the same, which a test holds.
struct Routes: Sendable {
  let server: SyncServer

  var all: [Route] {
    lists + snapshots + deltas + histories + commits + bundles + events + operations
  }
}
