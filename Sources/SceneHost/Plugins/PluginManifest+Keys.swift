import Bus
import CBOR
import Messaging

/// The keys of a `plugin.json`, and their allowed values.
extension PluginManifest: Decodable {
    /// The reason why a text is not a manifest.
    struct Problem: Error {
        let reason: String
    }

    private static let instanceCounts = 1...100
    private static let capacities = 1...10_000
    private static let seconds = 0.0...3600.0
    private static let versions = 1...255

    /// The keys of a manifest.
    enum Key: String, CodingKey {
        case id, version, `protocol`, executable, handles, provides, services, scenes, instances, capacity
        case startSeconds, hangSeconds, environment, limits, newPrivileges, configuration

        /// The allowed values of a key, in words.
        static func kind(of key: any CodingKey) -> String {
            if let limit = LimitKey(stringValue: key.stringValue) { return words(for: limit.range) }
            return switch Key(stringValue: key.stringValue) {
            case .id, .version, .executable: "a string"
            case .handles, .provides, .services, .scenes, .environment: "a list of strings"
            case .protocol, .limits, .configuration: "an object"
            case .newPrivileges: "true or false"
            case .instances: words(for: instanceCounts)
            case .capacity: words(for: capacities)
            case .startSeconds, .hangSeconds: "a number from 0 to 3600"
            case nil: words(for: versions)
            }
        }

        private static func words(for range: ClosedRange<Int>) -> String {
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
        }
    }

    /// The keys of the object `protocol`.
    enum ProtocolKey: String, CodingKey {
        case min, max
    }

    /// The keys of the object `limits`.
    enum LimitKey: String, CodingKey, CaseIterable {
        case memoryMegabytes, openFiles, processes, cpuSeconds

        /// A process with less memory or fewer descriptors does not even load.
        fileprivate var range: ClosedRange<Int> {
            switch self {
            case .memoryMegabytes: 16...1_048_576
            case .openFiles: 16...1_048_576
            case .processes: 1...1_048_576
            case .cpuSeconds: 1...31_536_000
            }
        }
    }

