import SceneContent
import Testing

@testable import ConsolePages

@Suite(.timeLimit(.minutes(5)))
struct LinePathTests {
    private func path(_ points: [ChartBlock.Point]) throws -> String {
        let across = try #require(PlotRange(points.map(\.x)))
        let upward = try #require(PlotRange(points.map(\.y)))
        return LinePath(points, x: across, y: upward).text
    }

    @Test("a long series has at most four values for each column, with the lowest and the highest")
    func longSeries() throws {
        let text = try path((0..<3600).map { .init(Double($0), $0 == 1234 ? 9 : Double($0 % 7)) })
        #expect(text.count { $0 == "L" } < 4 * LinePath.columns)
        let heights = text.split { $0 == "L" || $0 == "M" }.compactMap { $0.split(separator: " ").last }.compactMap {
            Int($0)
        }
        #expect(heights.min() == 0 && heights.max() == LinePath.height)
    }

    @Test("one point, equal values and the largest numbers are drawn")
    func extremes() throws {
        #expect(try path([.init(5, 5)]) == "M2005 500h0")
        #expect(try path([.init(0, 1), .init(1, 1)]) == "M0 500L4000 500")
        #expect(
            try path([.init(0, -.greatestFiniteMagnitude), .init(1, .greatestFiniteMagnitude)]) == "M0 1000L4000 0")
    }

    @Test("points that are not in their order do not make a longer path")
    func disorder() throws {
        let text = try path((0..<3600).map { .init(Double($0 * 7919 % 3600), Double($0 % 5)) })
        #expect(text.count { $0 == "L" } < 4 * LinePath.columns)
    }

    @Test("without values there is no range")
    func nothing() { #expect(PlotRange([Double]()) == nil) }
}
