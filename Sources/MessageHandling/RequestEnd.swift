/// How a request ended.
package enum RequestEnd {
    /// The encoded reply. It has the id, the name and the session of the request, and the container's revision.
    case reply([UInt8])
    case failure(any Error)
}
