/// An attached worker, by the number of its link. A worker that attaches anew has another one.
typealias WorkerID = UInt64
