extension SchemaDataset {
    /// The uniform variables for the numbered columns, keyed by names such as `table_column`.
    var variables: [String: Variable] {
        var variables: [String: Variable] = [:]
        for table in tables {
            for column in table.columns where column.isNumbered {
                let first = column.values.minimum
                variables["\(table.name)_\(column.name)"] = Variable(
                    distribution: .uniform,
                    minimum: first,
                    maximum: min(first + Int64(rows(of: table)) - 1, column.values.maximum)
                )
            }
        }
        return variables
    }

    func rows(of table: Table) -> Int { table.count * scale }
}

extension SchemaDataset.Column {
    /// Whether the values are consecutive integers, neither hashed nor converted to text.
    var isNumbered: Bool {
        values.distribution == .sequential && !values.isHashed && values.prefix == nil
            && values.nulls == 0
    }
}
