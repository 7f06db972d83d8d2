/// The id of an attached worker, which is the id of its link. It changes when the worker reconnects.
typealias WorkerID = UInt64
