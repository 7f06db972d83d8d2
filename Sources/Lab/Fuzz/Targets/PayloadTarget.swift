import Bus
import CBOR
import Messaging

extension FuzzTarget {
    /// The payloads of all frames and messages of the protocol. The first byte selects one; the rest is the payload.
    static let payload = FuzzTarget("payload") { input, memory in
        guard let first = input.first else { return }
        let kind = PayloadKind.all[Int(first) % PayloadKind.all.count]
        try kind.check(Array(input.dropFirst()), memory)
    }
}

/// A type of payload, with the properties that must hold for it.
struct PayloadKind: Sendable {
    /// The frames that carry it.
    private let frames: [FrameKind]
    let check: @Sendable ([UInt8], MemoryMeter) throws -> Void

    private init<Value: Codable & SendableMetatype>(
        _ type: Value.Type, in frames: FrameKind..., then look: @escaping @Sendable (Value) throws -> Void = { _ in }
    ) {
        self.frames = frames
        check = { input, memory in
            if let value = try roundTrip(type, from: input, memory) { try look(value) }
        }
    }

    /// A payload that also reads and writes itself.
    private init<Value: CBORItem & SendableMetatype>(
        item type: Value.Type, in frames: FrameKind..., then look: @escaping @Sendable (Value) throws -> Void
    ) {
        self.frames = frames
        check = { input, memory in
            if let value = try roundTripItem(type, from: input, memory) { try look(value) }
        }
    }

    private init(entriesIn frames: FrameKind...) {
        self.frames = frames
        check = Self.checkEntries
    }

    static func of(_ kind: FrameKind) -> [PayloadKind] { all.filter { $0.frames.contains(kind) } }

    // Append new payloads at the end: kept inputs select a payload by its index.
    static let all: [PayloadKind] = [
        PayloadKind(item: Hello.self, in: .hello, then: check),
        PayloadKind(item: Welcome.self, in: .welcome, then: check),
        PayloadKind(Refusal.self, in: .refusal) { _ = $0.isTemporary },
        PayloadKind(FailureEncoding.self, in: .failure, then: check),
        PayloadKind(TapRecord.self, in: .tap),
        PayloadKind(entriesIn: .snapshot, .delta, .publish),
        PayloadKind(HostStatus.self, in: .reply),
        PayloadKind([SessionStatus].self, in: .reply),
        PayloadKind([DependencyStatus].self, in: .reply),
        PayloadKind([PluginStatus].self, in: .reply),
        PayloadKind(ScreenContent.self, in: .reply, then: check),
        PayloadKind(UserActivity?.self, in: .reply),
        PayloadKind(SceneMessagesList.sceneConnect.self, in: .request),
        PayloadKind(SceneMessagesList.sceneOpen.self, in: .request),
        PayloadKind(HostMessagesList.hostOpenSession.self, in: .request),
        PayloadKind(HostMessagesList.hostSceneAct.self, in: .request),
        PayloadKind(SceneReportMessagesList.sceneCheckpoint.self, in: .post),
        PayloadKind([WorkerStatus].self, in: .reply),
        PayloadKind(SceneMessagesList.sceneDiscard.self, in: .request),
        PayloadKind(HostMessagesList.hostMove.self, in: .request),
        // The contents that the host forwards and workers decode.
        PayloadKind(UserActivity.self, in: .post),
        PayloadKind(DeepLink.self, in: .request, then: check),
        PayloadKind(SceneReportMessagesList.scenePostsHandled.self, in: .request),
    ]

    // MARK: - Further properties

    private static func check(_ hello: Hello) throws {
        if let version = hello.versions.highestCommon(with: .current) {
            try require(
                hello.versions.min <= version && version <= hello.versions.max,
                "version \(version) is not one of \(hello.versions)")
        }
    }

    private static func check(_ welcome: Welcome) throws {
        let start = MonotonicInstant.now
        let clock = HostClock(clock: welcome.clock, asked: start, received: start + .seconds(1))
        for time in [welcome.clock, 0, .max, welcome.epoch] {
            // A deadline of the host that is converted to the peer's clock and back is not earlier than the original, and
            // later by the time that the welcome took.
            let told = clock.microseconds(at: clock.instant(of: time))
            let difference = time > welcome.clock ? time - welcome.clock : welcome.clock - time
            if difference < 1 << 50, time < 1 << 62, welcome.clock < 1 << 62 {
                try require(
                    told == time + 1_000_000, "\(time) on the host's clock becomes \(told) after both conversions")
            }
        }
        let names = welcome.names ?? []
        let table = NameTable(names)
        try require(
            table.texts(.max) == Array(names.prefix(table.count)), "a name of the welcome has another index than there")
        try require(table.count <= NameTable.maximumCount, "a peer keeps \(table.count) names of a welcome")
    }

    private static func check(_ failure: FailureEncoding) throws {
        let again = FailureEncoding(failure.error)
        let size = try Frame(.failure).encoded(payload: again).count
        let path = if case .message(let error) = failure { error.path.reduce(0) { $0 + $1.utf8.count + 9 } } else { 0 }
        try require(size <= Frame.headerSize + 64 << 10 + path, "a failure has \(size) bytes after it is passed on")
    }

    private static func check(_ content: ScreenContent) throws {
        for name in content.availableActions {
            try require(content.lists(action: name), "an action is available but not listed")
            try content.check(action: name)
        }
    }

    private static func check(_ link: DeepLink) throws {
        _ = link.summary
        if case .url(let text) = link { _ = URLParts(text) }
    }

    @Sendable private static func checkEntries(_ input: [UInt8], _ memory: MemoryMeter) throws {
        let entries: DependencyEntries
        do {
            do {
                _ = try memory.bounded(input.count) { try DependencyPayload.decodeFromHost(input[...]) }
            } catch let error as FrameError {
                try require(error.code == .badPayload, "entries from a host were refused as \(error.code)")
            }
            entries = try memory.bounded(input.count) { try DependencyPayload.decode(input[...]) }
        } catch let error as FrameError {
            return try require(error.code == .badPayload, "entries were refused as \(error.code)")
        }
        try require(entries.count == (try CBORMap.entries(of: input)).count, "an entry is lost")
        try require(
            try DependencyPayload.decodeFromHost(input[...]) == entries, "a peer reads other entries than the host")
        let bytes = DependencyPayload.encode(entries)
        try require(try DependencyPayload.decode(bytes[...]) == entries, "entries change when they are encoded")
        for size in [0, 64, input.count] {
            let parts = DependencyPayload.parts(of: entries.values, size: size)
            var sum: [String: [UInt8]?] = [:]
            for part in parts {
                let count = DependencyPayload.encode(part).count
                try require(
                    part.count <= 1 || count <= size + 9, "\(part.count) entries have \(count) bytes of \(size)")
                sum.merge(part) { _, _ in [] }
            }
            try require(sum == entries.values, "the parts together are not the entries")
        }
    }
}
