import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ViewTests {
    @Test func `A view's next responder is its superview, and a root view's is its controller`() {
        let controller = ViewController()
        let inner = View()
        let middle = View()
        controller.view.addSubview(middle)
        middle.addSubview(inner)
        #expect(inner.next === middle)
        #expect(middle.coordinatingResponder === controller.view)
        #expect(controller.view.next === controller)
        #expect(controller.view.viewController === controller)
        #expect(View().next == nil)
    }

    @Test func `A new root view takes the place of the old one in its superview`() {
        let controller = ViewController()
        let host = View()
        let old = controller.view
        host.addSubview(old)
        controller.view = View()
        #expect(old.next == nil)
        #expect(host.subviews.map { $0 === controller.view } == [true])
        #expect(controller.view.next === controller)
    }

    @Test func `A view is in one superview at a time, and the last added view is in front`() {
        let first = View()
        let second = View()
        let view = View()
        let other = View()
        first.addSubview(view)
        first.addSubview(other)
        first.addSubview(view)
        #expect(first.subviews.map { $0 === view } == [false, true])
        second.addSubview(view)
        #expect(first.subviews.map { $0 === other } == [true])
        #expect(view.superview === second)
        view.removeFromSuperview()
        #expect(view.superview == nil)
        #expect(second.subviews.isEmpty)
    }

    @Test func `A view is never added to itself or to its descendants`() {
        let outer = View()
        let inner = View()
        outer.addSubview(inner)
        inner.addSubview(outer)
        outer.addSubview(outer)
        #expect(inner.subviews.isEmpty)
        #expect(outer.superview == nil)
        #expect(outer.subviews.count == 1)
        #expect(inner.isDescendant(of: outer))
        #expect(!outer.isDescendant(of: inner))
    }

    @Test func `A view finds its window`() {
        let controller = ViewController()
        let inner = View()
        controller.view.addSubview(inner)
        #expect(inner.window == nil)
        let window = Window.visible(controller)
        #expect(inner.window === window)
        #expect(window.window === window)
    }

    @Test func `A view retains its subviews but not its superview`() {
        weak var outer: View?
        weak var inner: View?
        let kept = View()
        do {
            let top = View()
            outer = top
            let middle = View()
            inner = middle
            top.addSubview(middle)
            middle.addSubview(kept)
            #expect(outer != nil && inner != nil)
        }
        #expect(outer == nil)
        #expect(inner == nil)
        #expect(kept.superview == nil)
    }
}
