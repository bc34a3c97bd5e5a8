import HindsightRecorder
import HindsightRecording
import HindsightReplay

/// The sample apps, for tools that record and replay them.
package enum SampleApps {
    /// `todo`, `checkout` and `notepad`.
    package static var all: [ReplayableApp] { [todo, checkout, notepad] }

    /// A to-do list with undo.
    package static var todo: ReplayableApp {
        ReplayableApp("todo", version: "1.0", initial: TodoState(), reducer: todoReducer)
    }

    /// A shop's checkout.
    package static var checkout: ReplayableApp {
        ReplayableApp(
            "checkout",
            version: "1.0",
            initial: CheckoutState.open,
            reducer: checkoutReducer,
            actions: checkoutActions.codec
        )
    }

    /// A text buffer.
    package static var notepad: ReplayableApp {
        ReplayableApp("notepad", version: "1.0", initial: NotepadState(), reducer: notepadReducer)
    }
}

/// The checkout's actions by their names in recordings.
package var checkoutActions: ActionRegistry<any CheckoutAction> {
    var actions = ActionRegistry<any CheckoutAction>()
    actions.register(AddLine.self) { $0 }
    actions.register(ChangeQuantity.self) { $0 }
    actions.register(WrapAsGift.self) { $0 }
    actions.register(ApplyCoupon.self) { $0 }
    actions.register(SetAddress.self) { $0 }
    actions.register(ChooseShipping.self) { $0 }
    actions.register(Pay.self) { $0 }
    actions.register(Refund.self) { $0 }
    actions.register(StartOver.self) { $0 }
    actions.register(Restock.self) { $0 }
    return actions
}
