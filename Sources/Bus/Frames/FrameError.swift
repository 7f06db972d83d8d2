/// An error about bytes that are not a valid frame of this protocol.
package struct FrameError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        case tooShort, notOurs, otherVersion, unknownKind, wrongLength, tooLarge, badText, badPayload
    }

    package let code: Code
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String { detail }
}
