#if Console
    import CBOR
    import Foundation

    /// Times in ascending order.
    struct Sorted {
        private let values: [Double]

        init(_ values: [Double]) { self.values = values.sorted() }

        var median: Double { part(50) }
        var largest: Double { values.last ?? 0 }

        /// The value that so many of a hundred do not exceed.
        func part(_ ofHundred: Int) -> Double {
            values.isEmpty ? 0 : values[min(values.count - 1, values.count * ofHundred / 100)]
        }
    }

    /// What has been measured, in the order in which it is shown.
    struct BenchFigures: Sendable {
        private var figures: [(key: String, value: Double)] = []

        subscript(key: String) -> Double? {
            get { figures.first { $0.key == key }?.value }
            set {
                figures.removeAll { $0.key == key }
                if let newValue { figures.append((key, newValue)) }
            }
        }

        /// Adds the median of times in milliseconds, and one that few exceed.
        /// - Parameter ofHundred: how many of a hundred do not exceed it; `nil` for the longest time.
        mutating func add(_ name: String, _ times: [Double], ofHundred: Int?) {
            let sorted = Sorted(times)
            self["\(name)_p50_ms"] = sorted.median
            if let ofHundred {
                self["\(name)_p\(ofHundred)_ms"] = sorted.part(ofHundred)
            } else {
                self["\(name)_max_ms"] = sorted.largest
            }
        }

        var line: String {
            "RESULT " + figures.map { "\($0.key)=" + String(format: "%.2f", $0.value) }.joined(separator: " ")
        }

        var object: CBORValue {
            .map(
                CBORMap(
                    figures.map { CBORMap.Pair(key: .string($0.key), value: .double(($0.value * 100).rounded() / 100)) }
                ))
        }
    }
#endif
