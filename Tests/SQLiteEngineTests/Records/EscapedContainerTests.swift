import SQLiteEngine
import Testing

/// Tests decoding containers that are used after the cursor has left their row.
struct EscapedContainerTests {
    private enum Key: CodingKey {
        case id
        case name
    }

    /// A record that keeps its container longer than its row, which records must not do.
    private struct KeptContainer: Decodable, FetchableRecord {
        let container: KeyedDecodingContainer<Key>

        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: Key.self)
        }
    }

    private static let rows = """
        WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 50)
        SELECT x AS id, 'a name that is long enough to be allocated ' || x AS name FROM c
        """

    @Test(.timeLimit(.minutes(1)))
    func usingAContainerAfterItsCursorStopsTheProgram() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterTimeout()
            let records = try DatabaseQueue().read { db in
                try KeptContainer.fetchAll(db, sql: Self.rows)
            }
            _ = try records[0].container.decode(String.self, forKey: .name)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a decoder or its container was used after the cursor left its row"))
    }

    @Test(.timeLimit(.minutes(1)))
    func aContainerDoesNotReadTheRowsOfALaterFetch() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterTimeout()
            try DatabaseQueue().read { db in
                let record = try #require(try KeptContainer.fetchOne(db, sql: Self.rows))
                // A later fetch reuses the memory and the cell of the container.
                let records = try KeptContainer.fetchCursor(db, sql: Self.rows)
                let other = try #require(try records.next())
                _ = try other.container.decode(Int.self, forKey: .id)
                _ = try record.container.decode(Int.self, forKey: .id)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a decoder or its container was used after the cursor left its row"))
    }

    /// A record that keeps its decoder longer than its row, which records must not do.
    private struct KeptDecoder: Decodable, FetchableRecord {
        let decoder: any Decoder

        init(from decoder: any Decoder) throws { self.decoder = decoder }
    }

    @Test(.timeLimit(.minutes(1)))
    func usingADecoderAfterItsCursorStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterTimeout()
            let records = try DatabaseQueue().read { try KeptDecoder.fetchAll($0, sql: Self.rows) }
            _ = try records[0].decoder.container(keyedBy: Key.self)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a decoder or its container was used after the cursor left its row"))
    }

    @Test func theDecoderOfACopiedRowStaysValid() throws {
        let record = try DatabaseQueue().read { db in
            try KeptDecoder(row: #require(try Row.fetchOne(db, sql: Self.rows)))
        }
        let container = try record.decoder.container(keyedBy: Key.self)
        #expect(try container.decode(Int.self, forKey: .id) == 1)
    }

    @Test func aContainerIsValidWhileItsCursorShowsTheRow() throws {
        try DatabaseQueue().read { db in
            let records = try KeptContainer.fetchCursor(db, sql: Self.rows)
            while let record = try records.next() {
                let id = try record.container.decode(Int.self, forKey: .id)
                let name = try record.container.decode(String.self, forKey: .name)
                #expect(name.hasSuffix(" \(id)"))
            }
        }
    }

    /// A record that requests the container of a temporary decoder.
    private struct Child: Decodable, FetchableRecord {
        let id: Int
        let name: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let parent = try container.superDecoder().container(keyedBy: Key.self)
            let other = try container.superDecoder(forKey: .id).container(keyedBy: Key.self)
            id = try other.decode(Int.self, forKey: .id)
            name = try parent.decode(String.self, forKey: .name)
        }
    }

    @Test func containersOfTemporaryDecodersAreValidForTheirRow() throws {
        try DatabaseQueue().read { db in
            let children = try Child.fetchAll(db, sql: Self.rows)
            #expect(children.map(\.id) == Array(1...50))
            #expect(children.allSatisfy { $0.name.hasSuffix(" \($0.id)") })
        }
    }

    /// A record with a part that keeps its container.
    ///
    /// The part is not a record, so it uses the container on behalf of the enclosing record.
    private struct Enclosing: Decodable, FetchableRecord {
        struct Part: Decodable {
            let container: KeyedDecodingContainer<Key>

            init(from decoder: any Decoder) throws {
                container = try decoder.container(keyedBy: Key.self)
            }
        }

        enum CodingKeys: CodingKey { case part }

        let id: Int
        let name: String

        init(from decoder: any Decoder) throws {
            let part = try decoder.container(keyedBy: CodingKeys.self)
                .decode(Part.self, forKey: .part)
            id = try part.container.decode(Int.self, forKey: .id)
            name = try part.container.decode(String.self, forKey: .name)
        }
    }

    @Test func containersOfPartsAreValidForTheirRow() throws {
        try DatabaseQueue().read { db in
            let records = try Enclosing.fetchAll(db, sql: Self.rows)
            #expect(records.map(\.id) == Array(1...50))
            #expect(records.allSatisfy { $0.name.hasSuffix(" \($0.id)") })
        }
    }

    /// A record with a nested container that contains a part.
    ///
    /// The row of the scope is the row of the part.
    private struct Scoped: Decodable, FetchableRecord {
        struct Part: Decodable { let id: Int }

        enum CodingKeys: CodingKey { case inner }
        enum InnerKeys: CodingKey { case part }

        let id: Int

        init(from decoder: any Decoder) throws {
            let inner = try decoder.container(keyedBy: CodingKeys.self)
                .nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
            id = try inner.decode(Part.self, forKey: .part).id
        }
    }

    @Test func nestedContainersHaveARootKeyInEachRow() throws {
        try DatabaseQueue().read { db in
            let adapter = ScopeAdapter(["inner": SuffixRowAdapter(fromIndex: 0)])
            let scoped = try Scoped.fetchAll(db, sql: Self.rows, adapter: adapter)
            #expect(scoped.map(\.id) == Array(1...50))
        }
    }
}
