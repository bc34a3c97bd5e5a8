/// The buckets of a native `Dictionary`, seen as memory.
///
/// Two dictionaries of which one is a changed copy of the other have the same hash seed and the same size, so that
/// nearly all entries stand in the same buckets. Comparing the buckets as memory finds the few that differ at memory
/// speed; walking the entries through `Dictionary`'s own subscripts, unspecialized, costs a hundred times that.
///
/// The layout is that of `__RawDictionaryStorage` in the standard library: after the object's header of 16 bytes come
/// count, capacity, scale, (reserved), age, seed, the address of the keys, the address of the values, and the bitmap of
/// occupied buckets. It is not a promise, so ``isLayoutKnown`` checks it once against a dictionary made for that, and
/// nothing here is used where it does not hold, nor on platforms whose dictionaries may be Objective-C objects.
///
/// Sound, as all reads stay in storage that the caller's dictionary holds, and as keys and values are read only in
/// buckets that the bitmap marks as occupied.
struct HashedStorage {
    private let object: UnsafeRawPointer

    /// `nil` where the storage cannot be read as memory, or is too small for that to pay.
    init?<Key, Value>(of dictionary: [Key: Value]) {
        guard Self.isLayoutKnown, MemoryLayout<[Key: Value]>.size == MemoryLayout<UInt>.size else { return nil }
        let address = unsafeBitCast(dictionary, to: UInt.self)
        guard let object = UnsafeRawPointer(bitPattern: address) else { return nil }
        self.object = object
        // In a bitmap of less than one word, the bits beyond the last bucket mean something else.
        guard count == dictionary.count, buckets >= UInt.bitWidth else { return nil }
    }

    private init(object: UnsafeRawPointer) { self.object = object }

    var count: Int { object.load(fromByteOffset: 16, as: Int.self) }
    private var scale: Int8 { object.load(fromByteOffset: 32, as: Int8.self) }
    private var seed: Int { object.load(fromByteOffset: 40, as: Int.self) }
    private var keys: UnsafeRawPointer { object.load(fromByteOffset: 48, as: UnsafeRawPointer.self) }
    private var values: UnsafeRawPointer { object.load(fromByteOffset: 56, as: UnsafeRawPointer.self) }
    private var buckets: Int { 1 << Int(scale) }

    private func occupied(word: Int) -> UInt {
        object.load(fromByteOffset: 64 + word * MemoryLayout<UInt>.size, as: UInt.self)
    }

    /// Whether both put the same key into the same bucket.
    func isLaidOutLike(_ other: HashedStorage) -> Bool {
        scale == other.scale && seed == other.seed
    }

    /// The buckets that are not occupied in both by surely the same entry: those of the old dictionary in the first
    /// list, those of the new one in the second. A bucket may be in both.
    static func differences(
        _ old: HashedStorage,
        _ new: HashedStorage,
        keys keyBits: BitPattern,
        values valueBits: BitPattern
    ) -> (old: [Int], new: [Int]) {
        var oldBuckets: [Int] = []
        var newBuckets: [Int] = []
        let width = UInt.bitWidth
        for word in 0..<(old.buckets + width - 1) / width {
            let (oldWord, newWord) = (old.occupied(word: word), new.occupied(word: word))
            var either = oldWord | newWord
            while either != 0 {
                let bit = either.trailingZeroBitCount
                either &= either - 1
                let bucket = word * width + bit
                let (isInOld, isInNew) = (oldWord >> bit & 1 == 1, newWord >> bit & 1 == 1)
                if isInOld && isInNew
                    && keyBits.hasSameBits(
                        old.keys + bucket * keyBits.stride,
                        new.keys + bucket * keyBits.stride
                    )
                    && valueBits.hasSameBits(
                        old.values + bucket * valueBits.stride,
                        new.values + bucket * valueBits.stride
                    )
                {
                    continue
                }
                if isInOld { oldBuckets.append(bucket) }
                if isInNew { newBuckets.append(bucket) }
            }
        }
        return (oldBuckets, newBuckets)
    }

    /// A copy of the key in an occupied bucket.
    func key<Key>(in bucket: Int, as type: Key.Type) -> Key {
        keys.assumingMemoryBound(to: Key.self)[bucket]
    }

    /// Whether the storage of a dictionary that is made for the purpose reads as it should.
    static let isLayoutKnown: Bool = {
        #if os(Linux) && (arch(x86_64) || arch(arm64))
            var sample: [Int: UInt16] = [:]
            for number in 0..<100 { sample[number] = UInt16(number) &* 3 }
            return withExtendedLifetime(sample) {
                let address = unsafeBitCast(sample, to: UInt.self)
                guard let object = UnsafeRawPointer(bitPattern: address) else { return false }
                let storage = HashedStorage(object: object)
                guard storage.count == 100, (7...10).contains(storage.scale) else { return false }
                var seen: Set<Int> = []
                for word in 0..<(storage.buckets / UInt.bitWidth) {
                    var bits = storage.occupied(word: word)
                    guard seen.count + bits.nonzeroBitCount <= 100 else { return false }
                    while bits != 0 {
                        let bucket = word * UInt.bitWidth + bits.trailingZeroBitCount
                        bits &= bits - 1
                        let key = storage.key(in: bucket, as: Int.self)
                        let value = storage.values.assumingMemoryBound(to: UInt16.self)[bucket]
                        guard sample[key] == value else { return false }
                        seen.insert(key)
                    }
                }
                return seen.count == 100
            }
        #else
            return false
        #endif
    }()
}
