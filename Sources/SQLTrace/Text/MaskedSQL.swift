/// SQL without literals and keys, for texts that other people may read.
package enum MaskedSQL {
    /// Returns a statement with `?` in place of each literal, truncated to 4,096 characters.
    package static func text(_ sql: String) -> String { StatementText.normalized(sql) }
}
