import HindsightRecorder
import HindsightRecording
import HindsightTree

/// The actions that short payloads decode to, by the payloads' numbers.
///
/// A value is used again only after equal payloads have given the same bits many times, and until one gives others: an
/// `init(from:)` that makes an identifier, a date or an instance runs for each action.
final class DecodedActions<ActionValue: Sendable> {
    /// The number of decodes that must give the same bits.
    private static var trials: Int { 16 }
    /// The number of uses of a payload of which one is decoded again.
    private static var interval: Int { 64 }

    /// The first value of each payload. Sound: initialized where `uses` is above 0.
    private let values = UnsafeMutablePointer<ActionValue>.allocate(capacity: RecordedAction.payloadNumbers.count)
    /// The number of uses of each payload, as long as all that it was decoded to have the same bits; -1 from then on.
    @exclusivity(unchecked) private var uses = Array(repeating: 0, count: RecordedAction.payloadNumbers.count)

    deinit {
        for number in RecordedAction.payloadNumbers where uses[number] > 0 {
            (values + number).deinitialize(count: 1)
        }
        values.deallocate()
    }

    /// Sets `slot` to the value of a payload.
    ///
    /// - Throws: The error of the codec.
    func decode(
        _ payload: Node,
        number: Int,
        by codec: ActionCodec<ActionValue>,
        into slot: Slot<ActionValue>
    ) throws {
        let count = uses[number]
        if count >= Self.trials, count % Self.interval != 0 {
            uses[number] = count + 1
            return slot.set(values[number])
        }
        slot.set(try codec.decode(payload))
        switch count {
        case 0:
            (values + number).initialize(to: slot.pointer.pointee)
            uses[number] = 1
        case 1...:
            // The first value still holds its memory, so new storage has another address.
            let isSame = isBitwiseEqual(values[number], slot.pointer.pointee)
            if !isSame { (values + number).deinitialize(count: 1) }
            uses[number] = isSame ? count + 1 : -1
        default:
            break
        }
    }
}
