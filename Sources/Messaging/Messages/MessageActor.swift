/// Who acts with a message: the peer of the host with which it began, and the user behind it if the peer has named one.
///
/// When a person at an operator's command acts in a scene, the scene's worker handles that action, and what the handler sends
/// in turn may be handled by a plugin. All of these handlers read the same actor, the operator, as
/// ``MessageContext/actor``. The host attests it.
public struct MessageActor: Hashable, Sendable, CustomStringConvertible {
    /// The role in which the peer is attached.
    public let role: PeerRole
    /// The peer's name.
    public let peer: String
    /// The name of the peer's key, which the connection attests. `nil` for a process of the host's user on the host's
    /// machine, whose name is what it says of itself.
    public let key: String?
    /// The user for whom the peer acts, such as the one who has logged in to a console; `nil` when the peer acts for itself.
    ///
    /// The host attests that the peer may speak for a user of that name. That it is this user, the peer says.
    public let user: String?

    package init(role: PeerRole, peer: String, key: String? = nil, user: String? = nil) {
        (self.role, self.peer, self.key, self.user) = (role, peer, key, user)
    }

    /// For people, such as `operator 'wall-3'` and `plugin 'console' for 'anna'`.
    public var description: String { "\(role.rawValue) '\(peer)'" + (user.map { " for '\($0)'" } ?? "") }

    // MARK: - The form on the bus

    // The role, the peer's name, the key's name and the user, with a space in front of each but the first. The key's name is
    // empty for a peer without one that names a user. Only the user may have spaces in it.

    /// The text of the actor in a frame.
    package var text: String {
        var text = "\(role.rawValue) \(peer)"
        if let key { text += " \(key)" }
        if let user { text += key == nil ? "  \(user)" : " \(user)" }
        return text
    }

    /// - Returns: `nil` for a text that names no actor.
    package init?(text: String) {
        // Bytes, because a space and what follows it can be one character.
        let parts = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
            .compactMap { String($0) }
        guard parts.count >= 2, !parts[1].isEmpty, parts.last != "", let role = PeerRole(rawValue: parts[0]) else {
            return nil
        }
        self.init(
            role: role, peer: parts[1], key: parts.count > 2 && !parts[2].isEmpty ? parts[2] : nil,
            user: parts.count > 3 ? parts[3] : nil)
    }

    // MARK: - Users

    /// The maximum length of a user's name, in bytes.
    public static let maximumUserLength = 64
    /// The maximum length of the text, in bytes: a frame has one byte for the length.
    private static let maximumLength = 255

    /// The rule for the name of a user, in words.
    private static let userRule = """
        the name of a user begins with a letter or a digit, does not end with a space, has only characters that are seen and \
        plain spaces, and has at most \(maximumUserLength) bytes
        """

    /// Why a text is no name of a user; `nil` for one.
    package static func problem(withUser name: String) -> String? {
        guard let first = name.unicodeScalars.first,
            first.properties.isAlphabetic || first.properties.numericType != nil,
            name.utf8.last != UInt8(ascii: " "), name.utf8.count <= maximumUserLength,
            name.unicodeScalars.allSatisfy(isSeen)
        else { return "'\(String(foreign: name, maximumLength: maximumUserLength))' is no name of a user: \(userRule)" }
        return nil
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        case .spaceSeparator: scalar == " "
        // Symbols without a picture: the empty pattern of Braille, and the null notehead.
        case .otherSymbol: scalar != "\u{2800}" && scalar != "\u{1D159}"
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Why there cannot be such an actor, because of the user; `nil` when there can.
    package var problem: String? {
        guard let user else { return nil }
        if let problem = Self.problem(withUser: user) { return problem }
        guard text.utf8.count <= Self.maximumLength else {
            return "the names of the peer, its key and the user have \(text.utf8.count) bytes together: too many"
        }
        return nil
    }
}
