/// Reads keys from the bytes that a terminal sends.
///
/// One read may have several keys, and a key may be split over two reads. What is not understood is left out.
package struct TerminalKeyDecoder: Sendable {
    /// The bytes of a key whose end has not come.
    private var rest: [UInt8] = []
    /// What has been pasted so far; `nil` outside of a paste.
    private var pasted: [UInt8]?

    /// The longest sequence that is waited for. The longest one that is understood has 6 bytes.
    private static let maximumSequence = 64
    /// The most bytes of a paste that are kept. A field has no more.
    package static let maximumPaste = 16 << 10
    private static let escape: UInt8 = 0x1B
    private static let endOfPaste = Array("\u{1B}[201~".utf8)

    package init() {}

    /// Whether the Escape key may have been pressed, or a sequence has begun. Only time can tell: then call ``flush()``.
    package var isWaiting: Bool { pasted == nil && rest.first == Self.escape }

    /// Returns the keys in the bytes, and keeps those of a key that is not complete.
    package mutating func decode(_ bytes: some Sequence<UInt8>) -> [TerminalKey] {
        rest += bytes
        var keys: [TerminalKey] = []
        var start = 0
        while start < rest.count {
            guard let (key, end) = pasted == nil ? key(at: start) : paste(from: start) else { break }
            if let key { keys.append(key) }
            start = end
        }
        rest.removeFirst(start)
        return keys
    }

    /// Returns the keys in the incomplete sequence, when nothing has followed for a while.
    package mutating func flush() -> [TerminalKey] {
        guard isWaiting else { return [] }
        let isAlone = rest.count == 1
        rest = []
        // The beginning of a sequence that has no end is no key.
        return isAlone ? [.escape] : []
    }

    // MARK: - Keys

    /// Returns the key at an index, `nil` for one that is not understood, and the index after it; `nil` if it is not complete.
    private mutating func key(at start: Int) -> (TerminalKey?, Int)? {
        switch rest[start] {
        case Self.escape: sequence(at: start)
        case 0x0D, 0x0A: (.enter, start + 1)
        case 0x09: (.tab, start + 1)
        case 0x7F, 0x08: (.backspace, start + 1)
        case 0x01...0x1A: (.control(Character(Unicode.Scalar(rest[start] + 0x60))), start + 1)
        case 0x20...0x7E: (.text(String(Unicode.Scalar(rest[start]))), start + 1)
        case 0x80...: character(at: start)
        default: (nil, start + 1)
        }
    }

    private func character(at start: Int) -> (TerminalKey?, Int)? {
        let length =
            switch rest[start] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        let end = rest[start...].dropFirst().prefix(length - 1).prefix { $0 & 0xC0 == 0x80 }.endIndex
        if end - start < length {
            // Another byte instead of the next one of the character means that the character has no end.
            return end == rest.count && length > 1 ? nil : (nil, end)
        }
        guard let text = String(validating: rest[start..<end], as: UTF8.self) else { return (nil, end) }
        return (text.unicodeScalars.allSatisfy { !$0.isUnprintable } ? .text(text) : nil, end)
    }

    private mutating func sequence(at start: Int) -> (TerminalKey?, Int)? {
        guard start + 1 < rest.count else { return nil }
        switch rest[start + 1] {
        case UInt8(ascii: "["):
            let parameters = rest[(start + 2)...].prefix { (0x20...0x3F).contains($0) }
            guard parameters.count <= Self.maximumSequence else { return (nil, parameters.endIndex) }
            guard parameters.endIndex < rest.count else { return nil }
            let final = rest[parameters.endIndex]
            // Not a sequence: what follows is read as keys.
            guard (0x40...0x7E).contains(final) else { return (nil, parameters.endIndex) }
            if final == UInt8(ascii: "~"), parameters.elementsEqual("200".utf8) { pasted = [] }
            return (Self.key(final, String(decoding: parameters, as: UTF8.self)), parameters.endIndex + 1)
        case UInt8(ascii: "O"):
            guard start + 2 < rest.count else { return nil }
            return (Self.key(rest[start + 2], ""), start + 3)
        case Self.escape: return (.escape, start + 1)
        // A key together with Alt means nothing here.
        default: return key(at: start + 1).map { (nil, $0.1) }
        }
    }

    /// - Parameter parameters: such as `5`, or `1;5` for an arrow together with Ctrl.
    private static func key(_ final: UInt8, _ parameters: String) -> TerminalKey? {
        switch Character(Unicode.Scalar(final)) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H": .home
        case "F": .end
        case "Z": .backTab
        case "M" where parameters.isEmpty: .enter
        case "~":
            switch parameters.prefix(while: { $0 != ";" }) {
            case "1", "7": .home
            case "4", "8": .end
            case "3": .delete
            case "5": .pageUp
            case "6": .pageDown
            default: nil
            }
        default: nil
        }
    }

    // MARK: - Paste

    private mutating func paste(from start: Int) -> (TerminalKey?, Int)? {
        let marker = Self.endOfPaste
        var index = start
        while let next = rest[index...].firstIndex(of: Self.escape) {
            let part = rest[next...].prefix(marker.count)
            if part.elementsEqual(marker) {
                keep(rest[start..<next])
                let text = String(decoding: pasted ?? [], as: UTF8.self)
                pasted = nil
                return (.paste(text), next + marker.count)
            }
            if part.count < marker.count, marker.starts(with: part) {
                // The marker may be split over two reads.
                keep(rest[start..<next])
                return start == next ? nil : (nil, next)
            }
            index = next + 1
        }
        keep(rest[start...])
        return (nil, rest.count)
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        let room = Self.maximumPaste - (pasted?.count ?? 0)
        pasted?.append(contentsOf: bytes.prefix(max(0, room)))
    }
}
