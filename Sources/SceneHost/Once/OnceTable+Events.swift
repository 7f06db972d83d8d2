import Hub
import Bus
import Messaging

/// What ``OnceTable`` is told, and what it decides.
extension OnceTable {
    /// The copy of a request that gets the reply.
    struct Waiter: Hashable {
        /// The link over which it arrived, and its id on that link.
        let link: UInt64
        let id: UInt64
        let session: String
    }

    enum Action {
        /// Record that the request is about to be forwarded, then call ``OnceTable/written(_:error:)``.
        case write(RequestKey, message: String, time: Int64)
        /// Forward the request, which arrived over this link.
        case handOn(RequestKey, Frame, from: UInt64)
        /// Delete the record of a request that was not forwarded.
        case delete(RequestKey)
        /// Record the reply, then call ``OnceTable/replyWritten(_:error:)``.
        case writeReply(RequestKey, Frame)
        case answer(Waiter, Frame)
        /// Send the recorded reply.
        case answerFromRecord(Waiter, RequestKey, message: String)
        case fail(Waiter, MessageError)
        /// Delete the records from before this time.
        case forget(before: Int64)
        /// Set the time of the records outside of this range.
        case redate(outside: ClosedRange<Int64>, to: Int64)
    }

    struct Limits {
        /// How long a record is kept, in seconds. No request may have a longer timeout.
        var window: Int64 = 600
        /// The maximum number of records. Each peer has its share of them, all peers of a key together, and each user
        /// for whom it acts a part of that: see ``OnceRoom``. Another request is refused as overloaded.
        var count = 100_000
        /// The maximum size of all recorded replies in bytes. They are shared in the same way.
        ///
        /// When it is used up, a new request is refused as overloaded, and the replies to pending ones are not recorded;
        /// their copies fail with an error that says that the request may have been handled.
        var bytes = 256 << 20
    }

    /// A record of an earlier host.
    struct Restored {
        var key: RequestKey
        var message: String
        /// When it was made, by the clock of that time.
        var time: Int64
        /// The size of its reply in bytes; `nil` when no reply was recorded.
        var replySize: Int?
    }
}
