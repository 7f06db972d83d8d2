/// A part of a long list: as many as one reply may have. What is opened or closed between two pages makes the list neither skip
/// others nor name one twice.
package protocol HostList {
    associatedtype Item
    var items: [Item] { get }
    /// Where the page ends: the next one comes after this; `nil` when there is none.
    var next: String? { get }
}
