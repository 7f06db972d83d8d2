extension Secret: Codable {
    /// Encodes the value with the tag of secrets.
    ///
    /// - Throws: `EncodingError` with an encoder other than ``CBOREncoder``, which would write the value in plain, and for a
    ///   value that cannot be encoded. Neither holds the value.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ItemEncoder else {
            throw error(
                "A secret is written as CBOR only: write what it reveals, if it may be seen there.", encoder.codingPath)
        }
        let item = encoder.item.child(nil)
        do {
            try item.encode(revealed)
        } catch {
            throw self.error("The secret cannot be encoded.", encoder.codingPath)
        }
        try encoder.item.take(item, asSecret: true)
    }

    private func error(_ reason: String, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(self, EncodingError.Context(codingPath: path, debugDescription: reason))
    }

    /// Decodes a value with the tag of secrets, or without it.
    ///
    /// - Throws: `DecodingError` that names the place, and nothing of the value.
    public init(from decoder: any Decoder) throws {
        do {
            revealed = try decoder.singleValueContainer().decode(Value.self)
        } catch {
            throw SecretTag.decodingError(Value.self, at: decoder.codingPath)
        }
    }
}
