package import ConsolePages
package import Monotonic
import SceneContent
import Synchronization

/// The pictures of one scene on their way to the streams of all pages that show it.
///
/// A change is drawn once for all pages of an address, and nobody waits for a drawing but the streams that it is for. A stream
/// holds at most one event: the one that is being written.
package final class PictureChannel<Event: Sendable>: Sendable {
    /// How long an event may take to be written.
    private static var writingTime: Duration { .seconds(60) }

    package let session: String
    private let alive: Event
    private let encode: @Sendable (String) -> Event
    private let now: @Sendable () -> MonotonicInstant
    private let room: PictureRoom
    private let state: Mutex<State>

    private struct State {
        var pictures: ScenePictures
        /// Returns who else looks at the scene, for one who does.
        var company: @Sendable (TokenDigest) -> PageCompany = { _ in PageCompany() }
        /// How often it has changed.
        var companyNumber: UInt64 = 0
        /// Why there will be no more pictures; `nil` while there are.
        var end: SceneEnd?
        var streams: [UInt64: Stream] = [:]
        var lastStream: UInt64 = 0
        var beat: UInt64 = 0
        var drawings = SceneDrawings<Event>()

        /// The bytes of what pages can do without.
        var spare: Int { pictures.earlierCost + drawings.size }
    }

    private struct Stream {
        let signals: AsyncStream<Void>.Continuation
        let owner: TokenDigest?
        /// Closes the connection.
        var cut: (@Sendable () -> Void)?
        var end: String?
        /// Since when an event is being written; `nil` while none is.
        var writing: MonotonicInstant?
    }

    /// What a stream has to write next.
    package enum Next: Sendable {
        case event(Event)
        case last(Event)
        case nothing
    }

    /// The same, before it is drawn.
    private enum Plan {
        case drawing(Task<Event, Never>)
        case company(@Sendable (TokenDigest) -> PageCompany, for: TokenDigest)
        case alive
        case end(String)
        case leave(String)
        case nothing
    }

    /// How far a stream is.
    package struct Position: Sendable {
        fileprivate var number: UInt64
        fileprivate var company: UInt64 = 0
        fileprivate var beat: UInt64
        fileprivate let view: SceneView
    }

    /// - Parameters:
    ///   - now: the time, by which a stream is found whose reader does not read.
    ///   - room: what all channels may keep that pages can do without.
    ///   - encode: makes of a text what a stream writes.
    package init(
        session: String, now: @escaping @Sendable () -> MonotonicInstant = { .now },
        in room: PictureRoom = PictureRoom(), encode: @escaping @Sendable (String) -> Event
    ) {
        self.session = session
        self.now = now
        self.room = room
        self.encode = encode
        alive = encode(PageEvent.alive)
        state = Mutex(State(pictures: ScenePictures(life: String(ConsoleToken().text.prefix(8)))))
    }

    deinit { _ = room.take(-state.withLock { $0.spare }) }

    /// Changes the state, and forgets what pages can do without if there is no room for it.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            let before = state.spare
            let result = body(&state)
            if !room.take(state.spare - before) {
                state.pictures.forgetEarlier()
                state.drawings.forget()
                _ = room.take(-before)
            }
            return result
        }
    }

    // MARK: - The scene

    package func show(_ picture: ScenePicture) {
        change { state in
            guard state.pictures.add(picture, isRoomShort: room.isShort) else { return }
            state.drawings.forget()
            for stream in state.streams.values { stream.signals.yield() }
        }
    }

    /// - Parameter company: returns who else looks at the scene, for one who does.
    package func show(_ company: @escaping @Sendable (TokenDigest) -> PageCompany) {
        state.withLock { state in
            state.company = company
            state.companyNumber += 1
            for stream in state.streams.values { stream.signals.yield() }
        }
    }

    package func end(_ end: SceneEnd) {
        state.withLock { state in
            state.end = end
            for stream in state.streams.values { stream.signals.yield() }
        }
    }

    /// The newest picture and its revision; `nil` before the first one.
    package var newest: (picture: ScenePicture, revision: String)? { state.withLock { $0.pictures.newest } }

    /// Whether one of the last pictures has an image.
    package func hasShown(image hash: String) -> Bool { state.withLock { $0.pictures.haveShown(image: hash) } }

    /// Why there are no more pictures; `nil` while there are.
    package var ended: SceneEnd? { state.withLock { $0.end } }

    /// Whether there is no reason to wait: the host has the picture, or will not have one now.
    package var isSettled: Bool {
        state.withLock { state in
            guard state.end == nil else { return true }
            return state.pictures.newest.map { $0.picture.layers.top != nil || !$0.picture.isLive } ?? false
        }
    }

    // MARK: - Its streams

    /// How many streams there are.
    package var streamCount: Int { state.withLock { $0.streams.count } }

    /// - Returns: the stream's number, and what says that there is something to write.
    package func open(for owner: TokenDigest?) -> (stream: UInt64, signals: AsyncStream<Void>) {
        // One signal is enough, however much has changed.
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        let number = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = Stream(signals: continuation, owner: owner)
            return state.lastStream
        }
        return (number, signals)
    }

    package func close(_ stream: UInt64) {
        state.withLock { $0.streams.removeValue(forKey: stream) }?.signals.finish()
    }

    /// Ends the streams of a browser that is no longer logged in.
    package func end(of owner: TokenDigest, _ text: String) {
        state.withLock { state in
            for (number, stream) in state.streams where stream.owner == owner {
                state.streams[number]?.end = text
                stream.signals.yield()
            }
        }
    }

    /// Has all streams say that they are alive, and cuts those whose readers do not read.
    package func beat() {
        let now = now()
        let stuck = change { state in
            state.drawings.forget(before: state.beat)
            state.beat += 1
            var stuck: [@Sendable () -> Void] = []
            for stream in state.streams.values {
                if let start = stream.writing, now - start > Self.writingTime, let cut = stream.cut {
                    stuck.append(cut)
                }
                stream.signals.yield()
            }
            return stuck
        }
        for cut in stuck { cut() }
    }

    /// - Parameters:
    ///   - view: where the page shows the scene, and to whom.
    ///   - known: the revision of the picture that the page shows; `nil` for none.
    ///   - cut: closes the stream's connection.
    package func begin(
        _ stream: UInt64, of view: SceneView, after known: String?, cut: @escaping @Sendable () -> Void
    ) -> Position {
        state.withLock { state in
            state.streams[stream]?.cut = cut
            return Position(number: state.pictures.number(of: known), beat: state.beat, view: view)
        }
    }

    /// Returns what a stream has to write next, and takes what it has got before as written.
    package func next(_ stream: UInt64, after position: inout Position) async -> Next {
        let next: Next
        switch plan(stream, after: &position) {
        case .drawing(let drawing): next = .event(await drawing.value)
        case .company(let others, let reader): next = .event(encode(others(reader).event))
        case .alive: next = .event(alive)
        case .end(let text): return .last(encode(PageEvent.end(text)))
        case .leave(let text): return .last(encode(PageEvent.leave(text)))
        case .nothing: return .nothing
        }
        let now = now()
        state.withLock { $0.streams[stream]?.writing = now }
        return next
    }

    /// Finds what a stream has to write, without drawing it: all who use the channel wait for this.
    private func plan(_ stream: UInt64, after position: inout Position) -> Plan {
        state.withLock { state in
            state.streams[stream]?.writing = nil
            if let text = state.streams[stream]?.end { return .leave(text) }
            let plan: Plan
            if let step = state.pictures.step(after: position.number) {
                position.number = step.number
                plan = .drawing(drawing(of: step, for: position.view, &state))
            } else if position.company != state.companyNumber, !position.view.isPublic,
                // A page takes what it hears for a sign that it has what the scene shows.
                state.pictures.newest != nil,
                let reader = state.streams[stream]?.owner
            {
                position.company = state.companyNumber
                plan = .company(state.company, for: reader)
            } else if let end = state.end {
                return .end(end.text)
            } else if state.beat != position.beat {
                plan = .alive
            } else {
                return .nothing
            }
            position.beat = state.beat
            return plan
        }
    }

    private func drawing(of step: ScenePictures.Step, for view: SceneView, _ state: inout State) -> Task<Event, Never> {
        let key = SceneDrawings<Event>.Key(from: step.from, to: step.number, view: view)
        return state.drawings.find(key, at: state.beat)
            ?? state.drawings.begin(key, at: state.beat) { [self] in
                let patch = ScenePatch(address: view.address, from: step.old, to: step.new, access: view.access)
                let text = patch.event(revision: step.revision)
                change { $0.drawings.drawn(key, size: text.utf8.count) }
                return encode(text)
            }
    }
}
