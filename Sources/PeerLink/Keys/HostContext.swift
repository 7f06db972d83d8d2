import Bus
package import ZeroMQ

/// A host of another machine, under a name of this user's own: its address, its key, and the name by which it knows this
/// machine.
package struct HostContext: Hashable, Sendable {
    package var name: String
    package var address: String
    /// The host's public key.
    package var key: PublicKey
    /// The key that is about to take its place, as the host has said; `nil` for none.
    package var next: PublicKey?
    /// The name of this machine's key at the host. The names of its peers begin with it.
    package var ownName: String

    package init(name: String, address: String, key: PublicKey, ownName: String) {
        (self.name, self.address, self.key, self.ownName) = (name, address, key, ownName)
    }
}

/// The contexts of a user, as a text file of a line each: `context NAME ADDRESS KEY OWN-NAME [next=KEY]`, and `current NAME`
/// for the one that commands use without `--host`.
package struct HostContexts: Hashable, Sendable {
    package private(set) var contexts: [HostContext] = []
    /// The name of the context that commands use without `--host`.
    package private(set) var current: String?

    package init() {}

    /// - Parameter file: the file's path, for errors.
    package init(_ text: String, file: String) throws(PrivatePathError) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let first = words.first else { continue }
            func bad(_ reason: String) -> PrivatePathError {
                PrivatePathError(.unusable, "\(file), line \(index + 1): \(reason); correct or remove the line")
            }
            switch first {
            case "context":
                guard words.count == 5 || words.count == 6 && words[5].hasPrefix("next=") else {
                    throw bad("'context' has a name, an address, a key and a name of its own")
                }
                if let problem = BusName.problem(with: words[1]) { throw bad("the name '\(words[1])' \(problem)") }
                if let problem = HostEndpoint.problem(of: words[2]) { throw bad(problem) }
                guard let key = PublicKey(words[3]) else {
                    throw bad("'\(words[3])' is not a key of 64 hexadecimal digits")
                }
                if let problem = BusName.problem(with: words[4]) { throw bad("the name '\(words[4])' \(problem)") }
                guard self[words[1]] == nil else { throw bad("'\(words[1])' is there twice") }
                var context = HostContext(name: words[1], address: words[2], key: key, ownName: words[4])
                if words.count == 6 {
                    guard let next = PublicKey(words[5].dropFirst(5)) else {
                        throw bad("'\(words[5])' has no key of 64 hexadecimal digits")
                    }
                    context.next = next
                }
                contexts.append(context)
            case "current":
                guard words.count == 2 else { throw bad("'current' has a name") }
                current = words[1]
            default: throw bad("'\(first)' is neither 'context' nor 'current'")
            }
        }
        if let current, self[current] == nil {
            throw PrivatePathError(
                .unusable, "\(file): the context in use, '\(current)', is not there; correct or remove the line")
        }
    }

    package var text: String {
        var lines = contexts.map { context in
            let next = context.next.map { " next=\($0)" } ?? ""
            return "context \(context.name) \(context.address) \(context.key) \(context.ownName)\(next)"
        }
        if let current { lines.append("current \(current)") }
        return lines.map { "\($0)\n" }.joined()
    }

    package subscript(name: String) -> HostContext? { contexts.first { $0.name == name } }

    /// The context of an address; `nil` if there is none.
    package func context(of address: String) -> HostContext? { contexts.first { $0.address == address } }

    /// Adds a context, or replaces the one of this name.
    package mutating func set(_ context: HostContext) {
        if let index = contexts.firstIndex(where: { $0.name == context.name }) {
            contexts[index] = context
        } else {
            contexts.append(context)
        }
    }

    /// Notes the key that is about to take the place of a host's.
    package mutating func announce(_ next: PublicKey, after key: PublicKey) {
        for index in contexts.indices where contexts[index].key == key { contexts[index].next = next }
    }

    /// Notes that no host is about to have a key that was announced.
    package mutating func forget(_ next: PublicKey) {
        for index in contexts.indices where contexts[index].next == next { contexts[index].next = nil }
    }

    /// Notes that a host has another key now, which it has announced.
    package mutating func replace(by key: PublicKey) {
        for index in contexts.indices where contexts[index].next == key {
            (contexts[index].key, contexts[index].next) = (key, nil)
        }
    }

    /// - Returns: `false` if there is no such context.
    package mutating func remove(_ name: String) -> Bool {
        guard let index = contexts.firstIndex(where: { $0.name == name }) else { return false }
        contexts.remove(at: index)
        if current == name { current = nil }
        return true
    }

    /// - Parameter name: `nil` for this machine's own host.
    /// - Returns: `false` if there is no such context.
    package mutating func use(_ name: String?) -> Bool {
        guard name == nil || contexts.contains(where: { $0.name == name }) else { return false }
        current = name
        return true
    }
}

extension KeyFolder {
    /// The contexts of this user; none if there is no file.
    package func contexts() throws(PrivatePathError) -> HostContexts {
        try check()
        do throws(PrivatePathError) {
            let text = try PrivateFile.read(contextsFile, maximumSize: 1 << 20, isSecret: false)
            return try HostContexts(text, file: contextsFile)
        } catch {
            guard error.code == .missing else { throw error }
            return HostContexts()
        }
    }

    package func save(_ contexts: HostContexts) throws(PrivatePathError) {
        try make()
        try PrivateFile.write(contexts.text, to: contextsFile)
    }

    /// Changes the contexts, for the processes that run. It does nothing while another process does so, and if nothing changes.
    package func editContexts(_ change: (inout HostContexts) -> Void) throws {
        try check()
        try FileLock.hold("\(contextsFile).lock", waits: false) {
            let contexts = try self.contexts()
            var changed = contexts
            change(&changed)
            if changed != contexts { try save(changed) }
        }
    }
}
