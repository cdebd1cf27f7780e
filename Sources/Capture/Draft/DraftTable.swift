/// The properties of a table that a draft needs to generate statements.
package struct DraftTable: Sendable, Equatable {
    package struct Column: Sendable, Equatable {
        package var name: String
        /// The position in the primary key, starting at 1, or 0 for a column that is not in the
        /// key.
        package var primaryKeyIndex: Int
        /// Whether a statement can set the column.
        ///
        /// Generated and hidden columns cannot be set.
        package var isWritable: Bool

        package init(name: String, primaryKeyIndex: Int = 0, isWritable: Bool = true) {
            self.name = name
            self.primaryKeyIndex = primaryKeyIndex
            self.isWritable = isWritable
        }
    }

    package struct Index: Sendable, Equatable {
        /// The columns in order, with `nil` for expressions.
        package var columns: [String?]
        package var isUnique: Bool
        /// Whether the index contains only some of the rows.
        package var isPartial: Bool

        package init(columns: [String?], isUnique: Bool = false, isPartial: Bool = false) {
            self.columns = columns
            self.isUnique = isUnique
            self.isPartial = isPartial
        }
    }

    package enum Kind: Sendable, Equatable {
        /// A table with rowids.
        case plain
        case withoutRowID
        /// A full-text index, which stores the text itself if `ownsContent` is `true`.
        case fullText(ownsContent: Bool)
    }

    package var name: String
    package var kind: Kind
    /// The number of rows.
    package var rows: Int
    package var columns: [Column]
    package var indexes: [Index]
    /// The columns that refer to other tables.
    package var references: Set<String>

    package init(
        name: String,
        kind: Kind = .plain,
        rows: Int,
        columns: [Column],
        indexes: [Index] = [],
        references: Set<String> = []
    ) {
        self.name = name
        self.kind = kind
        self.rows = rows
        self.columns = columns
        self.indexes = indexes
        self.references = references
    }
}
