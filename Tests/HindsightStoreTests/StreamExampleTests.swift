import HindsightStore
import Testing

/// Signing in and out, observed as streams.
@Suite(.timeLimit(.minutes(1))) struct StreamExampleTests {
    struct Account: Sendable, Equatable {
        var name = ""
        var email = ""
        var isSignedIn: Bool { !name.isEmpty && !email.isEmpty }
    }

    enum AccountAction: Sendable {
        case signIn(name: String, email: String)
        case signOut
    }

    static let account = Reducer<Account, AccountAction>.returning("account") { _, action in
        switch action {
        case .signIn(let name, let email): Account(name: name, email: email)
        case .signOut: Account()
        }
    }

    let store = Store(initial: Account(), reducer: Self.account)

    @Test func `A view welcomes each user who signs in`() {
        let shown = Notes<String>()
        let token = store.observe(\.name)
            .filter { !$0.isEmpty }
            .map { "Welcome, \($0)" }
            .subscribe { shown.add($0) }
        store.dispatch(.signIn(name: "Grace", email: "grace@example.org"))
        store.dispatch(.signIn(name: "Grace", email: "hopper@example.org"))
        store.dispatch(.signOut)
        store.dispatch(.signIn(name: "Ada", email: "ada@example.org"))
        #expect(shown.all == ["Welcome, Grace", "Welcome, Ada"])
        withExtendedLifetime(token) {}
    }

    @Test func `A computed property can be observed like a stored one`() {
        let shown = Notes<Bool>()
        let token = store.observe(\.isSignedIn).subscribe { shown.add($0) }
        store.dispatch(.signIn(name: "Grace", email: ""))
        store.dispatch(.signIn(name: "Grace", email: "grace@example.org"))
        store.dispatch(.signIn(name: "Ada", email: "ada@example.org"))
        store.dispatch(.signOut)
        #expect(shown.all == [false, true, false])
        withExtendedLifetime(token) {}
    }

    @Test func `A stream does the same with the standard library's operators`() async {
        var store: Store? = self.store
        var welcomes = self.store.observe(\.name).values.buffering(.unbounded)
            .filter { !$0.isEmpty }
            .map { "Welcome, \($0)" }
            .makeAsyncIterator()
        store?.dispatch(.signIn(name: "Grace", email: "grace@example.org"))
        #expect(await welcomes.next() == "Welcome, Grace")
        store?.dispatch(.signOut)
        store?.dispatch(.signIn(name: "Ada", email: "ada@example.org"))
        #expect(await welcomes.next() == "Welcome, Ada")
        store = nil
    }

    @Test func `The state can also be read and dispatched to directly`() {
        store.dispatch(.signIn(name: "Ada", email: "ada@example.org"))
        #expect(store.state.name == "Ada")
        store.dispatch(.signOut)
        #expect(!store.state.isSignedIn)
    }
}
