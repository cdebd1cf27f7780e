extension Row {
    /// The rows that row adapters create from parts of this row, by name.
    public var scopes: ScopesView { ScopesView(row: self) }

    /// The scopes, including nested scopes.
    public var scopesTree: ScopesTreeView { ScopesTreeView(scopes: scopes) }

    /// The row without its scopes.
    public var unscoped: Row {
        layout.scopes.isEmpty ? self : adapted(to: layout.with(scopes: [:]))
    }

    /// The row as the statement returned it.
    public var unadapted: Row { adapted(to: layout.root) }

    /// The rows that row adapters create from parts of one row.
    public struct ScopesView: Collection {
        private let row: Row
        private let layouts: [String: RowLayout]
        private let positions: [String: Int]
        private let sortedNames: [String]

        init(row: Row) {
            self.row = row
            layouts = row.layout.scopes
            sortedNames = layouts.keys.sorted()
            positions = Dictionary(
                uniqueKeysWithValues: zip(sortedNames, sortedNames.indices)
            )
        }

        /// The names of the scopes.
        public var names: Dictionary<String, Int>.Keys { positions.keys }

        /// The row of a scope, or `nil` if no scope has this name.
        public subscript(name: String) -> Row? { layouts[name].map(row.adapted(to:)) }

        /// The position of the first scope.
        public var startIndex: Int { 0 }

        /// The position after the last scope.
        public var endIndex: Int { sortedNames.count }

        /// Returns the position of the next scope.
        public func index(after i: Int) -> Int { i + 1 }

        /// The name and the row of a scope.
        ///
        /// The scopes are sorted by name.
        public subscript(position: Int) -> (name: String, row: Row) {
            let name = sortedNames[position]
            guard let layout = layouts[name] else { fatalError("no scope is named \(name)") }
            return (name, row.adapted(to: layout))
        }
    }

    /// The scopes of a row, including nested scopes.
    public struct ScopesTreeView {
        let scopes: ScopesView

        /// The names of all scopes.
        public var names: Set<String> {
            scopes.reduce(into: []) { names, scope in
                names.insert(scope.name)
                names.formUnion(scope.row.scopesTree.names)
            }
        }

        /// The row of the nearest scope with the given name, or `nil` if there is none.
        public subscript(name: String) -> Row? {
            var waiting = Array(scopes)
            while !waiting.isEmpty {
                if let scope = waiting.first(where: { $0.name == name }) { return scope.row }
                waiting = waiting.flatMap { Array($0.row.scopes) }
            }
            return nil
        }
    }
}
