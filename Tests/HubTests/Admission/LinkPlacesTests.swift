import Messaging
import Bus
import Testing

@testable import Hub

@Suite(.timeLimit(.minutes(5)))
struct LinkPlacesTests {
    private var places = LinkPlaces()

    /// Attaches as many peers of an owner as it gets places, and returns how many.
    private mutating func fill(_ owner: PeerOwner, of maximum: Int) -> Int {
        var count = 0
        while case .free = Admission.place(
            for: .worker, .shared, of: owner, in: places, maximum: maximum, operators: [])
        {
            places.add(.shared, of: owner)
            count += 1
        }
        return count
    }

    @Test mutating func `One process leaves more than half of the places to others, and a machine does, too`() {
        let first = fill(.process(1), of: 100)
        #expect(first == 45)
        let place = Admission.place(
            for: .plugin, .shared, of: .process(1), in: places, maximum: 100, operators: [])
        #expect(place == .beyondShare(.process(1), held: 45))
        let second = fill(.machine(-1), of: 100)
        #expect(second == 23)
        // All others get a few of the rest, down to the last one.
        var others = 0
        for process in 2...20 as ClosedRange<Int32> { others += fill(.process(process), of: 100) }
        #expect(others == 32)
        #expect(places.count == 100)
        let full = Admission.place(
            for: .worker, .shared, of: .process(21), in: places, maximum: 100, operators: [])
        #expect(full == .none)
    }

    @Test mutating func `A place that is given back can be taken again`() {
        _ = fill(.process(1), of: 100)
        for _ in 1...5 { places.remove(.shared, of: .process(1)) }
        #expect(places.held(by: .process(1)) == 40)
        let again = fill(.process(1), of: 100)
        #expect(again == 5)
    }

    @Test mutating func `The processes of several hundred workers each attach as long as there is room`() {
        var attached = 0
        for process in 1...1000 as ClosedRange<Int32> {
            let place = Admission.place(
                for: .worker, .shared, of: .process(process), in: places, maximum: 400, operators: [])
            guard place == .free else { continue }
            places.add(.shared, of: .process(process))
            attached += 1
        }
        #expect(attached == 400)
    }

    @Test mutating func `Operators have no share, and a process that the host has started takes no place`() {
        _ = fill(.process(1), of: 100)
        places.add(.operators, of: .process(1))
        places.add(.own, of: .process(2))
        #expect(places.count == 46)
        let `operator` = Admission.place(
            for: .operator, .operators, of: .process(1), in: places, maximum: 100, operators: [])
        #expect(`operator` == .free)
        for process in 3...60 as ClosedRange<Int32> { _ = fill(.process(process), of: 100) }
        let stranger = Admission.place(
            for: .plugin, .shared, of: .process(100), in: places, maximum: 100, operators: [])
        #expect(stranger == .none)
        let own = Admission.place(for: .plugin, .own, of: .process(101), in: places, maximum: 100, operators: [])
        #expect(own == .free)
        places.remove(.operators, of: .process(1))
        places.remove(.own, of: .process(2))
        #expect(places.count == 99)
    }
}
