extension SchemaDataset {
    /// The numbers of each column that is numbered, each as likely, as `table_column`.
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

    /// How many rows a table gets.
    func rows(of table: Table) -> Int { table.count * scale }
}

extension SchemaDataset.Column {
    /// Whether its values are plain numbers, one after another.
    var isNumbered: Bool {
        values.distribution == .sequential && !values.isHashed && values.prefix == nil
            && values.nulls == 0
    }
}
