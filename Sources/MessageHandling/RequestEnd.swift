/// How a request ended.
package enum RequestEnd {
    /// The encoded reply. It has the id and the name of the request, and at the host also its session and the container's
    /// revision.
    case reply([UInt8])
    case failure(any Error)
}
