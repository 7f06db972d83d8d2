// All three, so that neither `print` nor `dump` shows the bytes of a secret.
extension CBORRaw: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The item in diagnostic notation, with `…` after 1,000 characters. A secret is six dots.
    public var description: String {
        let value = try? CBORValue(decoding: bytes, limits: .trusted)
        return value?.diagnostic(maximumLength: 1000) ?? "\(bytes.count) bytes"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror with the description in place of the bytes.
    public var customMirror: Mirror { Mirror(self, children: ["item": description], displayStyle: .struct) }
}
