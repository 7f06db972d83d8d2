extension Frame {
    static let separator = UInt8(ascii: "/")

    static func isAddressed(_ name: String) -> Bool {
        // A plain loop over the bytes: the generic search takes five times as long, for each frame.
        let found = name.utf8.withContiguousStorageIfAvailable { bytes in
            for byte in bytes where byte == separator { return true }
            return false
        }
        return found ?? name.utf8.contains(separator)
    }

    /// The service that the message is addressed to; `nil` when it climbs the responder chain.
    package var serviceName: Substring? {
        isAddressed ? name.utf8.firstIndex(of: Self.separator).map { name[..<$0] } : nil
    }

    /// The message's name without the service.
    package var messageName: Substring {
        guard isAddressed, let separator = name.utf8.firstIndex(of: Self.separator) else { return name[...] }
        return name[name.utf8.index(after: separator)...]
    }
}
