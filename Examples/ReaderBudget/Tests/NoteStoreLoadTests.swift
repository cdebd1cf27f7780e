import Foundation
import NoteStore
import SQLiteEngine
import Testing
import WorkloadEngine

/// Checks the store's latencies and errors under load against limits.
@Suite(.timeLimit(.minutes(1)), .serialized)
final class NoteStoreLoadTests {
    private let path = NSTemporaryDirectory() + "notes-\(UUID().uuidString).sqlite"

    deinit {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private func store() throws -> NoteStore {
        let store = try NoteStore(path: path)
        for number in 1...20 { try store.add("Note \(number)") }
        return store
    }

    /// Returns a load that displays a list fifty times per second while notes are added.
    private func load(on store: NoteStore) -> LoadTest {
        var load = LoadTest("notes", duration: .seconds(1))
        load.status = { store.pool.status() }
        load.failure = { error in
            guard let error = error as? DatabaseError else { return .error("\(error)") }
            return .error(error.extendedResultCode.name ?? "SQLITE")
        }
        load.client("list", workers: 4, rate: 50, process: .even) { access in
            try store.pool.read { db in
                access.enter()
                _ = try Note.fetchAll(db)
            }
        }
        load.asyncClient("add", workers: 2, think: .milliseconds(10)) { access in
            var random = access.random
            let text = "Note \(Int.random(in: 1...1000, using: &random))"
            try await store.pool.write { db in
                access.enter()
                var note = Note(text: text)
                try note.insert(db)
            }
        }
        load.limit("list.response", "p(50) < 100ms")
        load.limit("list.errors", "count < 1")
        load.limit("add.errors", "count < 1")
        return load
    }

    @Test func listStaysFastWhileNotesAreAdded() async throws {
        let store = try store()
        let result = try await load(on: store).run()
        #expect(result.missed.isEmpty)
        let list = try #require(result.clients["list"])
        // The rate is fifty per second. Rounding determines whether the last access falls within
        // the second.
        #expect((49...50).contains(list.offered))
        #expect(list.completed + list.unfinished == list.offered)
        let added = try #require(result.clients["add"])
        // The database also contains the notes added during the warm-up.
        let count = try await store.pool.read { try Note.fetchAll($0).count }
        #expect(count >= 20 + Int(added.completed))
    }

    /// Demonstrates that the same limits detect pages that are laid out inside an access.
    ///
    /// Without `withKnownIssue`, this test fails.
    @Test func pagesLaidOutInsideAnAccessAreDetected() async throws {
        let store = try store()
        var load = load(on: store)
        load.client("page", workers: 8) { _ in
            _ = try store.pageInsideTheAccess { notes in
                Thread.sleep(forTimeInterval: 0.5)
                return "\(notes.count) notes"
            }
        }
        let result = try await load.run()
        withKnownIssue { #expect(result.missed.isEmpty) }
    }
}
