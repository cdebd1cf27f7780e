import SQLText
import Scenarios

/// Determines how a statement uses each of its values.
extension StatementParser {
    private static let comparisons: Set = [
        "=", "==", "<>", "!=", "<", "<=", ">", ">=", "LIKE", "GLOB", "IS", "REGEXP", "MATCH",
    ]

    private func isComparison(_ index: Int) -> Bool {
        guard tokens.indices.contains(index) else { return false }
        let token = tokens[index]
        return Self.comparisons.contains(token.keyword)
    }

    /// Returns the role of the value at an index, and the column that it relates to.
    func context(of index: Int) -> (role: StatementSlot.Role, column: Variable.Column?) {
        let clause = clauses[index]
        if clause == "LIMIT" { return (.limit, nil) }
        if clause == "OFFSET" { return (.offset, nil) }
        if let row = insertion(of: index) { return row }
        if let item = listItem(index) { return item }
        // A plus or minus sign before a value belongs to the value.
        var previous = index - 1
        if previous > 0, ["-", "+"].contains(tokens[previous].text),
            isComparison(previous - 1) || ["BETWEEN", "AND"].contains(tokens[previous - 1].keyword)
        {
            previous -= 1
        }
        guard previous >= 0 else { return (.other, nil) }
        if let column = columnOfRange(widenedByValueAt: index) { return (.rangeWidth, column) }
        if isComparison(previous) {
            let operand = tokens[previous - 1].keyword == "NOT" ? previous - 2 : previous - 1
            let column = operand >= 0 ? self.column(endingAt: operand) : nil
            if clause == "SET", tokens[previous].text == "=" { return (.set, column) }
            guard let column else { return (.other, nil) }
            if isRangeStart(index, operatorIndex: previous, column: column) {
                return (.rangeStart, column)
            }
            if isRangeEnd(previous, column: column) { return (.rangeEnd, column) }
            return (.comparison, column)
        }
        if tokens[previous].keyword == "NOT", previous > 0, tokens[previous - 1].keyword == "IS" {
            return (.comparison, previous > 1 ? column(endingAt: previous - 2) : nil)
        }
        if let bound = rangeBound(after: previous) { return bound }
        if clause == "SET", ["+", "-", "*", "/", "||"].contains(tokens[previous].text), previous > 0
        {
            return (.change, column(endingAt: previous - 1))
        }
        if isComparison(index + 1), tokens.indices.contains(index + 2) {
            let column = self.column(startingAt: index + 2)
            return (column == nil ? .other : .comparison, column)
        }
        return (.other, nil)
    }

    /// Returns the alias of the table that has a row if the value at an index is in a condition
    /// `column = ?` that every row of a query meets, or `nil` otherwise.
    ///
    /// The aliases of subqueries differ from those of the enclosing statement.
    func requiredRow(at index: Int) -> String? {
        guard index > 1, ["=", "==", "IS"].contains(tokens[index - 1].keyword),
            tokens[index - 2].isName, !hasAlternatives, let query = queryOfCondition(index)
        else { return nil }
        let isQualified = index > 3 && tokens[index - 3].text == "."
        let reference = tables.reference(
            tokens[index - 2].name,
            of: isQualified ? tokens[index - 4].name : nil
        )
        return reference.map { query == 0 ? $0.alias : "\($0.alias) in \(query)" }
    }

    /// Returns the index of the parenthesis of the query in whose WHERE or ON a token is, 0 for the
    /// statement itself, or `nil` if it is in none.
    ///
    /// The token may be inside parentheses that only group conditions.
    private func queryOfCondition(_ index: Int) -> Int? {
        var position = index
        while clauses[position] == "(", let open = enclosing(position) {
            guard open > 0, ["WHERE", "ON", "AND", "("].contains(tokens[open - 1].keyword) else {
                return nil
            }
            position = open
        }
        guard ["WHERE", "ON"].contains(clauses[position]) else { return nil }
        guard let query = enclosing(position) else { return 0 }
        return tokens[query + 1].keyword == "SELECT" ? query : nil
    }

    /// Returns whether a row can meet one condition of a statement instead of another.
    static func hasAlternatives(_ tokens: [SQLToken]) -> Bool {
        tokens.indices.dropFirst().contains { index in
            let previous = tokens[index - 1].keyword
            return switch tokens[index].keyword {
            case "UNION", "EXCEPT", "INTERSECT", "CASE": true
            case "NOT": previous != "IS"
            case "OR": !["INSERT", "UPDATE"].contains(previous)
            default: false
            }
        }
    }

    /// Returns the role of a bound of BETWEEN, given the index of the preceding BETWEEN or AND.
    private func rangeBound(after keyword: Int) -> (StatementSlot.Role, Variable.Column?)? {
        var start = keyword
        let isEnd = tokens[keyword].keyword == "AND"
        if isEnd {
            // Search backward over the lower bound for BETWEEN.
            start -= 1
            while start >= 0, tokens[start].keyword != "BETWEEN" {
                if tokens[start].text == ")" {
                    start = (matches[start] ?? start) - 1
                    continue
                }
                let isOutsideRange =
                    Self.clauseWords.contains(tokens[start].keyword)
                    || ["AND", "OR"].contains(tokens[start].keyword) || tokens[start].text == "("
                if isOutsideRange { return nil }
                start -= 1
            }
        }
        guard start > 0, tokens[start].keyword == "BETWEEN" else { return nil }
        let operand = tokens[start - 1].keyword == "NOT" ? start - 2 : start - 1
        guard operand >= 0 else { return nil }
        return (isEnd ? .rangeEnd : .rangeStart, column(endingAt: operand))
    }

