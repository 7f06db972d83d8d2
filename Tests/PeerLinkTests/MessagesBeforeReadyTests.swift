import Bus
import Testing

@testable import PeerLink

struct MessagesBeforeReadyTests {
    private func frame(_ kind: FrameKind, id: UInt64, bytes: Int = 1) -> Frame {
        var frame = Frame(kind)
        frame.id = id
        frame.payload = [UInt8](repeating: 0, count: bytes)[...]
        return frame
    }

    @Test("Messages are taken in the order in which they have arrived, without those that were cancelled")
    func order() {
        var early = MessagesBeforeReady()
        for id in 1...3 as ClosedRange<UInt64> {
            let isThere = early.add(frame(id == 2 ? .post : .request, id: id), maximum: 3)
            #expect(isThere)
        }
        // A post has no reply, so its id does not refer to a request.
        early.cancel(2)
        early.cancel(3)
        let taken = [early.popFirst()?.id, early.popFirst()?.id, early.popFirst()?.id]
        #expect(taken == [1, 2, nil])
    }

    @Test("The number of messages is limited, and so is their size; a cancelled one makes room")
    func limits() {
        var early = MessagesBeforeReady()
        var added = [early.add(frame(.request, id: 1), maximum: 1), early.add(frame(.request, id: 2), maximum: 1)]
        #expect(added == [true, false])
        let half = MessagesBeforeReady.maximumSize / 2
        added = (2...3).map { early.add(frame(.request, id: $0, bytes: half), maximum: 10) }
        #expect(added == [true, false])
        early.cancel(1)
        added = [early.add(frame(.request, id: 3, bytes: half), maximum: 10)]
        #expect(added == [true])
        #expect(early.count == 2)
        _ = early.popFirst()
        added = [early.add(frame(.request, id: 4, bytes: half), maximum: 10)]
        #expect(added == [true])
    }
}
