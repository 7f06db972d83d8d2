/// A text of a received frame: its name, or the name of its sender.
struct FrameText {
    let text: String
    /// Whether it addresses a service as the name of a message.
    let isAddressed: Bool
    /// Whether it addresses no service and does not begin like a message of the protocol.
    let isPlain: Bool
    /// The index that stood for it; ``NameIndex/none`` for a whole text.
    let index: NameIndex

    init(_ text: String, index: NameIndex = .none) {
        self.text = text
        isAddressed = Self.isAddressed(text)
        isPlain = !isAddressed && !ProtocolMessages.mayContain(text)
        self.index = index
    }

    /// No text, as the sender of most frames. It needs no look at its name.
    private init() { (text, isAddressed, isPlain, index) = ("", false, true, .none) }
    static var empty: FrameText { FrameText() }

    /// What separates the service from the message in an addressed name.
    static let separator = UInt8(ascii: "/")

    static func isAddressed(_ name: String) -> Bool {
        // A plain loop over the bytes: the generic search takes five times as long, for each frame.
        let found = name.utf8.withContiguousStorageIfAvailable { bytes in
            for byte in bytes where byte == separator { return true }
            return false
        }
        return found ?? name.utf8.contains(separator)
    }
}
