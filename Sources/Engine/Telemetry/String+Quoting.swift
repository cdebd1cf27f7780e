extension String {
    /// Returns the text between two quotes, such as `'` for an SQL string, with each quote in the
    /// text doubled.
    ///
    /// SQL uses this form. The method compares scalars, because a quote and a
    /// following combining character form one `Character`, so `replacing(_:with:)` would not find
    /// the quote.
    package func quoted(by quote: Unicode.Scalar) -> String {
        let mark = String(quote)
        return mark + replacing(scalar: quote, with: mark + mark) + mark
    }

    /// Returns the text with each occurrence of a scalar replaced, even before a combining
    /// character.
    package func replacing(scalar: Unicode.Scalar, with replacement: String) -> String {
        guard unicodeScalars.contains(scalar) else { return self }
        var result = ""
        result.reserveCapacity(utf8.count + replacement.utf8.count)
        for found in unicodeScalars {
            if found == scalar {
                result += replacement
            } else {
                result.unicodeScalars.append(found)
            }
        }
        return result
    }

    /// Returns the text with each pair of quotes replaced by one quote.
    package func undoubling(_ quote: Unicode.Scalar) -> String {
        var result = ""
        var isSecond = false
        for scalar in unicodeScalars {
            isSecond = scalar == quote && !isSecond
            if scalar != quote || isSecond { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}
