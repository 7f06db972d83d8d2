import CBOR
import Messaging
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DeepLinkTests {
    @Test func `A URL's host and path form one list`() throws {
        let parts = try #require(URLParts("Shop://product/12//reviews/?sort=new&sort=old&empty"))
        #expect(parts.scheme == "shop")
        #expect(parts.path == ["product", "12", "reviews"])
        #expect(parts.query == ["sort": "new", "empty": ""])
        #expect(URLParts("shop:")?.path == [])
        #expect(URLParts("shop://")?.path == [])
        #expect(URLParts("shop:///")?.path == [])
        #expect(URLParts("shop://caf%C3%A9/cr%C3%A8me")?.path == ["café", "crème"])
    }

    @Test(arguments: ["", "product/12", "://", "shop://[bad"])
    func `Text that is not a URL with a scheme is refused`(text: String) {
        #expect(URLParts(text) == nil)
        let error = #expect(throws: DeepLinkRefusal.self) { try DeepLink.url(text).urlParts() }
        #expect(error?.reason == "it is not a URL")
        #expect(error?.link == text)
    }

    @Test func `Only a URL link has URL parts`() throws {
        #expect(try DeepLink.notification([:]).urlParts() == nil)
        #expect(try DeepLink.activity(UserActivity(activityType: "x")).urlParts() == nil)
    }

    @Test(
        arguments: [
            .url("shop://list"), .notification(["product": 12, "tags": ["a", nil]]),
            .activity(UserActivity(activityType: "x", title: "X", userInfo: ["id": 1.5])),
        ] as [DeepLink])
    func `A link is equal after encoding and decoding`(link: DeepLink) throws {
        #expect(try CBORDecoder().decode(DeepLink.self, from: CBOREncoder().encode(link)) == link)
    }

    @Test func `A link has a one-line summary`() {
        #expect(DeepLink.url("shop://list").summary == "shop://list")
        #expect(DeepLink.notification(["b": 1, "a": 2]).summary == "notification [\"a\", \"b\"]")
        #expect(DeepLink.activity(UserActivity(activityType: "x")).summary == "activity 'x'")
    }
}
