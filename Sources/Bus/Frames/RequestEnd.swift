/// How a request ended.
package enum RequestEnd {
    /// The encoded reply. It has the id, the name and the session of the request.
    case reply([UInt8])
    case failure(any Error)
}
