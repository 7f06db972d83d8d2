#if Console
    import Bus
    import ConsoleModel
    import ConsolePages
    import Monotonic
    import OperatorKit

    /// One who has pages of a scene open: a browser, or a screen on a wall.
    struct SceneVisitor: Sendable {
        let digest: TokenDigest
        /// As others see it.
        let watcher: SceneWatcher
    }

    /// Who has the pages of one scene open. They, and those who watch the scene elsewhere, are told of each other.
    @MainActor
    final class SceneVisitors {
        /// For how long others see one whose page has no connection: it may be loaded again.
        private static let rest = Duration.seconds(5)
        /// The same of one whose page runs no script: it comes every ten seconds.
        private static let plainRest = Duration.seconds(15)

        /// What the host is told.
        let viewers = SceneViewers(SceneWatchers())
        private let channel: SceneChannel
        private let clock: ConsoleClock
        private var company = ShownCompany()
        private var timer: Task<Void, Never>?

        /// Whether it waits for a time.
        var isWaiting: Bool { timer != nil }

        init(of channel: SceneChannel, _ clock: ConsoleClock) {
            self.channel = channel
            self.clock = clock
        }

        deinit { timer?.cancel() }

        /// Tells nobody any more.
        func end() {
            timer?.cancel()
            timer = nil
        }

        /// A page is connected.
        func come(_ visitor: SceneVisitor) {
            company.book.come(visitor.digest, as: SceneWatchers([visitor.watcher]))
            settle()
        }

        /// A page is no longer connected.
        func go(_ digest: TokenDigest) {
            company.book.go(digest, at: clock.now(), rest: Self.rest)
            settle()
        }

        /// A page is loaded.
        /// - Returns: who else looks at the scene.
        func load(for visitor: SceneVisitor) -> PageCompany {
            company.book.come(visitor.digest, as: SceneWatchers([visitor.watcher]))
            company.book.go(visitor.digest, at: clock.now(), rest: Self.plainRest)
            settle()
            return company.others(than: visitor.digest)
        }

        /// Shows who watches the scene elsewhere.
        func show(elsewhere: SceneWatchers) {
            guard company.elsewhere != elsewhere else { return }
            company.elsewhere = elsewhere
            tell()
        }

        private func tell() { channel.show { [company] in company.others(than: $0) } }

        private func settle() {
            let (isNews, next) = company.book.settle(at: clock.now())
            if isNews {
                viewers.change(to: company.book.everyone)
                tell()
            }
            timer?.cancel()
            timer = next.map { next in
                Task { [weak self, clock] in
                    guard (try? await clock.sleep(next - clock.now())) != nil else { return }
                    self?.settle()
                }
            }
        }
    }

    /// Who looks at a scene, for each of those who do.
    struct ShownCompany: Sendable {
        /// How many browsers and screens are known.
        private static let maximum = 10_000

        /// Those before pages of this console.
        var book = CompanyBook<TokenDigest>(maximum: maximum)
        /// Those before other surfaces.
        var elsewhere = SceneWatchers()

        func others(than reader: TokenDigest) -> PageCompany {
            let (names, more) = book.others(than: reader).joined(elsewhere).texts(naming: PageCompany.named)
            return PageCompany(names, more: more)
        }
    }
#endif
