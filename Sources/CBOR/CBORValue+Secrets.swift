extension CBORValue {
    /// Whether any part of the value is a secret.
    package var holdsSecret: Bool {
        switch self {
        case .secret: true
        case .array(let elements): elements.contains(where: \.holdsSecret)
        case .map(let map): map.entries.contains { $0.key.holdsSecret || $0.value.holdsSecret }
        default: false
        }
    }

    /// The value without its secrets: an entry of a map is left out, and anything else is null.
    package var withoutSecrets: CBORValue {
        switch self {
        case .secret: .null
        case .array(let elements): .array(elements.map(\.withoutSecrets))
        case .map(let map):
            .map(
                CBORMap(
                    unique: map.entries.compactMap { entry in
                        if case .secret = entry.value { return nil }
                        if entry.key.holdsSecret { return nil }
                        return CBORMap.Pair(key: entry.key, value: entry.value.withoutSecrets)
                    }))
        default: self
        }
    }
}

extension CBORRaw {
    /// Whether any part of the item is a secret.
    package var holdsSecret: Bool { SecretTag.isIn(bytes[...]) }

    /// The item without its secrets, as ``CBORValue/withoutSecrets``.
    ///
    /// - Throws: ``CBORError`` if the bytes are not an item. They always are, unless they were never checked.
    package func withoutSecrets() throws(CBORError) -> CBORRaw {
        guard holdsSecret else { return self }
        let value = try CBORValue(decoding: bytes, limits: .trusted)
        return CBORRaw(unchecked: value.withoutSecrets.encoded())
    }
}
