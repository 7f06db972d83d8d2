import Testing
import ZeroMQ

@testable import Hub

@Suite(.timeLimit(.minutes(5)))
struct PressureLogTests {
    private let start = MonotonicInstant.now
    private let pressure = ConnectionPressure(
        waiting: 18, maximum: 37, isPressed: true, mostWaiting: 18, most: "process 9712 (python3)")

    @Test("The log says once when connections begin to press, and once when that is over, with the same name")
    func lines() {
        var log = PressureLog()
        #expect(log.look(nil, at: start) == nil)
        #expect(log.look(pressure, at: start) == .began(pressure))
        var other = pressure
        other.most = nil
        #expect(log.look(other, at: start + .seconds(1)) == nil)
        // Connections that come and go make no line each time.
        #expect(log.look(nil, at: start + .seconds(60)) == nil)
        #expect(log.look(other, at: start + .seconds(61)) == nil)
        #expect(log.look(nil, at: start + .seconds(120)) == nil)
        #expect(log.look(nil, at: start + .seconds(121)) == .ended(most: "process 9712 (python3)"))
        #expect(log.look(nil, at: start + .seconds(200)) == nil)
        #expect(log.look(other, at: start + .seconds(201)) == .began(other))
    }
}
