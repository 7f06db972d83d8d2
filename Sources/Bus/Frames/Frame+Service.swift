extension Frame {
    /// The service that the message is addressed to; `nil` when it climbs the responder chain.
    package var serviceName: Substring? {
        isAddressed ? name.utf8.firstIndex(of: FrameText.separator).map { name[..<$0] } : nil
    }

    /// The message's name without the service.
    package var messageName: Substring {
        guard isAddressed, let separator = name.utf8.firstIndex(of: FrameText.separator) else { return name[...] }
        return name[name.utf8.index(after: separator)...]
    }

    /// Whether its message is one that the protocol itself defines.
    package var isOfProtocol: Bool { ProtocolMessages.contains(storedName) }
}
