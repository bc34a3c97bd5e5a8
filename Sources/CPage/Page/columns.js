'use strict';

/** Columns with facts of a recording's rows, and what fills them from the bytes of its text. */
const RecordingColumns = (() => {
    /** A column of numbers that grows. */
    class Column {
        constructor(Type) {
            this.values = new Type(1024);
            this.length = 0;
        }

        push(value) {
            if (this.length === this.values.length) {
                const longer = new this.values.constructor(this.values.length * 2);
                longer.set(this.values);
                this.values = longer;
            }
            this.values[this.length] = value;
            this.length += 1;
        }

        get bytes() {
            return this.values.byteLength;
        }
    }

    /** Numbers for strings that stand in the text, in the order in which they first appear. */
    class Names {
        constructor() {
            this.starts = new Column(Uint32Array);
            this.ends = new Column(Uint32Array);
            this.counts = new Column(Uint32Array);
            this.slots = new Int32Array(4096).fill(-1);
            this.hashes = new Column(Uint32Array);
        }

        get size() {
            return this.starts.length;
        }

        number(bytes, start, end, hash) {
            hash = (hash ^ (hash >>> 15)) >>> 0;
            let { slots } = this;
            let mask = slots.length - 1;
            let slot = hash & mask;
            for (;;) {
                const number = slots[slot];
                if (number < 0) break;
                if (this.hashes.values[number] === hash) {
                    const from = this.starts.values[number];
                    const length = end - start;
                    if (this.ends.values[number] - from === length) {
                        let offset = 0;
                        while (offset < length && bytes[from + offset] === bytes[start + offset]) offset += 1;
                        if (offset === length) {
                            this.counts.values[number] += 1;
                            return number;
                        }
                    }
                }
                slot = (slot + 1) & mask;
            }
            const number = this.size;
            this.starts.push(start);
            this.ends.push(end);
            this.counts.push(1);
            this.hashes.push(hash);
            slots[slot] = number;
            if (this.size * 2 > slots.length) {
                slots = new Int32Array(slots.length * 4).fill(-1);
                mask = slots.length - 1;
                for (let other = 0; other < this.size; other += 1) {
                    slot = this.hashes.values[other] & mask;
                    while (slots[slot] >= 0) slot = (slot + 1) & mask;
                    slots[slot] = other;
                }
                this.slots = slots;
            }
            return number;
        }
    }

    const flags = {
        /** Time travel. */
        TRAVEL: 1,
        /** The recorder was behind, and left out the state after the action. */
        SKIPPED: 2,
        /** The recorder marked the state after the action as doubtful. */
        DOUBTFUL: 4,
        /** The action could not be encoded. */
        PROBLEM: 8,
        /** The action changed nothing. */
        UNCHANGED: 16,
        /** The action never finished. */
        UNFINISHED: 32,
        /** A note follows. */
        NOTE: 64,
        /** What a run of skipped actions changed. */
        RUN: 128,
        HAS_PARENT: 256,
        /** The state after the action is recorded. */
        KNOWN: 512,
        /** What the reducers did is recorded. */
        EFFECT: 1024,
        /** A whole state follows, to which the changes do not lead. */
        WHOLE: 2048,
        /** The action changed something that the page does not have. */
        OUTSIDE: 4096,
        /** The tool computed what the reducers did before the process ended in the action. */
        COMPUTED: 8192,
    };

    const kinds = { ADD: 0, REMOVE: 1, REPLACE: 2, SPLICE: 3, EDIT: 4 };
    const kindNames = ['add', 'remove', 'replace', 'splice', 'edit'];

    /** How long a task may take before others have their turn. */
    const sliceMilliseconds = 24;

    /** Lets other tasks have their turn: input, timers, drawing. Timers of zero would wait for milliseconds. */
    const nextTurn = (() => {
        const waiting = [];
        const channel = new MessageChannel();
        channel.port1.onmessage = () => waiting.shift()?.();
        return () =>
            new Promise((resolve) => {
                waiting.push(resolve);
                channel.port2.postMessage(null);
            });
    })();

    /** Half of a key of a position: more reducers than any app has. */
    const mostReducers = 65536;

    /** Returns the index behind the value that begins at an index. */
    function skipValue(bytes, at) {
        let depth = 0;
        for (;;) {
            const byte = bytes[at];
            if (byte === 0x22) {
                at = skipString(bytes, at);
            } else if (byte === 0x7b || byte === 0x5b) {
                depth += 1;
                at += 1;
            } else if (byte === 0x7d || byte === 0x5d) {
                depth -= 1;
                at += 1;
            } else if (byte === 0x2c || byte === 0x3a) {
                at += 1;
            } else if (byte === undefined || byte === 0x0a) {
                throw new Error(`expected a value at byte ${at} of the recording`);
            } else {
                // A number or a word. A number may have a plus: 1e+300.
                do at += 1;
                while ((bytes[at] > 0x2c && bytes[at] !== 0x5d && bytes[at] !== 0x7d) || bytes[at] === 0x2b);
            }
            if (depth === 0) return at;
            // Between the elements of what is open.
            const next = bytes[at];
            if (next === 0x2c || next === 0x3a) at += 1;
        }
    }

    /** Returns the index behind the string whose opening quote is at an index. */
    function skipString(bytes, at) {
        for (;;) {
            at += 1;
            const byte = bytes[at];
            if (byte === 0x22) return at + 1;
            if (byte === 0x5c) at += 1;
            else if (byte === undefined) throw new Error('a string of the recording does not end');
        }
    }

    /** Nanoseconds as text, split into whole microseconds and the rest, which doubles keep exactly. */
    function splitTime(text) {
        const nanos = BigInt(text);
        const micros = nanos / 1000n;
        return { micros: Number(micros), rest: Number(nanos - micros * 1000n), whole: Number(nanos) };
    }

    /** The same of digits in bytes. */
    function timeIn(bytes, start, end) {
        const isNegative = bytes[start] === 0x2d;
        if (isNegative) start += 1;
        let micros = 0;
        for (let at = start; at < end - 3; at += 1) micros = micros * 10 + bytes[at] - 0x30;
        let rest = 0;
        for (let at = Math.max(start, end - 3); at < end; at += 1) rest = rest * 10 + bytes[at] - 0x30;
        const sign = isNegative ? -1 : 1;
        return { micros: sign * micros, rest: sign * rest, whole: sign * (micros * 1000 + rest) };
    }

    /** `2026-11-20T14:03:22.123456Z` of nanoseconds since 1970. */
    function timeText(nanos) {
        const { micros } = splitTime(nanos);
        const millis = Math.floor(micros / 1000);
        const date = new Date(millis);
        if (Number.isNaN(date.getTime())) return nanos;
        return date.toISOString().slice(0, -1) + String(micros - millis * 1000).padStart(3, '0') + 'Z';
    }

    return {
        Column,
        Names,
        flags,
        kinds,
        kindNames,
        sliceMilliseconds,
        nextTurn,
        mostReducers,
        skipValue,
        skipString,
        splitTime,
        timeIn,
        timeText,
    };
})();
