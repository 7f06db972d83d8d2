import Bus
import CoordinatorKit
import Testing

@testable import SceneWorker

@Suite(.timeLimit(.minutes(5)))
struct SceneTableTests {
    private var table = SceneTable()

    private func problem(_ id: String, token: UInt64? = nil) -> SceneCommandError.Code? {
        do throws(SceneCommandError) {
            try table.checkActive(id, token: token)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("A scene that is held may act, and one that is not held is unknown")
    mutating func held() {
        table.hold("a", token: 7)
        #expect(problem("a") == nil)
        #expect(problem("a", token: 7) == nil)
        #expect(problem("a", token: 6) == .staleToken)
        #expect(problem("a", token: 8) == .staleToken)
        #expect(problem("b") == .unknownSession)
        #expect(table.held == [HeldScene(session: "a", token: 7)])
    }

    @Test("A discard applies to a scene with the same or an older token")
    mutating func meant() {
        table.hold("a", token: 7)
        #expect(table.isMeant("a", by: 7))
        #expect(table.isMeant("a", by: 8))
        #expect(!table.isMeant("a", by: 6))
        #expect(!table.isMeant("b", by: 8))
    }

    @Test("A suspended scene takes no input, whatever suspended it")
    mutating func suspended() {
        for id in ["frozen", "expired", "kept"] { table.hold(id, token: 1) }
        table.freeze("frozen")
        #expect(problem("frozen") == .suspended)
        let expired = table.leaseExpired()
        #expect(expired == ["expired", "kept"])
        #expect(problem("expired") == .suspended)
        let again = table.leaseExpired()
        #expect(again == [])
        let renewed = table.leaseRenewed()
        #expect(renewed == ["expired", "kept"])
        #expect(problem("expired") == nil)
        #expect(problem("frozen") == .suspended)
    }

    @Test("A renewed lease does not resume the scenes that are left from an earlier link")
    mutating func kept() {
        table.hold("a", token: 1)
        let lost = table.linkLost()
        #expect(lost == ["a"])
        let renewed = table.leaseRenewed()
        #expect(renewed == [])
        #expect(problem("a") == .suspended)
        table.resume("a", token: 2)
        #expect(problem("a", token: 2) == nil)
        #expect(table.token(of: "a") == 2)
    }

    @Test("A scene that is already suspended is not reported again when the link is lost")
    mutating func lostSuspended() {
        table.hold("a", token: 1)
        _ = table.leaseExpired()
        let lost = table.linkLost()
        #expect(lost == [])
        let renewed = table.leaseRenewed()
        #expect(renewed == [])
    }

    // MARK: - Inputs

    @Test("A waiter for a scene's inputs is resumed by the last one")
    mutating func inputs() throws {
        table.hold("a", token: 1)
        let number = table.number(of: "a")
        #expect(table.waitForInputs("a") == nil)
        table.beginInput("a")
        table.beginInput("a")
        let waiting = table.waitForInputs("a")
        let waiter = try #require(waiting)
        let first = table.endInput("a", number)
        #expect(first == [])
        let last = table.endInput("a", number)
        #expect(last == [waiter])
        let none = table.waitForInputs("a")
        #expect(none == nil)
    }

    @Test("Forgetting a scene resumes its waiters, and its late inputs do not count for the next scene")
    mutating func gone() throws {
        table.hold("a", token: 1)
        let number = table.number(of: "a")
        table.beginInput("a")
        let waiting = table.waitForInputs("a")
        let waiter = try #require(waiting)
        let told = table.forget("a")
        #expect(told == [waiter])
        table.hold("a", token: 2)
        #expect(table.number(of: "a") != number)
        table.beginInput("a")
        let late = table.endInput("a", number)
        #expect(late == [])
        let second = table.waitForInputs("a")
        #expect(second != nil)
    }

    @Test("A waiter that has stopped waiting is not resumed")
    mutating func notWaiting() throws {
        table.hold("a", token: 1)
        let number = table.number(of: "a")
        table.beginInput("a")
        let waiting = table.waitForInputs("a")
        let waiter = try #require(waiting)
        table.stopWaiting(waiter, for: "a")
        let told = table.endInput("a", number)
        #expect(told == [])
    }

    // MARK: - Checkpoints

    private func activity(_ title: String) -> UserActivity {
        UserActivity(activityType: "test", title: title)
    }

    @Test("Changed scenes are reported once, and suspended ones after they resume")
    mutating func changed() {
        table.hold("a", token: 1)
        table.hold("b", token: 1)
        table.contentChanged("a")
        table.contentChanged("b")
        table.contentChanged("c")
        table.freeze("b")
        let first = table.takeChanged()
        #expect(first == ["a"])
        let second = table.takeChanged()
        #expect(second == [])
        table.resume("b")
        table.contentChanged("b")
        let third = table.takeChanged()
        #expect(third == ["b"])
    }

    @Test("A state is sent once, and again when the host may not have received it")
    mutating func sent() {
        table.hold("a", token: 1)
        let first = table.isNews(activity("one"), of: "a")
        let same = table.isNews(activity("one"), of: "a")
        let other = table.isNews(activity("two"), of: "a")
        #expect((first, same, other) == (true, false, true))
        _ = table.linkLost()
        table.resume("a", token: 2)
        let again = table.isNews(activity("two"), of: "a")
        #expect(again)
        table.freeze("a")
        table.resume("a")
        let onceMore = table.isNews(activity("two"), of: "a")
        #expect(onceMore)
    }
}
