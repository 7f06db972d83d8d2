#if Console
    import ConsoleModel
    import ConsolePages
    import Monotonic
    import NIOCore
    import SceneContent
    import Synchronization

    /// The pictures of one scene on their way to the streams of all pages that show it.
    ///
    /// A change is rendered once for all pages of an address. A stream holds at most one event: the one that is being written.
    final class SceneChannel: Sendable {
        /// How long an event may take to be written.
        private static let writingTime = Duration.seconds(60)

        let session: String
        private let state: Mutex<State>

        private struct State {
            var pictures: ScenePictures
            var company = ShownCompany()
            /// How often it has changed.
            var companyNumber: UInt64 = 0
            /// Why there will be no more pictures; `nil` while there are.
            var end: SceneEnd?
            var streams: [UInt64: Stream] = [:]
            var lastStream: UInt64 = 0
            var beat: UInt64 = 0
            /// The events that lead to the newest picture.
            var events: [EventKey: ByteBuffer] = [:]
        }

        /// After which picture an event comes, and for whom it is drawn.
        private struct EventKey: Hashable {
            let number: UInt64
            let view: SceneView
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
        enum Next {
            case event(ByteBuffer)
            case last(ByteBuffer)
            case nothing
        }

        /// How far a stream is.
        struct Position {
            fileprivate var number: UInt64
            fileprivate var company: UInt64 = 0
            fileprivate var beat: UInt64
            fileprivate let view: SceneView
        }

        init(session: String) {
            self.session = session
            state = Mutex(State(pictures: ScenePictures(life: String(ConsoleToken().text.prefix(8)))))
        }

        // MARK: - The scene

        func show(_ picture: ScenePicture) {
            state.withLock { state in
                guard state.pictures.add(picture) else { return }
                state.events = [:]
                for stream in state.streams.values { stream.signals.yield() }
            }
        }

        func show(_ company: ShownCompany) {
            state.withLock { state in
                state.company = company
                state.companyNumber += 1
                for stream in state.streams.values { stream.signals.yield() }
            }
        }

        func end(_ end: SceneEnd) {
            state.withLock { state in
                state.end = end
                for stream in state.streams.values { stream.signals.yield() }
            }
        }

        /// The newest picture and its revision; `nil` before the first one.
        var newest: (picture: ScenePicture, revision: String)? { state.withLock { $0.pictures.newest } }

        /// Why there are no more pictures; `nil` while there are.
        var ended: SceneEnd? { state.withLock { $0.end } }

        /// Whether there is no reason to wait: the host has the picture, or will not have one now.
        var isSettled: Bool {
            state.withLock { state in
                guard state.end == nil else { return true }
                return state.pictures.newest.map { $0.picture.layers.top != nil || !$0.picture.isLive } ?? false
            }
        }

        // MARK: - Its streams

        /// - Returns: the stream's number, and what says that there is something to write.
        func open(for owner: TokenDigest?) -> (stream: UInt64, signals: AsyncStream<Void>) {
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

        func close(_ stream: UInt64) {
            state.withLock { $0.streams.removeValue(forKey: stream) }?.signals.finish()
        }

        /// Ends the streams of a browser that is no longer logged in.
        func end(of owner: TokenDigest, _ text: String) {
            state.withLock { state in
                for (number, stream) in state.streams where stream.owner == owner {
                    state.streams[number]?.end = text
                    stream.signals.yield()
                }
            }
        }

        /// Has all streams say that they are alive, and cuts those whose readers do not read.
        func beat(at now: MonotonicInstant) {
            let stuck = state.withLock { state in
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
        func begin(
            _ stream: UInt64, of view: SceneView, after known: String?, cut: @escaping @Sendable () -> Void
        ) -> Position {
            state.withLock { state in
                state.streams[stream]?.cut = cut
                return Position(number: state.pictures.number(of: known), beat: state.beat, view: view)
            }
        }

        /// Returns what a stream has to write next, and takes what it has got before as written.
        func next(_ stream: UInt64, after position: inout Position) -> Next {
            state.withLock { state in
                state.streams[stream]?.writing = nil
                if let text = state.streams[stream]?.end { return .last(ByteBuffer(string: PageEvent.end(text))) }
                let next: Next
                if let step = state.pictures.step(after: position.number) {
                    position.number = step.number
                    next = .event(event(step, position.view, &state))
                } else if position.company != state.companyNumber, !position.view.isPublic,
                    let owner = state.streams[stream]?.owner
                {
                    position.company = state.companyNumber
                    next = .event(ByteBuffer(string: state.company.others(than: owner).event))
                } else if let end = state.end {
                    return .last(ByteBuffer(string: PageEvent.end(end.text)))
                } else if state.beat != position.beat {
                    next = .event(Self.alive)
                } else {
                    return .nothing
                }
                position.beat = state.beat
                state.streams[stream]?.writing = .now
                return next
            }
        }

        private static let alive = ByteBuffer(string: PageEvent.alive)

        private func event(_ step: ScenePictures.Step, _ view: SceneView, _ state: inout State) -> ByteBuffer {
            let key = EventKey(number: step.from, view: view)
            if let event = state.events[key] { return event }
            let patch = ScenePatch(address: view.address, from: step.old, to: step.new, access: view.access)
            let event = ByteBuffer(string: patch.event(revision: step.revision))
            state.events[key] = event
            return event
        }
    }

    /// Where a page shows a scene, and what its reader may do there.
    struct SceneView: Hashable, Sendable {
        let address: SceneAddress
        let access: SceneAccess

        /// Whether everybody reads the page.
        var isPublic: Bool { if case .wall = address { true } else { false } }
    }

    /// Why a scene is no longer watched.
    enum SceneEnd: Hashable, Sendable {
        /// The session is not open.
        case closed
        case failed(reason: String)

        var text: String {
            switch self {
            case .closed: "This session is closed."
            case .failed(let reason): reason
            }
        }
    }
#endif
