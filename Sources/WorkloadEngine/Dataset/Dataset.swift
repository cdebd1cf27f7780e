/// The data that every arm starts with.
public enum Dataset: Sendable, Equatable {
    /// pgbench's four tables: 100,000 accounts for each unit of scale.
    case pgbench(scale: Int)
    /// YCSB's `usertable` with this many records.
    case ycsb(records: Int)
    /// sysbench's `sbtest` with this many rows.
    case sysbench(rows: Int)
    /// Tables of the user's own, filled with drawn values.
    case schema(SchemaDataset)
    /// A database that exists, by its path; it is copied and never changed.
    case file(String)

    /// Statements that create and fill the tables.
    public static func sql(_ statements: [String]) -> Dataset {
        .schema(SchemaDataset(statements: statements))
    }
}

/// Tables of the user's own, and what fills them.
public struct SchemaDataset: Sendable, Equatable {
    /// Statements that create the tables, run first.
    public var statements: [String]
    /// The tables that are filled, in their order.
    public var tables: [Table]
    /// Statements run when the tables are full, such as those that create indexes.
    public var finally: [String]
    /// How many times the tables' counts are inserted.
    public var scale: Int

    /// A table and its rows.
    public struct Table: Sendable, Equatable {
        /// The table's name.
        public var name: String
        /// How many rows it gets for each unit of scale.
        public var count: Int
        /// The columns that get values, in their order.
        public var columns: [Column]

        /// Creates a table.
        public init(name: String, count: Int, columns: [Column]) {
            self.name = name
            self.count = count
            self.columns = columns
        }
    }

    /// A column and where its values come from.
    public struct Column: Sendable, Equatable {
        /// The column's name.
        public var name: String
        /// What draws its values.
        public var values: Variable

        /// Creates a column.
        public init(name: String, values: Variable) {
            self.name = name
            self.values = values
        }
    }

    /// Creates a dataset.
    public init(
        statements: [String],
        tables: [Table] = [],
        finally: [String] = [],
        scale: Int = 1
    ) {
        self.statements = statements
        self.tables = tables
        self.finally = finally
        self.scale = scale
    }
}

extension Scenario {
    /// The data that an arm starts with: its own file, or the scenario's.
    public func dataset(of arm: Arm) -> Dataset {
        arm.file.map(Dataset.file) ?? dataset
    }
}
