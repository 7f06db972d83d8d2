import CChildren
import Glibc

/// The environment of a process that the host starts.
///
/// It is a list, and not all of the host's: that may hold secrets which are the host's alone.
struct ChildEnvironment: Hashable, Sendable {
    /// The name of the variable that each child has, by which the host's guard finds it.
    static let guardVariable = "SCENEBUS_GUARD"

    /// One entry of a manifest's `environment`.
    enum Entry: Hashable, Sendable {
        /// The host's variable of this name, if it has one.
        case passed(String)
        /// The host's variables whose names begin so.
        case passedAll(prefix: String)
        case set(String, value: String)

        /// Parses `NAME`, `NAME*` or `NAME=VALUE`.
        /// - Returns: `nil` for another form.
        init?(_ text: String) {
            if let end = text.firstIndex(of: "=") {
                let (name, value) = (String(text[..<end]), String(text[text.index(after: end)...]))
                guard ChildEnvironment.isName(name), !value.utf8.contains(0) else { return nil }
                self = .set(name, value: value)
            } else if text.last == "*" {
                guard ChildEnvironment.isName(text.dropLast()) else { return nil }
                self = .passedAll(prefix: String(text.dropLast()))
            } else {
                guard ChildEnvironment.isName(text) else { return nil }
                self = .passed(text)
            }
        }

        /// The name, or the beginning of names.
        var name: String {
            switch self {
            case .passed(let name), .passedAll(let name), .set(let name, _): name
            }
        }

        fileprivate func passes(_ name: String) -> Bool {
            switch self {
            case .passed(let passed): passed == name
            case .passedAll(let prefix): name.hasPrefix(prefix)
            case .set: false
            }
        }
    }

    /// What every process gets of the host's variables: what programs and the Swift runtime need, and nothing that is likely
    /// to be a secret. A process on the host's own socket needs no keys, and therefore not their folder either.
    private static let standard: [Entry] = [
        .passed("PATH"), .passed("HOME"), .passed("USER"), .passed("LOGNAME"), .passed("SHELL"), .passed("TERM"),
        .passed("TMPDIR"), .passed("LANG"), .passed("LANGUAGE"), .passedAll(prefix: "LC_"), .passed("TZ"),
        .passed("TZDIR"),
        .passed("XDG_RUNTIME_DIR"), .passed("XDG_CONFIG_HOME"), .passed("XDG_DATA_HOME"), .passed("XDG_STATE_HOME"),
        .passed("XDG_CACHE_HOME"), .passed("LD_LIBRARY_PATH"), .passed("SCENEBUS_RUNTIME"), .passed("SCENEBUS_LOG"),
        // Of developers: backtraces, sanitizers and coverage.
        .passed("SWIFT_BACKTRACE"), .passed("ASAN_OPTIONS"), .passed("LSAN_OPTIONS"), .passed("TSAN_OPTIONS"),
        .passed("UBSAN_OPTIONS"), .passed("LLVM_PROFILE_FILE"),
    ]

    /// What the host itself tells a process.
    static let reserved: Set<String> = [
        "SCENEBUS_HOST", "SCENEBUS_PEER", "SCENEBUS_PARENT", "SCENEBUS_CONFIGURATION", Self.guardVariable,
    ]

    /// Of a process that crashes, Swift prints the registers by default, and 16 bytes at each pointer among them: a password
    /// may be there, and the host's log has what the process prints. The backtrace itself stays.
    private static let crashReport = (name: "SWIFT_BACKTRACE", value: "registers=none")

    /// The entries of the manifest.
    var entries: [Entry] = []

    /// Chooses the variables of a process. Of two values for a name, the later one counts: that of the host's environment,
    /// of the manifest, and of the host itself. ``crashReport`` counts only without another one.
    /// - Parameters:
    ///   - host: the host's environment, each `NAME=VALUE`.
    ///   - own: what the host tells the process, by name.
    /// - Returns: the variables, each `NAME=VALUE` with a zero at its end.
    func variables(from host: [[UInt8]], own: [String: String] = [:]) -> [[UInt8]] {
        var chosen = [Self.crashReport.name: Array("\(Self.crashReport.name)=\(Self.crashReport.value)\0".utf8)]
        let passing = Self.standard + entries
        for variable in host {
            // A value may be any bytes, such as a path in another encoding.
            guard let end = variable.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: variable[..<end], as: UTF8.self)
            guard !Self.reserved.contains(name), passing.contains(where: { $0.passes(name) }) else { continue }
            chosen[name] = variable + [0]
        }
        for case .set(let name, let value) in entries { chosen[name] = Array("\(name)=\(value)\0".utf8) }
        for (name, value) in own { chosen[name] = Array("\(name)=\(value)\0".utf8) }
        return chosen.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The environment of this process, as it is now.
    @MainActor
    static func ofThisProcess() -> [[UInt8]] {
        var variables: [[UInt8]] = []
        var next = scenebus_environment()
        while let variable = next?.pointee {
            variables.append(Array(UnsafeRawBufferPointer(start: variable, count: strlen(variable))))
            next = next?.successor()
        }
        return variables
    }

    /// Whether a text is the name of a variable: letters of ASCII, digits and `_`, with no digit at the beginning.
    private static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_")
        }
    }
}
