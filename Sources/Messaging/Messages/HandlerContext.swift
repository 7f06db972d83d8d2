// Hot path: it runs for each request. See "Hot paths" in Contributing.

import CTasks

/// Binds the contexts of the requests that a task handles one after the other.
///
/// A task-local variable that is bound for each request would cost it as much as reading its frame. The task therefore
/// binds one object, and changes what it contains.
package struct HandlerContext {
    /// What a task binds. Reading it is safe on any thread, because it changes only while no other task refers to it: a
    /// task that outlives the handler holds a reference, and the handler's child tasks end before it returns.
    final class Box: @unchecked Sendable {
        // Accesses cannot overlap: they only read the value or replace it.
        @exclusivity(unchecked) fileprivate(set) var context: MessageContext?
    }

    /// The binding in the task keeps it alive.
    private var box: Unmanaged<Box>

    /// Begins a binding in the current task, until ``end()``. See `CTasks` for the rules.
    package static func begin() -> HandlerContext { HandlerContext(box: bind()) }

    /// Ends the binding.
    package func end() { scenebus_unbind_task_local() }

    /// Makes a context the current one.
    package mutating func set(_ context: MessageContext) {
        leaveShared()
        box._withUnsafeGuaranteedRef { $0.context = context }
    }

    /// Ends the current context. Tasks that the handler has begun keep theirs.
    package mutating func clear() {
        if leaveShared() { return }
        box._withUnsafeGuaranteedRef { $0.context = nil }
    }

    /// Binds another object if a task that was begun here has a copy of the binding. That task may run longer than the
    /// handler, or may have begun between two requests.
    @discardableResult
    private mutating func leaveShared() -> Bool {
        guard scenebus_retain_count(box.toOpaque()) != 1 else { return false }
        end()
        box = Self.bind()
        return true
    }

    private static func bind() -> Unmanaged<Box> {
        let box = Unmanaged.passRetained(Box())
        MessageContext.bind(.handler(box.takeUnretainedValue()))
        // The binding has its own reference.
        box.release()
        return box
    }
}
