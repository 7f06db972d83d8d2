import LabClock
import BenchAllocations
import CoordinatorKit
import Glibc

/// Measures the cost of passing a responder that does not handle a message, with a chain of coordinators as in an
/// application.
///
/// It is a program of its own, because it counts allocations, and the counter slows each of them down.
@main
@MainActor
enum BenchChain {
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard numbers.count == 2 else {
            _ = "scenebus-bench-chain is started by 'scenebus bench'\n".withCString {
                write(STDERR_FILENO, $0, strlen($0))
            }
            exit(2)
        }
        print(run(depth: numbers[0], count: numbers[1]))
    }

    /// - Returns: the nanoseconds and allocations per coordinator.
    private static func run(depth: Int, count: Int) -> String {
        let near = measure(depth: 1, count: count)
        let far = measure(depth: depth, count: count)
        let hops = Double(count) * Double(depth - 1)
        return
            "ns_hop=\((far.nanoseconds - near.nanoseconds) / hops) allocs=\((far.allocations - near.allocations) / hops)"
    }

    private static func measure(depth: Int, count: Int) -> (nanoseconds: Double, allocations: Double) {
        let top = BenchTop(rootViewController: ViewController())
        var all: [Coordinator<ViewController>] = [top]
        for _ in 0..<depth {
            let coordinator = Coordinator(rootViewController: ViewController())
            all.last?.startChild(coordinator)
            all.append(coordinator)
        }
        let chain = all[depth].chain
        for _ in 0..<1000 { chain.benchTick(number: 1) }
        let before = scenebus_bench_allocations()
        let start = MonotonicTime.nanoseconds
        for number in 0..<count { chain.benchTick(number: number) }
        let elapsed = MonotonicTime.nanoseconds - start
        return (Double(elapsed), Double(scenebus_bench_allocations() - before))
    }
}

@ResponderMessages
private protocol BenchTickMessages {
    func benchTick(number: Int)
}

extension ResponderChain: BenchTickMessages {}

private final class BenchTop: Coordinator<ViewController>, BenchTickMessages {
    private var sum = 0
    func benchTick(number: Int) { sum &+= number }
}
