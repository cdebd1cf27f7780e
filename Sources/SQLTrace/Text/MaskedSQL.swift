/// SQL without literals and keys, for texts that other people may read.
package enum MaskedSQL {
    /// Returns the statement with `?` for each literal, shortened to 4,096 characters.
    package static func text(_ sql: String) -> String { StatementText.normalized(sql) }
}
