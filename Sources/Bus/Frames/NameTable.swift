// Hot path: it runs for each request. See "Hot paths" in Contributing.

/// The names to which the frames of a link may refer by their index. The host sends them in its welcome.
///
/// A host has one table for all links. It only grows, so that an index means the same on each of them, and each link
/// knows the first names of the table.
package struct NameTable {
    /// The largest number of names.
    package static let maximumCount = 128
    /// The largest size of all names together, in bytes, so that they fit into a welcome.
    package static let maximumBytes = 4 << 10

    private var names: [FrameText] = []
    /// The number of names.
    // Stored, because other modules would copy the whole table to call a getter.
    package private(set) var count = 0
    private var bytes = 0
    private var indices: [String: NameIndex] = [:]
    /// The indices of the names of this process's messages, by the messages' own indices; `nil` for a message that was not
    /// looked up yet.
    private var indicesByMessage: [NameIndex?] = []

    package init() {}

    /// Creates the table of a link.
    /// - Parameter names: the names of the welcome. Those that exceed the limits are left out with all that follow.
    package init(_ names: [String]) {
        for name in names {
            guard hasRoom(for: name) else { return }
            append(name)
        }
    }

    subscript(index: NameIndex) -> FrameText { names[Int(index.rawValue)] }

    /// The first names, for a welcome.
    /// - Parameter count: how many names the peer accepts.
    package func texts(_ count: Int) -> [String] { names.prefix(max(0, count)).map(\.text) }

    /// Adds names that are not in the table, as far as there is room.
    package mutating func add(_ added: [String]) {
        for name in added where indices[name] == nil && hasRoom(for: name) { append(name) }
    }

    package func contains(_ name: String) -> Bool { indices[name] != nil }

    package func hasRoom(for name: String) -> Bool {
        count < Self.maximumCount && (1...255).contains(name.utf8.count)
            && bytes + name.utf8.count <= Self.maximumBytes
    }

    private mutating func append(_ name: String) {
        if indices[name] == nil { indices[name] = NameIndex(count) }
        names.append(FrameText(name, index: NameIndex(count)))
        count += 1
        bytes += name.utf8.count
        indicesByMessage = []
    }

    /// Whether an index stands for a name.
    package func has(_ index: NameIndex, for name: String) -> Bool {
        // Equal texts may have other bytes, and a name is carried unchanged.
        index < count && self[index].text.utf8.elementsEqual(name.utf8)
    }

    // MARK: - Messages

    /// Returns the index of a message's name, or none.
    /// - Parameter place: the message's own index.
    // It takes the values and not the type of the message, which may run code of its own to compute them.
    package mutating func index(of name: String, at place: Int) -> NameIndex {
        guard place < indicesByMessage.count, let index = indicesByMessage[place] else {
            return findIndex(of: name, at: place)
        }
        // A message that is written without the macro may have the index of another one.
        return index == .none || self[index].text == name ? index : .none
    }

    private mutating func findIndex(of name: String, at place: Int) -> NameIndex {
        var index = indices[name] ?? .none
        if !has(index, for: name) { index = .none }
        if place >= indicesByMessage.count {
            indicesByMessage += Array(repeating: nil, count: place + 1 - indicesByMessage.count)
        }
        indicesByMessage[place] = index
        return index
    }
}