    /// Parses a manifest.
    ///
    /// It is not parsed with `JSONDecoder`, because that accepts an object that holds a name twice, and does not
    /// distinguish `1.0` from `1` in the plugin's configuration.
    /// - Throws: ``Problem`` that names the key and its allowed values.
    init(json: String) throws {
        let value: CBORValue
        do {
            // Some editors begin a file with a byte order mark.
            let isMarked = json.unicodeScalars.first == "\u{FEFF}"
            value = try CBORValue(json: isMarked ? String(json.unicodeScalars.dropFirst()) : json)
        } catch {
            throw Problem(reason: "it is not JSON: \(error)")
        }
        do {
            self = try value.decode(as: PluginManifest.self)
        } catch DecodingError.keyNotFound(let key, let context) {
            let name = (context.codingPath + [key]).map(\.stringValue).joined(separator: ".")
            throw Problem(reason: "the key '\(name)' is missing; it is \(Key.kind(of: key))")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context)
        {
            let path = context.codingPath.prefix { $0.intValue == nil }
            guard let key = path.last else { throw Problem(reason: "it is not a JSON object") }
            let name = path.map(\.stringValue).joined(separator: ".")
            throw Problem(reason: "the key '\(name)' is not \(Key.kind(of: key))")
        }
    }

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: Key.self)
        id = try keys.text(.id)
        version = try keys.text(.version)
        let range = try keys.nestedContainer(keyedBy: ProtocolKey.self, forKey: .protocol)
        protocolRange = ProtocolVersionRange(
            min: try range.number(.min, in: Self.versions), max: try range.number(.max, in: Self.versions))
        executable = try keys.text(.executable)
        handles = try keys.ifPresent(.handles) ?? []
        provides = try keys.ifPresent(.provides) ?? []
        services = try keys.ifPresent(.services) ?? []
        scenes = try keys.ifPresent(.scenes) ?? []
        instances = try keys.numberIfPresent(.instances, in: Self.instanceCounts) ?? 1
        capacity = try keys.numberIfPresent(.capacity, in: Self.capacities) ?? 1
        limits = PluginMachine.Limits()
        if let limit = try keys.limit(.startSeconds, in: Self.seconds) { limits.start = limit }
        if let limit = try keys.limit(.hangSeconds, in: Self.seconds) { limits.hang = limit }
        resources = try Self.resources(keys)
        environment = ChildEnvironment(entries: try (keys.ifPresent(.environment) ?? []).map(Self.entry))
        configuration = try keys.ifPresent(.configuration) ?? .map([:])
        folder = ""
        guard case .map = configuration else { throw keys.wrongValue(.configuration) }
        let names = try decoder.singleValueContainer().decode([String: CBORValue].self).keys
        try Self.check(names, Key.self, prefix: "")
        try Self.check(
            keys.decode([String: CBORValue].self, forKey: .protocol).keys, ProtocolKey.self, prefix: "protocol.")
    }

    private static func resources(_ keys: KeyedDecodingContainer<Key>) throws -> ResourceLimits {
        var resources = ResourceLimits()
        resources.allowsNewPrivileges = try keys.ifPresent(.newPrivileges) ?? false
        guard keys.contains(.limits) else { return resources }
        let limits = try keys.nestedContainer(keyedBy: LimitKey.self, forKey: .limits)
        func number(_ key: LimitKey) throws -> Int? { try limits.numberIfPresent(key, in: key.range) }
        resources.memoryMegabytes = try number(.memoryMegabytes)
        resources.openFiles = try number(.openFiles)
        resources.processes = try number(.processes)
        resources.cpuSeconds = try number(.cpuSeconds)
        try check(keys.decode([String: CBORValue].self, forKey: .limits).keys, LimitKey.self, prefix: "limits.")
        return resources
    }

    /// Parses an entry of the key `environment`.
    private static func entry(_ text: String) throws -> ChildEnvironment.Entry {
        guard let entry = ChildEnvironment.Entry(text) else {
            // Without its value, which may be a secret.
            let name = text.prefix { $0 != "=" }
            throw Problem(
                reason:
                    "the key 'environment' has '\(String(foreign: String(name), maximumLength: 100))', which is not "
                    + "NAME, NAME* or NAME=VALUE: a NAME has only letters, digits and '_', and does not begin with a digit"
            )
        }
        if case .passedAll = entry { return entry }
        guard !ChildEnvironment.reserved.contains(entry.name) else {
            throw Problem(reason: "the key 'environment' has '\(entry.name)', which the host sets itself: remove it")
        }
        return entry
    }

    /// Refuses unknown keys.
    private static func check<Known: CodingKey>(
        _ names: some Sequence<String>, _ known: Known.Type, prefix: String
    ) throws {
        guard let name = names.sorted().first(where: { Known(stringValue: $0) == nil }) else { return }
        throw Problem(reason: "the key '\(prefix)\(name)' is not known; remove it or correct its name")
    }
}

extension KeyedDecodingContainer {
    fileprivate func text(_ key: Key) throws -> String {
        let text = try decode(String.self, forKey: key)
        guard !text.isEmpty else { throw wrongValue(key) }
        return text
    }

    fileprivate func number(_ key: Key, in range: ClosedRange<Int>) throws -> Int {
        let number = try decode(Int.self, forKey: key)
        guard range.contains(number) else { throw wrongValue(key) }
        return number
    }

    fileprivate func numberIfPresent(_ key: Key, in range: ClosedRange<Int>) throws -> Int? {
        try contains(key) ? number(key, in: range) : nil
    }

    /// Decodes a time limit in seconds.
    /// - Returns: `nil` when the key is missing; `.some(nil)` for 0, which means no limit.
    fileprivate func limit(_ key: Key, in range: ClosedRange<Double>) throws -> Duration?? {
        guard contains(key) else { return nil }
        let seconds = try decode(Double.self, forKey: key)
        guard range.contains(seconds) else { throw wrongValue(key) }
        return .some(seconds == 0 ? nil : .seconds(seconds))
    }

    /// Decodes an optional key. Unlike `decodeIfPresent`, it does not accept `null`.
    fileprivate func ifPresent<Value: Decodable>(_ key: Key) throws -> Value? {
        try contains(key) ? decode(Value.self, forKey: key) : nil
    }

    fileprivate func wrongValue(_ key: Key) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: "it has another value")
    }
}
