import Foundation
import Glibc

extension String {
    /// Makes the reason of an error of Foundation's file functions: the system's own words for its error number, such as
    /// "Not a directory". Their descriptions name an error domain and a number instead.
    package init(reasonOf error: any Error) {
        var error = error as NSError
        while let inner = error.userInfo[NSUnderlyingErrorKey] as? any Error { error = inner as NSError }
        self =
            error.domain == NSPOSIXErrorDomain
            ? String(cString: strerror(Int32(error.code))) : error.localizedDescription
    }
}
