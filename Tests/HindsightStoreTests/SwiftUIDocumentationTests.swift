#if canImport(SwiftUI)
    import HindsightStore
    import SwiftUI
    import Testing

    // The examples of the documentation, as they stand there.

    private enum Example {
        struct AppState: Sendable, Equatable {
            var count = 0
            var name = "counter"
        }

        enum AppAction: Sendable {
            case add(Int)
            case rename(String)
        }

        static let appReducer = Reducer<AppState, AppAction>("app") { state, action in
            switch action {
            case .add(let amount): state.count += amount
            case .rename(let name): state.name = name
            }
        }

        struct CounterView: View {
            let store: Store<AppState, AppAction>

            var body: some View {
                VStack {
                    Text("\(store.observed.name): \(store.observed.count)")
                    Button("Add") { store.dispatch(.add(1)) }
                    NameField(store: store)
                }
            }
        }

        struct CounterApp: App {
            let store = Store(initial: AppState(), reducer: appReducer)

            var body: some Scene {
                WindowGroup { CounterView(store: store) }
            }
        }

        struct NameField: View {
            let store: Store<AppState, AppAction>

            var body: some View {
                let name = store.binding(\.name, sending: { .rename($0) })
                TextField("Name", text: Binding(get: name.get, set: name.set))
            }
        }

        struct CounterPreview: PreviewProvider {
            static var previews: some View {
                CounterView(store: Store(initial: AppState(count: 3), reducer: appReducer))
            }
        }
    }

    @Suite struct SwiftUIDocumentationTests {
        @Test @MainActor func `A binding sets what the reducers make of it`() {
            let store = Store(initial: Example.AppState(), reducer: Example.appReducer)
            let name = store.binding(\.name, sending: { .rename($0) })
            let binding = Binding(get: name.get, set: name.set)
            binding.wrappedValue = "total"
            #expect(store.state.name == "total")
        }
    }
#endif
