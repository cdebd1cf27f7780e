/// The initial data of every arm.
public enum Dataset: Sendable, Equatable {
    /// pgbench's four tables, with 100,000 accounts per unit of scale.
    case pgbench(scale: Int)
    /// YCSB's `usertable` with the given number of records.
    case ycsb(records: Int)
    /// sysbench's `sbtest` with the given number of rows.
    case sysbench(rows: Int)
    /// Custom tables, filled with random values.
    case schema(SchemaDataset)
    /// A copy of the existing database at a path.
    case file(String)

    /// Creates a dataset from statements that create and fill the tables.
    public static func sql(_ statements: [String]) -> Dataset {
        .schema(SchemaDataset(statements: statements))
    }
}

/// Custom tables and the values that fill them.
public struct SchemaDataset: Sendable, Equatable {
    /// The statements that create the tables, which run before the tables are filled.
    public var statements: [String]
    /// The tables to fill, in order.
    public var tables: [Table]
    /// The statements that run after the tables are filled, such as `CREATE INDEX`.
    public var finally: [String]
    /// The factor by which each table's row count is multiplied.
    public var scale: Int

    /// A table and its rows.
    public struct Table: Sendable, Equatable {
        /// The table's name.
        public var name: String
        /// The number of rows per unit of scale.
        public var count: Int
        /// The columns to fill, in order.
        public var columns: [Column]

        /// Creates a table.
        public init(name: String, count: Int, columns: [Column]) {
            self.name = name
            self.count = count
            self.columns = columns
        }
    }

    /// A column and the source of its values.
    public struct Column: Sendable, Equatable {
        /// The column's name.
        public var name: String
        /// The variable that draws the column's values.
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
    /// Returns an arm's initial data, which is the arm's file or the scenario's dataset.
    public func dataset(of arm: Arm) -> Dataset {
        arm.file.map(Dataset.file) ?? dataset
    }
}
