import ConsoleModel
import Testing

/// What the console knows of its certificate. The tests say the time.
@Suite(.timeLimit(.minutes(5)))
struct ServerCertificateTests {
    private static let day = 86_400.0

    private let certificate = ServerCertificate(
        names: ["Console.example.com", "*.rooms.example.com", "192.0.2.1", "2001:db8::1", "*.0.2.9"],
        start: 1000 * day, end: 1090 * day)

    @Test(
        "It is for the names that it has, and a star stands for one part of a name",
        arguments: ["console.example.com", "CONSOLE.EXAMPLE.COM", "a.rooms.example.com", "192.0.2.1", "2001:db8::1"])
    func names(host: String) {
        #expect(certificate.isFor(host))
    }

    @Test(
        "It is for no other name",
        arguments: [
            "example.com", "a.console.example.com", "rooms.example.com", "a.b.rooms.example.com", ".rooms.example.com",
            "192.0.2.2", "192.0.2.9", "2001:db8::2", "localhost", "",
        ])
    func otherNames(host: String) {
        #expect(!certificate.isFor(host))
    }

    @Test("Outside its time it is refused, with the time in words")
    func time() throws {
        let early = try #require(certificate.problem(at: 1000 * Self.day - 1))
        #expect(early.contains("1972-09-27 00:00 UTC") && early.contains("1972-09-26 23:59 UTC"), "\(early)")
        #expect(certificate.problem(at: 1000 * Self.day) == nil)
        #expect(certificate.problem(at: 1090 * Self.day - 1) == nil)
        let late = try #require(certificate.problem(at: 1090 * Self.day))
        #expect(late.contains("1972-12-26 00:00 UTC"), "\(late)")
    }

    @Test("Its end is told a week before, and that of a short one when a third of its time is left")
    func end() {
        #expect(certificate.end(near: 1083 * Self.day) == nil)
        #expect(certificate.end(near: 1083 * Self.day + 1) == "1972-12-26 00:00 UTC")
        let short = ServerCertificate(names: [], start: 0, end: 6 * Self.day)
        #expect(short.end(near: 4 * Self.day) == nil && short.end(near: 4 * Self.day + 1) != nil)
    }

    @Test("A certificate of any time can be told", arguments: [-1e300, -1, 0, 1e18, .infinity])
    func extremes(end: Double) {
        let certificate = ServerCertificate(names: [], start: -.infinity, end: end)
        #expect((certificate.problem(at: 0) == nil) == (end > 0))
        _ = certificate.end(near: 0)
    }
}
