// A build without the trait has no console.
#if Console
    import TestKit
    import Testing

    @testable import ConsoleModel
    @testable import console_plugin

    /// Pages that are left open from the evening to the morning. The tests say the time, and the host is in memory.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct NightTests {
        private static let hour = Duration.seconds(3600)
        /// A page in the background comes at least every half hour.
        private static let stayTime = Duration.seconds(1800)

        /// What the console does by itself.
        @MainActor
        private final class Loops {
            /// How many there are.
            var count = 0
            /// When the next beat is due.
            var beat = Duration.zero
        }

        private static let beatTime = Duration.seconds(10)

        private let night: NightConsole
        private let loops = Loops()
        private var clock: NightClock { night.clock }
        private var host: NightHost { night.host }
        private var console: Console { night.console }

        init() throws { night = try NightConsole(open: ["busy"]) }

        /// What is kept in memory for browsers and scenes.
        private struct Kept: Equatable {
            var browsers, own, closing, streams, forms, drawings, watched, samples: Int
        }

        private var kept: Kept {
            Kept(
                browsers: console.logins.browsers.count, own: console.own.sessions.count,
                closing: console.own.closing.count, streams: console.streams.count, forms: console.forms.count,
                drawings: console.drawings.count, watched: console.watching.sessions.count,
                samples: console.traffic.ring.count)
        }

        /// Runs what the console does by itself.
        /// - Parameter samples: whether it asks for the host's counters, which takes two thirds of the time.
        private func run(samples: Bool = true, _ body: () async throws -> Void) async throws {
            var tasks = [Task { try await console.beat() }]
            if samples { tasks.append(Task { try await console.traffic.run() }) }
            (loops.count, loops.beat) = (tasks.count, clock.passed + Self.beatTime)
            try await settle()
            try await body()
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
        }

        /// Waits until the console has nothing to do before a later time.
        private func settle(_ isSettled: () -> Bool = { true }) async throws {
            try await until("nothing is left to do", within: .seconds(10), turn: { await Task.yield() }) {
                clock.sleepers == loops.count + console.watching.waitingCount && console.closing == nil && isSettled()
            }
        }

        /// Lets time pass. Each page hears each beat before the next one.
        /// - Parameter step: how much passes at once, at least: what was due meanwhile is late.
        /// - Returns: the number of beats.
        @discardableResult
        private func pass(_ duration: Duration, _ pages: [NightPage] = [], by step: Duration = .zero) async throws
            -> Int
        {
            let end = clock.passed + duration
            var beats = 0
            while let next = clock.next, next <= end {
                let signs = pages.map(\.signs)
                let time = min(end, max(next, clock.passed + step))
                clock.pass(to: time)
                host.tick()
                // Signals between two readings become one.
                let isBeat = loops.beat <= time
                if isBeat {
                    loops.beat = time + Self.beatTime
                    beats += 1
                }
                try await settle {
                    host.watcherCount >= console.watching.sessions.count
                        && (!isBeat || zip(pages, signs).allSatisfy { $0.signs > $1 })
                }
            }
            clock.pass(to: end)
            return beats
        }

        /// Opens a page that is seen.
        private func show(_ session: String, in browser: NightBrowser) async throws -> NightPage {
            #expect(await browser.get("/scenes/\(session)")?.status == 200)
            let answer = try #require(await browser.get("/scenes/\(session)/events"))
            guard case .stream(let stream) = answer.body else { throw NotReached(description: "\(answer.status)") }
            let page = NightPage(stream)
            try await until("the page has a picture") { page.patches == 1 }
            return page
        }

        @Test("Over a night, pages that are seen or in the background keep logins and sessions, and nothing grows")
        func night() async throws {
            try await run {
                let (seen, hidden) = (try await NightBrowser(console), try await NightBrowser(console))
                let own = try #require(await seen.open("Desk"))
                let background = try #require(await hidden.open("Desk"))
                #expect(await hidden.get("/scenes/\(background)")?.status == 200)
                let still = try await show(own, in: seen)
                let busy = try await show("busy", in: seen)
                // The traffic of an hour is kept, and no more.
                try await pass(Self.hour + .seconds(10), [still, busy])
                #expect(await hidden.get("/scenes/\(background)/stay", "HEAD")?.status == 204)
                let (keptBefore, messagesBefore, wakesBefore) = (kept, host.messages, clock.wakes)
                let (stillBefore, busyBefore) = (still.signs, busy.patches)

                // The first half hour passes as it does, and the others in steps of a minute.
                let halfHours = 18
                var beats = 0
                for number in 0..<halfHours {
                    let step = Duration.seconds(number == 0 ? 0 : 60)
                    beats += try await pass(Self.stayTime - .seconds(60), [still, busy], by: step)
                    host.change("busy")
                    try await settle { host.watcherCount == 2 }
                    beats += try await pass(.seconds(60), [still, busy], by: step)
                    #expect(await hidden.get("/scenes/\(background)/stay", "HEAD")?.status == 204)
                }

                let minutes = (halfHours - 1) * 30
                #expect(beats == 1800 / 10 + minutes)
                #expect(kept == keptBefore)
                #expect(kept.streams == 2 && kept.watched == 2 && kept.own == 2 && kept.closing == 0)
                #expect(still.isOpen && busy.isOpen)
                // Who sees a scene that does not change gets signs of life and nothing else; changes come once.
                #expect(still.patches == 1 && still.signs - stillBefore == beats)
                #expect(busy.patches - busyBefore == halfHours)
                // The console wakes for its beat and for the host's counters.
                let samples = 1800 / 5 + minutes
                #expect(clock.wakes - wakesBefore == beats + samples)
                let messages = host.messages.merging(messagesBefore) { $0 - $1 }.filter { $0.value > 0 }
                #expect(Set(messages.keys) == ["hostStatus", "hostSceneWatch"])
                #expect(messages["hostStatus"] == samples)
                #expect(messages["hostSceneWatch", default: 0] <= 2 * beats + 2 * halfHours)

                // In the morning all are where they were.
                #expect(host.openSessions == ["busy", own, background])
                #expect(await hidden.open("Desk") == background)
                #expect(await seen.open("Desk") == own)
                let other = try await NightBrowser(console)
                #expect(await other.get("/scenes/busy")?.status == 200)
                for page in [still, busy] { page.close() }
                try await until("the streams have ended") { console.streams.count == 0 }
            }
        }

        @Test("A session that somebody looks at elsewhere is not closed before that one has gone")
        func elsewhere() async throws {
            let (gone, other) = (try await NightBrowser(console), try await NightBrowser(console))
            let (left, shown) = (try #require(await gone.open("Desk")), try #require(await other.open("Desk")))
            host.atTerminals = [shown]
            for (hours, open) in [(7, ["busy", left, shown]), (8, ["busy", shown]), (15, ["busy", shown])] {
                clock.pass(to: Self.hour * hours)
                console.closeSessions(at: console.now)
                await console.closing?.value
                #expect(host.openSessions == Set(open), "\(hours)")
            }
            host.atTerminals = []
            clock.pass(to: Self.hour * 16)
            console.closeSessions(at: console.now)
            await console.closing?.value
            #expect(host.openSessions == ["busy"] && kept.own == 0 && kept.closing == 0)
        }

        @Test("A clock that is set logs nobody out, closes nothing and keeps nobody for longer", arguments: [10, -10])
        func clockIsSet(hours: Double) async throws {
            let browser = try await NightBrowser(console)
            let own = try #require(await browser.open("Desk"))
            let link = NightBrowser.link(to: console)
            clock.set(by: hours * 3600)
            #expect(await NightBrowser(console, cookie: nil).get(link)?.status == 303)
            #expect(await browser.get("/stay", "HEAD")?.status == 204)
            console.closeSessions(at: console.now)
            #expect(console.closing == nil && host.openSessions.contains(own))
            clock.pass(to: Self.hour * 8 + .seconds(60))
            #expect(await browser.get("/stay", "HEAD")?.status == 401)
            #expect(console.own.takeResting(at: console.now) == [own])
        }

        @Test("A browser that has gone is logged out and its session closed, unless somebody else looks at it")
        func gone() async throws {
            let step = Duration.seconds(600)
            try await run(samples: false) {
                let (gone, other) = (try await NightBrowser(console), try await NightBrowser(console))
                let left = try #require(await gone.open("Desk"))
                let visited = try #require(await other.open("Desk"))
                // One looks at the other one's session, in a page that is seen and then in the background.
                let watcher = try await NightBrowser(console)
                let page = try await show(visited, in: watcher)
                try await pass(Self.hour * 4, by: step)
                page.close()
                try await until("the stream has ended") { console.streams.count == 0 }
                for _ in 0..<12 {
                    try await pass(Self.stayTime, by: step)
                    #expect(await watcher.get("/scenes/\(visited)/stay", "HEAD")?.status == 204)
                }
                #expect(host.openSessions == ["busy", visited])
                #expect(host.messages["hostCloseSession"] == 1)
                #expect(await gone.get("/stay", "HEAD")?.status == 401)
                #expect(await other.get("/")?.status == 401)
                #expect(left != visited && kept.own == 1 && kept.watched == 0)
                // Nobody looks any more.
                try await pass(Self.hour * 8 + .seconds(10), by: step)
                #expect(host.openSessions == ["busy"] && kept.own == 0)
                #expect(await watcher.get("/stay", "HEAD")?.status == 401)
            }
        }
    }
#endif