    /// Returns the column of a range if the value at an index is added to the upper bound, as in
    /// `BETWEEN ? AND ? + 99`.
    private func columnOfRange(widenedByValueAt index: Int) -> Variable.Column? {
        guard index > 1, tokens[index - 1].text == "+",
            [.variable, .number].contains(tokens[index - 2].kind),
            index + 1 == tokens.endIndex || !["*", "/", "%"].contains(tokens[index + 1].text)
        else { return nil }
        let (role, column) = context(of: index - 2)
        return role == .rangeEnd ? column : nil
    }

    /// Returns whether the value at an index is the lower bound of `column >= ? AND column < ?`.
    private func isRangeStart(_ index: Int, operatorIndex: Int, column: Variable.Column) -> Bool {
        let next = index + 2
        guard [">", ">="].contains(tokens[operatorIndex].text), tokens.indices.contains(next + 1),
            tokens[next - 1].keyword == "AND", self.column(startingAt: next) == column
        else { return false }
        let end = tokens[next + 1].text == "." ? next + 3 : next + 1
        return tokens.indices.contains(end) && ["<", "<="].contains(tokens[end].text)
    }

    /// Returns whether the value after an operator is the upper bound of
    /// `column >= ? AND column < ?`.
    private func isRangeEnd(_ operatorIndex: Int, column: Variable.Column) -> Bool {
        guard ["<", "<="].contains(tokens[operatorIndex].text), operatorIndex > 1 else {
            return false
        }
        let start = tokens[operatorIndex - 2].text == "." ? operatorIndex - 3 : operatorIndex - 1
        guard start > 3, tokens[start - 1].keyword == "AND" else { return false }
        return [">", ">="].contains(tokens[start - 3].text)
            && self.column(endingAt: start - 4) == column
    }

    private func listItem(_ index: Int) -> (StatementSlot.Role, Variable.Column?)? {
        guard let open = enclosing(index), open > 1, tokens[open - 1].keyword == "IN",
            clauses[index] == "("
        else { return nil }
        let operand = tokens[open - 2].keyword == "NOT" ? open - 3 : open - 2
        guard operand >= 0 else { return nil }
        return (.list(commas(from: open, to: index)), column(endingAt: operand))
    }

    /// Returns the role and the column of a value in `VALUES (…), (…)`.
    private func insertion(of index: Int) -> (StatementSlot.Role, Variable.Column?)? {
        var inner = index
        while let open = enclosing(inner) {
            if clauses[open] == "VALUES", open > 0,
                tokens[open - 1].keyword == "VALUES" || tokens[open - 1].text == ","
            {
                guard let target = tables.insertTarget else { return nil }
                let position = commas(from: open, to: index)
                let columns = tables.insertedColumns ?? target.columns.map(\.name)
                guard columns.indices.contains(position) else { return nil }
                let column = Variable.Column(table: target.name, name: columns[position])
                // An argument of a function is not the column's value.
                if inner != index { return (.other, nil) }
                return (.insert(row: rows(before: open)), column)
            }
            inner = open
        }
        return nil
    }

    /// Returns the number of rows of values before the row that starts at an index.
    private func rows(before open: Int) -> Int {
        var count = 0
        var index = open - 1
        while index > 0, tokens[index].text == ",", tokens[index - 1].text == ")" {
            count += 1
            index = (matches[index - 1] ?? 1) - 1
        }
        return count
    }

    /// Returns the index of the innermost opening parenthesis around a token.
    private func enclosing(_ index: Int) -> Int? {
        var position = index - 1
        while position >= 0 {
            if tokens[position].text == "(" { return position }
            position = (tokens[position].text == ")" ? matches[position] ?? position : position) - 1
        }
        return nil
    }

    /// Returns the number of commas between an opening parenthesis and a token, excluding nested
    /// parentheses.
    private func commas(from open: Int, to index: Int) -> Int {
        var count = 0
        var position = open + 1
        while position < index {
            if tokens[position].text == "(", let end = matches[position], end < index {
                position = end
            } else if tokens[position].text == "," {
                count += 1
            }
            position += 1
        }
        return count
    }

    // MARK: Columns

    private func column(endingAt index: Int) -> Variable.Column? {
        if tokens[index].text == ")", let open = matches[index] {
            return onlyColumn(in: open..<index)
        }
        guard index >= 2, tokens[index - 1].text == "." else { return column(at: index) }
        return column(at: index, of: tokens[index - 2].name)
    }

    private func column(startingAt index: Int) -> Variable.Column? {
        if tokens.indices.contains(index + 1) {
            if tokens[index + 1].text == ".", tokens.indices.contains(index + 2) {
                return column(at: index + 2, of: tokens[index].name)
            }
            if tokens[index + 1].text == "(", let end = matches[index + 1] {
                return onlyColumn(in: (index + 1)..<end)
            }
        }
        return column(at: index)
    }

    private func column(at index: Int, of qualifier: String? = nil) -> Variable.Column? {
        guard tokens[index].isName else { return nil }
        return tables.column(tokens[index].name, of: qualifier)
    }

    /// Returns the column inside a function call or parentheses, if there is exactly one.
    private func onlyColumn(in range: Range<Int>) -> Variable.Column? {
        guard !range.contains(where: { tokens[$0].keyword == "SELECT" }) else { return nil }
        var found: Set<Variable.Column> = []
        for index in range.dropFirst() {
            if tokens.indices.contains(index + 1), [".", "("].contains(tokens[index + 1].text) {
                continue
            }
            if let column = column(endingAt: index) { found.insert(column) }
        }
        return found.count == 1 ? found.first : nil
    }
}
