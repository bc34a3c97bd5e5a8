/// The hash table of a native `Dictionary`, read as memory.
///
/// If one dictionary is a changed copy of another, both have the same hash seed and size, and nearly all entries are in
/// the same buckets. A comparison of the buckets finds the few that differ at memory speed. A walk over the entries
/// through `Dictionary`'s own subscripts, unspecialized, costs a hundred times that.
///
/// The layout is that of `__RawDictionaryStorage` in the standard library: after the object's header of 16 bytes come
/// count, capacity, scale, (reserved), age, seed, the address of the keys, the address of the values, and the bitmap of
/// occupied buckets. The standard library does not promise it. So ``isLayoutKnown`` checks it once on a sample, and
/// nothing here is used if the check fails, or on platforms whose dictionaries may be Objective-C objects.
///
/// Sound: all reads stay in storage that the caller's dictionary holds, and keys and values are read only from buckets
/// that the bitmap marks as occupied.
struct DictionaryStorage {
    private let object: UnsafeRawPointer

    /// Fails if the storage cannot be read as memory, or is too small for that to pay.
    init?<Key, Value>(of dictionary: [Key: Value]) {
        guard Self.isLayoutKnown, MemoryLayout<[Key: Value]>.size == MemoryLayout<UInt>.size else { return nil }
        let address = unsafeBitCast(dictionary, to: UInt.self)
        guard let object = UnsafeRawPointer(bitPattern: address) else { return nil }
        self.object = object
        // In a bitmap of less than one word, the bits after the last bucket have another meaning.
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
    func isLaidOutLike(_ other: DictionaryStorage) -> Bool {
        scale == other.scale && seed == other.seed
    }

    /// The occupied buckets of the old and of the new dictionary, without those that surely have the same entry in
    /// both.
    static func differences(
        _ old: DictionaryStorage,
        _ new: DictionaryStorage,
        keys keyBits: BitwiseComparator,
        values valueBits: BitwiseComparator
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

    /// Whether a sample dictionary reads as it should.
    static let isLayoutKnown: Bool = {
        #if os(Linux) && (arch(x86_64) || arch(arm64))
            var sample: [Int: UInt16] = [:]
            for number in 0..<100 { sample[number] = UInt16(number) &* 3 }
            return withExtendedLifetime(sample) {
                let address = unsafeBitCast(sample, to: UInt.self)
                guard let object = UnsafeRawPointer(bitPattern: address) else { return false }
                let storage = DictionaryStorage(object: object)
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
