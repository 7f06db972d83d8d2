/// The screens on walls: which keys they have, and what they show. It holds digests of the keys only.
package struct ConsoleWalls: Hashable, Sendable {
    /// A screen.
    package struct Wall: Hashable, Sendable {
        package let name: String
        package let configuration: String
        /// The session that the screen shows. It is opened when the screen first comes.
        package let session: String
        /// The link with which the session is opened; `nil` for none.
        package var url: String?
        /// What those before it may do; `nil` for what is said of all screens.
        package var access: Access?
    }

    /// What those who stand before a screen may do with its scene.
    package enum Access: String, Hashable, Sendable, CaseIterable {
        case show, use

        /// - Throws: an error that says which names there are.
        package init(named name: String) throws(Problem) {
            guard let access = Access(rawValue: name) else { throw .access }
            self = access
        }
    }

    /// Why a screen is not added.
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        case name
        case configuration
        case url
        case access
        case exists
        case tooMany

        package var description: String {
            switch self {
            case .name:
                "a wall's name has 1 to \(ConsoleWalls.maximumName) lower-case letters, digits and hyphens"
            case .configuration:
                "a wall shows a scene configuration, with a name of 1 to \(ConsoleWalls.maximumConfiguration) bytes"
            case .url:
                "a wall's url is the link that its scene opens first, such as sign://101, of up to \(ConsoleWalls.maximumURL) bytes"
            case .access: "a wall's access is 'show' or 'use'"
            case .exists: "there is a wall of this name; to give it another key, revoke it first with consoleRevokeWall"
            case .tooMany: "there are \(ConsoleWalls.maximumCount) walls; revoke one with consoleRevokeWall"
            }
        }
    }

    /// The number of screens.
    package static let maximumCount = 200
    /// The length of a name, which is a part of the session's identifier.
    package static let maximumName = 40
    /// The length of a configuration's name, in bytes.
    package static let maximumConfiguration = 256
    /// The length of a link, in bytes.
    package static let maximumURL = 1024

    /// The screens by the digests of their keys.
    private(set) var walls: [TokenDigest: Wall] = [:]

    package init() {}

    /// Takes up the screens that were there before a restart.
    init(walls: [TokenDigest: Wall]) { self.walls = walls }

    /// The screens, in the order of their names.
    package var all: [Wall] { walls.values.sorted { $0.name < $1.name } }

    /// The screen with a key; `nil` for a key that is none.
    package subscript(key: TokenDigest) -> Wall? { walls[key] }

    /// Adds a screen.
    /// - Returns: its key, which is not kept.
    package mutating func add(
        _ name: String, showing configuration: String, url: String? = nil, access: Access? = nil
    ) throws(Problem) -> ConsoleToken {
        guard Self.isName(name) else { throw .name }
        guard Self.isConfiguration(configuration) else { throw .configuration }
        guard url.map(Self.isURL) ?? true else { throw .url }
        guard !walls.values.contains(where: { $0.name == name }) else { throw .exists }
        guard walls.count < Self.maximumCount else { throw .tooMany }
        let key = ConsoleToken()
        // A later screen of this name must not find the session of this one.
        let session = "wall-\(name)-\(ConsoleToken().text.prefix(8))"
        walls[key.digest] = Wall(
            name: name, configuration: configuration, session: session, url: url, access: access)
        return key
    }

    /// Removes a screen.
    /// - Returns: the screen and the digest of its key; `nil` if there is none of this name.
    package mutating func revoke(_ name: String) -> (wall: Wall, key: TokenDigest)? {
        guard let (key, wall) = walls.first(where: { $0.value.name == name }) else { return nil }
        walls[key] = nil
        return (wall, key)
    }

    /// Removes all screens.
    /// - Returns: those that there were, in the order of their names.
    package mutating func revokeAll() -> [Wall] {
        defer { walls = [:] }
        return all
    }

    /// Whether a text can name a screen.
    static func isName(_ text: String) -> Bool {
        (1...maximumName).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            }
    }

    /// Whether a text can be the link with which a session is opened. Whether it leads anywhere is the scene's to say.
    static func isURL(_ text: String) -> Bool {
        guard text.utf8.count <= maximumURL, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return false
        }
        let scheme = text[..<colon]
        return scheme.first?.isLetter == true
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    }

    /// Whether a text can name a configuration that has a page. A browser takes one or two dots for another folder.
    package static func isConfiguration(_ text: String) -> Bool {
        (1...maximumConfiguration).contains(text.utf8.count) && text != "." && text != ".."
    }
}
