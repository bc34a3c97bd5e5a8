import Foundation
import HindsightStore
import Testing

@testable import Samples

@Suite("Checkout")
struct CheckoutTests {
    private static let first = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    private static let second = UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))
    private let store = Store(initial: CheckoutState.open, reducer: checkoutReducer)

    private func pay(_ cents: Int, as id: UUID = first, means: Payment.Means = .invoice) -> Pay {
        Pay(id: id, means: means, amount: Decimal(cents: cents), at: Date(timeIntervalSince1970: 1_700_000_000.25))
    }

    /// A cup and two teas, sent by standard post: 34.30 + 4.90 net, 19 % of 13.40 and 7 % of 25.80.
    private func order() {
        store.dispatch(AddLine(sku: SKU("CUP-014"), quantity: 1))
        store.dispatch(AddLine(sku: SKU("TEA-001"), quantity: 2))
        let address = Shipping.Address(
            name: "Åse",
            street: "Storgata 1",
            city: "Tromsø",
            postcode: "9008",
            country: nil
        )
        store.dispatch(SetAddress(address: address))
        store.dispatch(ChooseShipping(method: .standard))
    }

    @Test("Totals add goods, shipping and the tax of each class")
    func totals() {
        order()
        let totals = store.state.cart.totals
        #expect(totals.goods == Decimal(cents: 3430))
        #expect(totals.shipping == Decimal(cents: 490))
        #expect(totals.tax == [.standard: Decimal(cents: 255), .reduced: Decimal(cents: 181)])
        #expect(totals.gross == Decimal(cents: 4356))
    }

    @Test(
        "A coupon subtracts its share",
        arguments: [("WELCOME10", 343, 490), ("ÉTÉ25", 858, 490), ("FIVER", 500, 490), ("POST🕊", 0, 0)]
    )
    func coupons(code: String, discount: Int, shipping: Int) {
        order()
        store.dispatch(ApplyCoupon(code: code))
        #expect(store.state.problem == nil)
        #expect(store.state.cart.totals.discount == Decimal(cents: discount))
        #expect(store.state.cart.totals.shipping == Decimal(cents: shipping))
        store.dispatch(ApplyCoupon(code: nil))
        #expect(store.state.cart.totals.gross == Decimal(cents: 4356))
    }

    @Test("Articles are reserved by the cart, sold by the payment and released by starting over")
    func stock() {
        let sku = SKU("POT-002")
        store.dispatch(AddLine(sku: sku, quantity: 2))
        store.dispatch(ChangeQuantity(sku: sku, quantity: 3))
        store.dispatch(AddLine(sku: sku, quantity: 1))
        #expect(store.state.problem == "Only 0 of “Cast iron pot” are left.")
        #expect(store.state.stock[sku]?.reserved == 3)
        store.dispatch(StartOver())
        #expect(store.state.stock[sku]?.available == 3)
        store.dispatch(AddLine(sku: sku, quantity: 1))
        store.dispatch(ChooseShipping(method: .pickup))
        store.dispatch(pay(7734))
        #expect(store.state.isPaid)
        store.dispatch(StartOver())
        #expect(store.state.stock[sku].map { [$0.available, $0.reserved, $0.sold] } == [2, 0, 1])
        #expect(store.state.cart == Cart())
    }

    @Test("An order can be paid in parts, and payments can be refunded")
    func payments() {
        order()
        store.dispatch(ApplyCoupon(code: "FIVER"))
        let gross = Int(truncating: store.state.cart.totals.gross * 100 as NSDecimalNumber)
        store.dispatch(pay(1000, means: .voucher(code: "V-7")))
        #expect(!store.state.isPaid)
        store.dispatch(StartOver())
        #expect(store.state.problem == "A part is paid already: pay the rest or have it refunded first.")
        store.dispatch(pay(gross - 1000, as: Self.second, means: .card(lastDigits: "4242")))
        #expect(store.state.isPaid)
        #expect(store.state.coupons.spent == ["FIVER"])
        store.dispatch(Refund(payment: Self.second, amount: Decimal(cents: 850), reason: "broken"))
        #expect(store.state.payments[Self.second]?.refunded == Decimal(cents: 850))
        store.dispatch(StartOver())
        #expect(store.state.problem == nil)
    }

    @Test("An invalid action changes only the problem and the audit")
    func refusals() {
        order()
        let actions: [any CheckoutAction] = [
            AddLine(sku: SKU("NONE"), quantity: 1), AddLine(sku: SKU("TEA-001"), quantity: 0),
            AddLine(sku: SKU("TEA-001"), quantity: .max), ChangeQuantity(sku: SKU("POT-002"), quantity: 1),
            ChangeQuantity(sku: SKU("TEA-001"), quantity: .min), ChangeQuantity(sku: SKU("TEA-001"), quantity: .max),
            WrapAsGift(sku: SKU("POT-002"), wrap: true), ApplyCoupon(code: "NOPE"),
            pay(0), pay(-5), pay(99999), pay(100, means: .card(lastDigits: "??")),
            Refund(payment: Self.first, amount: 1, reason: nil), Restock(sku: SKU("TEA-001"), quantity: .max),
        ]
        let before = store.state
        for action in actions {
            store.dispatch(action)
            var state = store.state
            #expect(state.problem != nil, "\(action)")
            state.problem = nil
            state.audit = before.audit
            #expect(state == before, "\(action)")
        }
        #expect(store.state.audit.refusals == actions.count)
    }
}
