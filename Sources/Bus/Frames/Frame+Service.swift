extension Frame {
    private static let separator = UInt8(ascii: "/")

    /// Whether the message is addressed to a service instead of climbing the responder chain.
    package var isAddressed: Bool { name.utf8.contains(Self.separator) }

    /// The service that the message is addressed to; `nil` when it climbs the responder chain.
    package var serviceName: Substring? {
        name.utf8.firstIndex(of: Self.separator).map { name[..<$0] }
    }

    /// The message's name without the service.
    package var messageName: Substring {
        name.utf8.firstIndex(of: Self.separator).map { name[name.utf8.index(after: $0)...] } ?? name[...]
    }
}
