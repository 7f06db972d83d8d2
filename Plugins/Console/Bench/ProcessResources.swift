#if Console
    import Foundation
    import OperatorKit

    /// What processes of this machine use, and may use.
    enum ProcessResources {
        /// Allows this process, and those that it starts, to have as many files open as they may, at least so many.
        static func allow(_ count: Int) throws {
            var limit = rlimit()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            getrlimit(resource, &limit)
            guard limit.rlim_max >= rlim_t(count) else {
                throw CommandError(
                    .failure,
                    "so many pages need \(count) open files, and \(limit.rlim_max) are allowed; take fewer --pages, or raise "
                        + "the limit with 'ulimit -n'")
            }
            limit.rlim_cur = limit.rlim_max
            setrlimit(resource, &limit)
        }

        /// The memory of a process in bytes, with what it shares; 0 for one that has ended.
        static func residentMemory(of pid: Int32) -> Int {
            let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
            return text.firstMatch(of: /VmRSS:\s+(\d+) kB/).flatMap { Int($0.1) }.map { $0 * 1024 } ?? 0
        }
    }
#endif
