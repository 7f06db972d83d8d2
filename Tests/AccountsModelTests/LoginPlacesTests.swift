import TestKit
import Testing

@testable import AccountsModel

@Suite(.timeLimit(.minutes(5)))
@MainActor
struct LoginPlacesTests {
    private func refusal(_ places: inout LoginPlaces, _ peer: String) -> Int? {
        do throws(AccountsError) {
            try places.take(for: peer)
            return nil
        } catch {
            guard case .tooManyLogins(let seconds) = error.code else { return -1 }
            #expect(error.message == "Too many logins at once: try again in \(seconds) s.")
            return seconds
        }
    }

    @Test func `A peer that has used up its share leaves room for others, until all is used up`() {
        var places = LoginPlaces()
        for _ in 0..<LoginPlaces.maximumPerPeer { #expect(refusal(&places, "greedy") == nil) }
        #expect(refusal(&places, "greedy") == 1)
        for number in 0..<LoginPlaces.maximum - LoginPlaces.maximumPerPeer {
            #expect(refusal(&places, "peer \(number)") == nil)
        }
        #expect(refusal(&places, "another") == 1)
        #expect(places.count == LoginPlaces.maximum)
    }

    @Test func `A place that is given back can be taken again, by anyone`() {
        var places = LoginPlaces()
        for number in 0..<LoginPlaces.maximum {
            #expect(refusal(&places, "peer \(number / LoginPlaces.maximumPerPeer)") == nil)
        }
        places.leave(for: "peer 0", after: 0.2)
        #expect(refusal(&places, "another") == nil)
        #expect(refusal(&places, "peer 0") == 1)
        places.leave(for: "another", after: 0.2)
        #expect(refusal(&places, "peer 0") == nil)
    }

    @Test(arguments: [(0, 1), (0.3, 1), (2.1, 3), (8, 8), (1000, 60)] as [(time: Double, seconds: Int)])
    func `Who is refused is told to wait as long as a login takes at the moment`(time: Double, seconds: Int) {
        var places = LoginPlaces()
        for _ in 0..<LoginPlaces.maximumPerPeer { #expect(refusal(&places, "wall") == nil) }
        places.leave(for: "wall", after: time)
        #expect(refusal(&places, "wall") == nil)
        #expect(refusal(&places, "wall") == seconds)
    }

    @Test func `Logins beyond the share of a peer are refused, do not count as failed, and find room afterwards`()
        async throws
    {
        let folder = try TemporaryFolder()
        let steps = HeldWork()
        let book = AccountBook(
            table: try AccountTable(hashing: .cheap()),
            work: steps.work(AccountFile(path: "\(folder.path)/accounts")), now: { 1000 })
        for number in 0..<LoginPlaces.maximumPerPeer {
            // The first account's user may create the others.
            if number == 1 { try await book.logIn("user0", password: "difference", in: "wall") }
            try await book.create("user\(number)", password: "difference", displayName: "U", in: "wall")
        }
        steps.held = [.verify]
        let logins = (0..<LoginPlaces.maximumPerPeer).map { number in
            Task { _ = try await book.check("user\(number)", password: "difference", from: "console") }
        }
        for _ in logins { #expect(await steps.next() == .verify) }
        for _ in 0..<2 * LoginThrottle.triesBeforeRefusal {
            await #expect {
                try await book.check("user0", password: "difference", from: "console")
            } throws: {
                ($0 as? AccountsError)?.code == .tooManyLogins(seconds: 1)
            }
        }
        let other = Task { _ = try await book.check("user1", password: "difference", from: "another") }
        #expect(await steps.next() == .verify)
        steps.release()
        for login in logins + [other] { try await login.value }
        _ = try await book.check("user0", password: "difference", from: "console")
    }
}
