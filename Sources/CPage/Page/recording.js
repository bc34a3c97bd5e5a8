'use strict';

/**
 * A recording in its text form, as `hindsight export` writes it, and the questions that the page asks about it.
 *
 * Knows nothing of the page. The text stays bytes. While it is read, columns with the facts of each action and each
 * operation are filled, and states are kept at intervals, so that any state is a few changes away. A row is parsed when
 * it is asked for.
 *
 * Values: `null`, booleans, strings, arrays, `Map`s for objects; numbers where JavaScript keeps every digit, otherwise
 * `RecordingData.Exact`; data as `RecordingData.Bytes`. Values are never changed. States share what did not change: it is
 * the identical object.
 *
 * Positions are `{number, reducer}`: after an action if `reducer` is `null` or missing, otherwise after its first
 * `reducer` reducers. A plain number is the position after that action.
 */
const RecordingData = (() => {
    // MARK: Values

    /** A number whose literal JavaScript would change: `1.50`, `18446744073709551615`, `-0.0`. */
    class Exact {
        constructor(text) {
            this.text = text;
            Object.freeze(this);
        }

        toString() {
            return this.text;
        }
    }

    /** Data, which JSON has as `{"$data": "base64"}`. */
    class Bytes {
        constructor(base64) {
            this.base64 = base64;
            Object.freeze(this);
        }

        /** The number of bytes. */
        get length() {
            const padding = this.base64.endsWith('==') ? 2 : this.base64.endsWith('=') ? 1 : 0;
            return (this.base64.length / 4) * 3 - padding;
        }

        get bytes() {
            return bytesOfBase64(this.base64);
        }

        static of(bytes) {
            const parts = [];
            for (let at = 0; at < bytes.length; at += 0x6000) {
                parts.push(btoa(String.fromCharCode.apply(null, bytes.subarray(at, at + 0x6000))));
            }
            return new Bytes(parts.join(''));
        }
    }

    function bytesOfBase64(base64) {
        const binary = atob(base64);
        const bytes = new Uint8Array(binary.length);
        for (let index = 0; index < bytes.length; index += 1) bytes[index] = binary.charCodeAt(index);
        return bytes;
    }

    const isContainer = (value) => Array.isArray(value) || value instanceof Map;
    const sizeOf = (value) => (Array.isArray(value) ? value.length : value instanceof Map ? value.size : 0);

    /** Whether both have the same JSON text: with the order of members, and the digits of numbers. */
    function isSame(left, right) {
        if (left === right) return true;
        if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
        if (Array.isArray(left)) {
            if (!Array.isArray(right) || left.length !== right.length) return false;
            for (let index = 0; index < left.length; index += 1) if (!isSame(left[index], right[index])) return false;
            return true;
        }
        if (left instanceof Map) {
            if (!(right instanceof Map) || left.size !== right.size) return false;
            const others = right.entries();
            for (const [key, value] of left) {
                const [otherKey, otherValue] = others.next().value;
                if (key !== otherKey || !isSame(value, otherValue)) return false;
            }
            return true;
        }
        if (left instanceof Exact) return right instanceof Exact && left.text === right.text;
        return left instanceof Bytes && right instanceof Bytes && left.base64 === right.base64;
    }

    // MARK: Writing JSON

    // Characters that could control a terminal, or reorder or break a line, are escaped as the tool does.
    const toEscape =
        // eslint-disable-next-line no-control-regex
        /[\u0000-\u001f"\\\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
    const shortEscapes = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r', '\b': '\\b', '\f': '\\f' };

    function escapeInJSON(text) {
        return text.replace(
            toEscape,
            (character) => shortEscapes[character] ?? '\\u' + character.charCodeAt(0).toString(16).padStart(4, '0'),
        );
    }

    /** A decimal as people write it: `20` for `2e1`. */
    function plainNumber(literal) {
        const match = /^(-?)(\d+)e(\d{1,2})$/.exec(literal);
        if (!match || Number(match[3]) > 30) return literal;
        return /^0+$/.test(match[2]) ? '0' : match[1] + match[2] + '0'.repeat(Number(match[3]));
    }

    const isReservedKey = (key) => /^\$+data$/.test(key);

    /**
     * The JSON text, exactly as the tool writes it.
     *
     * `indent`: the spaces a level, for lines as `jump` prints them; 0 for one line, as `jump --json` prints it.
     * `plain`: decimals without exponent, as `jump` prints them (default: if there is an indent).
     */
    function textOf(value, { indent = 0, plain = indent > 0 } = {}) {
        const parts = [];
        const write = (value, level) => {
            if (typeof value === 'string') {
                parts.push('"', escapeInJSON(value), '"');
            } else if (value instanceof Exact || typeof value === 'number') {
                parts.push(plain ? plainNumber(String(value)) : String(value));
            } else if (value instanceof Bytes) {
                parts.push('{"$data":"', value.base64, '"}');
            } else if (Array.isArray(value) || value instanceof Map) {
                const isArray = Array.isArray(value);
                parts.push(isArray ? '[' : '{');
                let isFirst = true;
                const next = () => {
                    if (!isFirst) parts.push(',');
                    isFirst = false;
                    if (indent > 0) parts.push('\n', ' '.repeat(indent * (level + 1)));
                };
                if (isArray) {
                    for (const element of value) {
                        next();
                        write(element, level + 1);
                    }
                } else {
                    for (const [key, member] of value) {
                        next();
                        const written = value.size === 1 && isReservedKey(key) ? '$' + key : key;
                        parts.push('"', escapeInJSON(written), indent > 0 ? '": ' : '":');
                        write(member, level + 1);
                    }
                }
                if (!isFirst && indent > 0) parts.push('\n', ' '.repeat(indent * level));
                parts.push(isArray ? ']' : '}');
            } else {
                parts.push(value === undefined ? 'null' : String(value));
            }
        };
        write(value, 0);
        return parts.join('');
    }

    // MARK: Reading JSON

    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

    /** Reads JSON from bytes, which are what the tool wrote: without spaces, and valid. */
    class Parser {
        constructor(bytes, end = bytes.length) {
            this.bytes = bytes;
            this.end = end;
            this.at = 0;
            // Short strings that were read: keys, above all.
            this.recent = new Array(2048);
        }

        fail(what) {
            throw new Error(`expected ${what} at byte ${this.at} of the recording`);
        }

        value() {
            switch (this.bytes[this.at]) {
                case 0x7b:
                    return this.object();
                case 0x5b:
                    return this.array();
                case 0x22:
                    return this.string();
                case 0x74:
                    this.at += 4;
                    return true;
                case 0x66:
                    this.at += 5;
                    return false;
                case 0x6e:
                    this.at += 4;
                    return null;
                default:
                    return this.number();
            }
        }

        array() {
            const elements = [];
            this.at += 1;
            if (this.bytes[this.at] === 0x5d) {
                this.at += 1;
                return elements;
            }
            for (;;) {
                elements.push(this.value());
                const byte = this.bytes[this.at];
                this.at += 1;
                if (byte === 0x5d) return elements;
                if (byte !== 0x2c) this.fail('a comma');
            }
        }

        object() {
            const members = new Map();
            this.at += 1;
            if (this.bytes[this.at] === 0x7d) {
                this.at += 1;
                return members;
            }
            for (;;) {
                if (this.bytes[this.at] !== 0x22) this.fail('a key');
                const key = this.string();
                if (this.bytes[this.at] !== 0x3a) this.fail('a colon');
                this.at += 1;
                members.set(key, this.value());
                const byte = this.bytes[this.at];
                this.at += 1;
                if (byte === 0x7d) break;
                if (byte !== 0x2c) this.fail('a comma');
            }
            if (members.size > 1) return members;
            const [[key, value]] = members;
            if (!isReservedKey(key)) return members;
            return key === '$data' ? new Bytes(value) : new Map([[key.slice(1), value]]);
        }

        number() {
            const { bytes } = this;
            const start = this.at;
            let at = start;
            if (bytes[at] === 0x2d) at += 1;
            const digits = at;
            let value = 0;
            let byte = bytes[at];
            while (byte >= 0x30 && byte <= 0x39) {
                value = value * 10 + byte - 0x30;
                at += 1;
                byte = bytes[at];
            }
            if (at === digits) this.fail('a value');
            const isWhole = byte !== 0x2e && byte !== 0x65 && byte !== 0x45;
            if (isWhole && at - digits < 16 && (value > 0 || digits === start)) {
                this.at = at;
                return digits === start ? value : -value;
            }
            while ((byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2b || byte === 0x2d || (byte | 0x20) === 0x65) {
                at += 1;
                byte = bytes[at];
            }
            this.at = at;
            const literal = String.fromCharCode.apply(null, bytes.subarray(start, at));
            const number = Number(literal);
            return String(number) === literal ? number : new Exact(literal);
        }

        string() {
            const { bytes, end } = this;
            const start = this.at + 1;
            let at = start;
            let union = 0;
            let hash = 0;
            let byte = bytes[at];
            while (byte !== 0x22 && byte !== 0x5c) {
                if (at >= end) this.fail('the end of a string');
                union |= byte;
                hash = (Math.imul(hash, 31) + byte) | 0;
                at += 1;
                byte = bytes[at];
            }
            if (byte === 0x5c) return this.escapedString(start, at);
            this.at = at + 1;
            const length = at - start;
            if (union > 0x7f || length > 256) return decoder.decode(bytes.subarray(start, at));
            if (length > 24) return String.fromCharCode.apply(null, bytes.subarray(start, at));
            const slot = hash & 2047;
            const recent = this.recent[slot];
            if (recent !== undefined && recent.length === length) {
                let index = 0;
                while (index < length && recent.charCodeAt(index) === bytes[start + index]) index += 1;
                if (index === length) return recent;
            }
            const text = String.fromCharCode.apply(null, bytes.subarray(start, at));
            this.recent[slot] = text;
            return text;
        }

        escapedString(start, firstEscape) {
            const { bytes, end } = this;
            const parts = [];
            let run = start;
            let at = firstEscape;
            for (;;) {
                if (at >= end) this.fail('the end of a string');
                const byte = bytes[at];
                if (byte !== 0x22 && byte !== 0x5c) {
                    at += 1;
                    continue;
                }
                if (at > run) parts.push(decoder.decode(bytes.subarray(run, at)));
                if (byte === 0x22) break;
                const kind = String.fromCharCode(bytes[at + 1]);
                if (kind === 'u') {
                    parts.push(String.fromCharCode(parseInt(String.fromCharCode(...bytes.subarray(at + 2, at + 6)), 16)));
                    at += 6;
                } else {
                    parts.push({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[kind] ?? kind);
                    at += 2;
                }
                run = at;
            }
            this.at = at + 1;
            return parts.join('');
        }
    }

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
                // A number or a word.
                do at += 1;
                while (bytes[at] > 0x2c && bytes[at] !== 0x5d && bytes[at] !== 0x7d);
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

    // MARK: Paths

    /** The names of a JSON Pointer. */
    function partsOf(pointer) {
        if (pointer === '') return [];
        const names = pointer.slice(1).split('/');
        return pointer.includes('~') ? names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')) : names;
    }

    /** The JSON Pointer of names. */
    function pointerOf(parts) {
        let pointer = '';
        for (const part of parts) {
            const name = String(part);
            pointer += '/' + (/[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name);
        }
        return pointer;
    }

    /** The index that a name stands for, without leading zeros; -1 if it is none. */
    function indexOf(name) {
        const { length } = name;
        if (length === 0 || length > 15) return -1;
        let value = 0;
        for (let at = 0; at < length; at += 1) {
            const digit = name.charCodeAt(at) - 0x30;
            if (digit < 0 || digit > 9) return -1;
            value = value * 10 + digit;
        }
        return length > 1 && name.charCodeAt(0) === 0x30 ? -1 : value;
    }

    function childOf(value, name) {
        if (value instanceof Map) return value.get(name);
        if (!Array.isArray(value)) return undefined;
        const index = indexOf(name);
        return index < 0 ? undefined : value[index];
    }

    function valueAt(value, parts) {
        for (let depth = 0; depth < parts.length && value !== undefined; depth += 1) value = childOf(value, parts[depth]);
        return value;
    }

    const startsWith = (parts, prefix) => prefix.length <= parts.length && prefix.every((name, at) => parts[at] === name);

    // MARK: Applying patches

    class Mismatch extends Error {}

    /**
     * Makes changes in a state without changing what others hold: the first change of a container copies it, later ones
     * change the copy.
     */
    class Editor {
        constructor() {
            this.owned = new Set();
            /** The entries that were copied, for estimates of memory. */
            this.copied = 0;
        }

        own(container) {
            if (this.owned.has(container)) return container;
            const copy = Array.isArray(container) ? container.slice() : new Map(container);
            this.copied += 4 + sizeOf(container);
            this.owned.add(copy);
            return copy;
        }

        /** Returns the state with the value at a path changed by `body`. */
        change(root, parts, count, body) {
            if (count === 0) return body(root);
            // Look first, so that a mismatch leaves no trace.
            const place = this.find(root, parts, count);
            const value = body(place);
            const top = this.own(root);
            let node = top;
            for (let depth = 0; depth < count; depth += 1) {
                const name = parts[depth];
                const isArray = Array.isArray(node);
                let child = value;
                if (depth < count - 1) child = this.own(isArray ? node[indexOf(name)] : node.get(name));
                if (isArray) node[indexOf(name)] = child;
                else node.set(name, child);
                node = child;
            }
            return top;
        }

        find(root, parts, count) {
            let node = root;
            for (let depth = 0; depth < count; depth += 1) {
                node = childOf(node, parts[depth]);
                if (node === undefined) throw new Mismatch(`nothing is at ${pointerOf(parts.slice(0, depth + 1))}`);
            }
            return node;
        }

        /** Returns the state after an operation. `checks`: whether what it removes must be there. */
        apply(root, operation, checks = false) {
            const { op, parts } = operation;
            const verify = (found, old) => {
                if (checks && !isSame(found, old)) throw new Mismatch('another value is there');
            };
            switch (op) {
                case 'replace':
                    return this.change(root, parts, parts.length, (found) => {
                        verify(found, operation.old);
                        return operation.value;
                    });
                case 'splice':
                    return this.change(root, parts, parts.length, (found) => {
                        const { at, remove, insert } = operation;
                        if (!Array.isArray(found)) throw new Mismatch('no array is there');
                        if (at + remove.length > found.length) throw new Mismatch('the array is too short');
                        if (checks) remove.forEach((old, offset) => verify(found[at + offset], old));
                        if (insert.length > 1000) {
                            return found.slice(0, at).concat(insert, found.slice(at + remove.length));
                        }
                        const array = this.own(found);
                        array.splice(at, remove.length, ...insert);
                        return array;
                    });
                case 'edit':
                    return this.change(root, parts, parts.length, (found) => edited(found, operation, checks));
                default: {
                    const name = parts[parts.length - 1];
                    if (name === undefined) {
                        if (op === 'add' && root === undefined) return operation.value;
                        if (op === 'remove') return undefined;
                        throw new Mismatch('the whole state cannot be added');
                    }
                    return this.change(root, parts, parts.length - 1, (found) =>
                        op === 'add'
                            ? this.added(found, name, operation)
                            : this.removed(found, name, operation, verify),
                    );
                }
            }
        }

        added(found, name, { value, at }) {
            if (Array.isArray(found)) {
                const index = name === '-' ? found.length : indexOf(name);
                if (index < 0 || index > found.length) throw new Mismatch('there is no such index');
                const array = this.own(found);
                array.splice(index, 0, value);
                return array;
            }
            if (!(found instanceof Map)) throw new Mismatch('neither an object nor an array is there');
            if (found.has(name)) throw new Mismatch('there is such a member already');
            const place = at ?? sortedPlace(found, name);
            if (place > found.size) throw new Mismatch('the object has too few members');
            const map = this.own(found);
            insertMember(map, name, value, place);
            return map;
        }

        removed(found, name, { old }, verify) {
            const value = childOf(found, name);
            if (value === undefined) throw new Mismatch('there is no such member');
            verify(value, old);
            const container = this.own(found);
            if (Array.isArray(container)) container.splice(indexOf(name), 1);
            else container.delete(name);
            return container;
        }

        /** Applies an operation as far as it fits, for states that do not follow from one another. */
        applyLeniently(root, operation) {
            try {
                return this.apply(root, operation, true);
            } catch (error) {
                if (!(error instanceof Mismatch)) throw error;
                if (operation.op !== 'replace' || valueAt(root, operation.parts) === undefined) return root;
                return this.apply(root, operation);
            }
        }
    }

    function insertMember(map, name, value, place) {
        if (place >= map.size) {
            map.set(name, value);
            return;
        }
        const behind = [...map].slice(place);
        for (const [key] of behind) map.delete(key);
        map.set(name, value);
        for (const [key, member] of behind) map.set(key, member);
    }

    /** Orders strings by their scalars; `<` orders them by UTF-16. */
    function isBefore(left, right) {
        const length = Math.min(left.length, right.length);
        for (let at = 0; at < length; at += 1) {
            const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
            if (a === b) continue;
            const [isHalfA, isHalfB] = [(a & 0xf800) === 0xd800, (b & 0xf800) === 0xd800];
            return isHalfA === isHalfB ? a < b : isHalfB;
        }
        return left.length < right.length;
    }

    /** The place of a new member: among sorted ones its own, otherwise the last. */
    function sortedPlace(map, name) {
        let place = 0;
        let previous;
        for (const key of map.keys()) {
            if (previous !== undefined && !isBefore(previous, key)) return map.size;
            if (isBefore(key, name)) place += 1;
            previous = key;
        }
        return place;
    }

    /** The index in UTF-16 for an offset in UTF-8. */
    function unitIndex(text, offset) {
        let at = 0;
        let bytes = 0;
        while (bytes < offset && at < text.length) {
            const unit = text.charCodeAt(at);
            if (unit < 0x80) bytes += 1;
            else if (unit < 0x800) bytes += 2;
            else if ((unit & 0xfc00) === 0xd800) {
                bytes += 4;
                at += 1;
            } else bytes += 3;
            at += 1;
        }
        return bytes === offset ? at : -1;
    }

    function edited(found, { at, remove, insert }, checks) {
        if (typeof found === 'string' && typeof remove === 'string') {
            const start = unitIndex(found, at);
            if (start < 0 || (checks && !found.startsWith(remove, start))) throw new Mismatch('another text is there');
            return found.slice(0, start) + insert + found.slice(start + remove.length);
        }
        if (!(found instanceof Bytes) || !(remove instanceof Bytes)) throw new Mismatch('neither text nor data is there');
        const [old, gone, added] = [found.bytes, remove.bytes, insert.bytes];
        if (at + gone.length > old.length) throw new Mismatch('the data is too short');
        if (checks && gone.some((byte, index) => old[at + index] !== byte)) throw new Mismatch('other data is there');
        const bytes = new Uint8Array(old.length - gone.length + added.length);
        bytes.set(old.subarray(0, at));
        bytes.set(added, at);
        bytes.set(old.subarray(at + gone.length), at + added.length);
        return Bytes.of(bytes);
    }

    /** The operation that undoes another one. */
    function inverted(operation) {
        const { op, path, parts, at } = operation;
        switch (op) {
            case 'add':
                return { op: 'remove', path, parts, old: operation.value, at };
            case 'remove':
                return { op: 'add', path, parts, value: operation.old, at };
            case 'replace':
                return { op, path, parts, old: operation.value, value: operation.old };
            default:
                return { op, path, parts, at, remove: operation.insert, insert: operation.remove };
        }
    }

    /** The JSON text of a patch, as the tool writes it. */
    function patchText(operations) {
        const members = (operation) => {
            const object = new Map([
                ['op', operation.op],
                ['path', operation.path],
            ]);
            const hasPlace = operation.op === 'splice' || operation.op === 'edit';
            if (hasPlace) object.set('at', operation.at);
            for (const key of ['old', 'value', 'remove', 'insert']) {
                if (operation[key] !== undefined) object.set(key, operation[key]);
            }
            if (!hasPlace && operation.at !== undefined) object.set('at', operation.at);
            return object;
        };
        return textOf(operations.map(members));
    }

    // MARK: Finding changes

    const encoder = new TextEncoder();
    const hunk = (oldStart, oldEnd, newStart, newEnd) => ({ oldStart, oldEnd, newStart, newEnd });
    const isEmptyHunk = (hunk) => hunk.oldStart === hunk.oldEnd && hunk.newStart === hunk.newEnd;
    const movedHunk = (it, old, fresh) => hunk(it.oldStart + old, it.oldEnd + old, it.newStart + fresh, it.newEnd + fresh);

    /** The most insertions and removals that an alignment looks for. */
    const alignmentBound = 128;
    /** The elements that each edit must gain on a path that does not reach the end. */
    const editWorth = 16;

    function commonEnds(old, fresh, same) {
        const shorter = Math.min(old, fresh);
        let prefix = 0;
        while (prefix < shorter && same(prefix, prefix)) prefix += 1;
        let suffix = 0;
        while (suffix < shorter - prefix && same(old - suffix - 1, fresh - suffix - 1)) suffix += 1;
        return [prefix, suffix];
    }

    /** As the tool's `Alignment`: the runs of elements that differ. */
    function alignedHunks(old, fresh, same) {
        const [prefix, suffix] = commonEnds(old, fresh, same);
        const middle = hunk(prefix, old - suffix, prefix, fresh - suffix);
        if (isEmptyHunk(middle)) return [];
        if (middle.oldStart === middle.oldEnd || middle.newStart === middle.newEnd) return [middle];
        return pairwiseHunks(middle, same) ?? searchedHunks(middle, same);
    }

    function pairwiseHunks(middle, same) {
        const count = middle.oldEnd - middle.oldStart;
        if (count !== middle.newEnd - middle.newStart) return null;
        const shift = middle.newStart - middle.oldStart;
        let budget = Math.floor(count / 4);
        const hunks = [];
        for (let index = middle.oldStart; index < middle.oldEnd; index += 1) {
            if (same(index, index + shift)) continue;
            if (budget === 0) return null;
            budget -= 1;
            const last = hunks[hunks.length - 1];
            if (last?.oldEnd === index) {
                last.oldEnd += 1;
                last.newEnd += 1;
            } else {
                hunks.push(hunk(index, index + 1, index + shift, index + shift + 1));
            }
        }
        return hunks;
    }

    function searchedHunks(middle, same) {
        const front = myers(middle.oldEnd - middle.oldStart, middle.newEnd - middle.newStart, (old, fresh) =>
            same(middle.oldStart + old, middle.newStart + fresh),
        );
        const hunks = front.hunks.map((it) => movedHunk(it, middle.oldStart, middle.newStart));
        const rest = movedHunk(front.rest, middle.oldStart, middle.newStart);
        if (isEmptyHunk(rest)) return hunks;
        const { oldEnd, newEnd } = rest;
        const back = myers(rest.oldEnd - rest.oldStart, rest.newEnd - rest.newStart, (old, fresh) =>
            same(oldEnd - 1 - old, newEnd - 1 - fresh),
        );
        const behind = [back.rest, ...back.hunks.reverse()].filter((it) => !isEmptyHunk(it));
        return hunks.concat(
            behind.map((it) => hunk(oldEnd - it.oldEnd, oldEnd - it.oldStart, newEnd - it.newEnd, newEnd - it.newStart)),
        );
    }

    /** As the tool's `MyersDiff`: the hunks on the longest worthwhile path, and the rest behind it. */
    function myers(old, fresh, same) {
        const bound = Math.min(alignmentBound, old + fresh);
        const furthest = new Int32Array(2 * bound + 3);
        const rounds = [];
        const step = (diagonal, edits, furthest) => {
            if (diagonal === -edits || (diagonal !== edits && furthest(diagonal - 1) < furthest(diagonal + 1))) {
                return [furthest(diagonal + 1), true];
            }
            return [furthest(diagonal - 1) + 1, false];
        };
        const longestPath = () => {
            let best = { old: 0, diagonal: 0, edits: 0 };
            let bestGain = 0;
            for (let edits = 0; edits <= bound; edits += 1) {
                for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
                    let x = edits === 0 ? 0 : step(diagonal, edits, (at) => furthest[bound + 1 + at])[0];
                    while (x < old && x - diagonal < fresh && same(x, x - diagonal)) x += 1;
                    furthest[bound + 1 + diagonal] = x;
                    rounds.push(x);
                    const y = x - diagonal;
                    if (x > old || y > fresh) continue;
                    const point = { old: x, diagonal, edits };
                    if (x === old && y === fresh) return point;
                    const gain = x + y - edits * editWorth;
                    if (gain > bestGain) [best, bestGain] = [point, gain];
                }
            }
            return best;
        };
        const point = longestPath();
        const hunks = [];
        let here = point;
        let end = point;
        const close = () => {
            const it = hunk(here.old, end.old, here.old - here.diagonal, end.old - end.diagonal);
            if (!isEmptyHunk(it)) hunks.push(it);
        };
        while (here.edits > 0) {
            const before = here.edits - 1;
            const [start, isInsertion] = step(
                here.diagonal,
                here.edits,
                (diagonal) => rounds[(before * (before + 1)) / 2 + (diagonal + before) / 2],
            );
            if (start < here.old) {
                close();
                end = { old: start, diagonal: here.diagonal };
            }
            here = {
                old: isInsertion ? start : start - 1,
                diagonal: here.diagonal + (isInsertion ? 1 : -1),
                edits: before,
            };
        }
        close();
        return { hunks: hunks.reverse(), rest: hunk(point.old, old, point.old - point.diagonal, fresh) };
    }

    /** What each byte adds to the window that decides where a long line is cut. */
    const windowSteps = Uint16Array.from({ length: 256 }, (_, byte) =>
        Number(((BigInt(byte) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn) >> 48n),
    );

    /** As the tool's `TextChunks`: the bounds of lines and of chunks of long lines. */
    function chunkBounds(text, start, end, isText) {
        const bounds = [start];
        let window = 0;
        let from = start;
        for (let at = start; at < end; at += 1) {
            const byte = text[at];
            window = ((window << 1) + windowSteps[byte]) & 0xffff;
            const isEnd = byte === 0x0a || (at - from >= 64 && (window & 0xfc00) === 0) || at + 1 === end;
            const isWhole = !isText || at + 1 === end || (text[at + 1] & 0xc0) !== 0x80;
            if (isEnd && isWhole) {
                bounds.push(at + 1);
                from = at + 1;
            }
        }
        return bounds;
    }

    function hasSameBytes(left, leftStart, leftEnd, right, rightStart, rightEnd) {
        if (leftEnd - leftStart !== rightEnd - rightStart) return false;
        for (let offset = leftEnd - leftStart - 1; offset >= 0; offset -= 1) {
            if (left[leftStart + offset] !== right[rightStart + offset]) return false;
        }
        return true;
    }

    /** An edit without the common ends of both sides; `null` if nothing is left. */
    function trimmedEdit(edit, old, fresh, isText) {
        const inside = (bytes, at, end) => at < end && (bytes[at] & 0xc0) === 0x80;
        const [left, right] = [edit.oldEnd - edit.oldStart, edit.newEnd - edit.newStart];
        const shorter = Math.min(left, right);
        let prefix = 0;
        while (prefix < shorter && old[edit.oldStart + prefix] === fresh[edit.newStart + prefix]) prefix += 1;
        if (prefix === left && prefix === right) return null;
        if (isText) {
            while (
                prefix > 0 &&
                (inside(old, edit.oldStart + prefix, edit.oldEnd) || inside(fresh, edit.newStart + prefix, edit.newEnd))
            ) {
                prefix -= 1;
            }
        }
        let suffix = 0;
        while (suffix < shorter - prefix && old[edit.oldEnd - suffix - 1] === fresh[edit.newEnd - suffix - 1]) suffix += 1;
        if (isText) while (suffix > 0 && inside(old, edit.oldEnd - suffix, edit.oldEnd)) suffix -= 1;
        return hunk(edit.oldStart + prefix, edit.oldEnd - suffix, edit.newStart + prefix, edit.newEnd - suffix);
    }

    /** As the tool's `TextEdit.edits`. */
    function textEdits(old, fresh, isText) {
        const whole = trimmedEdit(hunk(0, old.length, 0, fresh.length), old, fresh, isText);
        if (!whole) return [];
        if (Math.min(whole.oldEnd - whole.oldStart, whole.newEnd - whole.newStart) < 256) return [whole];
        const left = chunkBounds(old, whole.oldStart, whole.oldEnd, isText);
        const right = chunkBounds(fresh, whole.newStart, whole.newEnd, isText);
        const hunks = alignedHunks(left.length - 1, right.length - 1, (i, j) =>
            hasSameBytes(old, left[i], left[i + 1], fresh, right[j], right[j + 1]),
        );
        const edits = [];
        for (const it of hunks) {
            const bytes = hunk(left[it.oldStart], left[it.oldEnd], right[it.newStart], right[it.newEnd]);
            const edit = trimmedEdit(bytes, old, fresh, isText);
            if (!edit) continue;
            const last = edits[edits.length - 1];
            if (last && edit.oldStart - last.oldEnd < 32) {
                last.oldEnd = edit.oldEnd;
                last.newEnd = edit.newEnd;
            } else {
                edits.push(edit);
            }
        }
        return edits;
    }

    const editLength = '{"op":"edit","path":"","at":1000,"remove":"","insert":""},'.length;
    const replaceLength = '{"op":"replace","path":"","old":"","value":""},'.length;

    /** As the tool's `Patch(from:to:)`: the operations that lead from one value to another. */
    class Difference {
        constructor() {
            this.operations = [];
            this.path = [];
        }

        add(operation, parts = this.path.slice()) {
            this.operations.push({ ...operation, path: pointerOf(parts), parts });
        }

        compare(old, fresh) {
            if (old === fresh) return;
            if (typeof old === 'string' && typeof fresh === 'string') {
                if (old.length <= 32 && fresh.length <= 32) {
                    const [left, right] = [encoder.encode(old), encoder.encode(fresh)];
                    if (left.length <= 32 && right.length <= 32) return this.replace(old, fresh);
                    return this.edit(old, fresh, left, right, (bytes) => decoder.decode(bytes));
                }
                this.edit(old, fresh, encoder.encode(old), encoder.encode(fresh), (bytes) => decoder.decode(bytes));
            } else if (old instanceof Bytes && fresh instanceof Bytes) {
                if (old.base64 === fresh.base64) return;
                const [left, right] = [old.bytes, fresh.bytes];
                if (left.length <= 32 && right.length <= 32) return this.replace(old, fresh);
                this.edit(old, fresh, left, right, Bytes.of);
            } else if (Array.isArray(old) && Array.isArray(fresh)) {
                this.compareArrays(old, fresh);
            } else if (old instanceof Map && fresh instanceof Map) {
                if (!this.compareObjects(old, fresh)) this.replace(old, fresh);
            } else if (!isSame(old, fresh)) {
                this.replace(old, fresh);
            }
        }

        compareAt(name, old, fresh) {
            if (old === fresh) return;
            this.path.push(String(name));
            this.compare(old, fresh);
            this.path.pop();
        }

        replace(old, fresh) {
            this.add({ op: 'replace', old, value: fresh });
        }

        edit(old, fresh, left, right, value) {
            const edits = textEdits(left, right, typeof old === 'string');
            const pathLength = this.path.reduce((sum, name) => sum + encoder.encode(name).length + 1, 0);
            let length = 0;
            for (const it of edits) length += editLength + pathLength + it.oldEnd - it.oldStart + it.newEnd - it.newStart;
            if (length >= replaceLength + pathLength + left.length + right.length) return this.replace(old, fresh);
            for (const it of edits) {
                this.add({
                    op: 'edit',
                    at: it.newStart,
                    remove: value(left.subarray(it.oldStart, it.oldEnd)),
                    insert: value(right.subarray(it.newStart, it.newEnd)),
                });
            }
        }

        compareArrays(old, fresh) {
            if (old.length === 1 && fresh.length === 1) return this.compareAt(0, old[0], fresh[0]);
            for (const it of arrayHunks(old, fresh)) {
                if (it.oldEnd - it.oldStart === it.newEnd - it.newStart) {
                    for (let offset = 0; offset < it.oldEnd - it.oldStart; offset += 1) {
                        this.compareAt(it.newStart + offset, old[it.oldStart + offset], fresh[it.newStart + offset]);
                    }
                } else {
                    const [remove, insert] = [old.slice(it.oldStart, it.oldEnd), fresh.slice(it.newStart, it.newEnd)];
                    this.add({ op: 'splice', at: it.newStart, remove, insert });
                }
            }
        }

        /** Returns `false` if the objects share no key, or share keys in another order. */
        compareObjects(old, fresh) {
            if (old.size === fresh.size) {
                const keys = fresh.keys();
                let isAligned = true;
                for (const key of old.keys()) {
                    if (key !== keys.next().value) {
                        isAligned = false;
                        break;
                    }
                }
                if (isAligned) {
                    for (const [key, value] of old) this.compareAt(key, value, fresh.get(key));
                    return true;
                }
            }
            const places = new Map();
            for (const key of old.keys()) places.set(key, places.size);
            let last = -1;
            let common = 0;
            for (const key of fresh.keys()) {
                const place = places.get(key);
                if (place === undefined) continue;
                if (place < last) return false;
                last = place;
                common += 1;
            }
            if (common === 0) return false;
            const members = [...old];
            for (let at = members.length - 1; at >= 0; at -= 1) {
                const [key, value] = members[at];
                if (!fresh.has(key)) this.add({ op: 'remove', old: value, at }, [...this.path, key]);
            }
            let place = 0;
            for (const [key, value] of fresh) {
                if (!old.has(key)) {
                    this.add({ op: 'add', value, at: Math.min(place, common) }, [...this.path, key]);
                    common += 1;
                }
                place += 1;
            }
            for (const [key, value] of fresh) if (old.has(key)) this.compareAt(key, old.get(key), value);
            return true;
        }
    }

    function arrayHunks(old, fresh) {
        const [prefix, suffix] = commonEnds(old.length, fresh.length, (i, j) => isSame(old[i], fresh[j]));
        const [oldCount, newCount] = [old.length - suffix - prefix, fresh.length - suffix - prefix];
        if (oldCount === 0 && newCount === 0) return [];
        if (oldCount === 0 || newCount === 0 || (oldCount === 1 && newCount === 1)) {
            return [hunk(prefix, prefix + oldCount, prefix, prefix + newCount)];
        }
        return alignedHunks(oldCount, newCount, (i, j) => isSame(old[prefix + i], fresh[prefix + j])).map((it) =>
            movedHunk(it, prefix, prefix),
        );
    }

    /** The operations that lead from one value to another; `undefined` is a missing value. */
    function differenceOf(old, fresh) {
        const difference = new Difference();
        if (old === undefined && fresh === undefined) return [];
        if (old === undefined) difference.add({ op: 'add', value: fresh });
        else if (fresh === undefined) difference.add({ op: 'remove', old });
        else difference.compare(old, fresh);
        return difference.operations;
    }

    // MARK: Columns

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
    };

    const kinds = { ADD: 0, REMOVE: 1, REPLACE: 2, SPLICE: 3, EDIT: 4 };
    const kindNames = ['add', 'remove', 'replace', 'splice', 'edit'];

    /** Half of a key of a position: more reducers than any app has. */
    const mostReducers = 65536;
    /** The time between two looks at the clock, in rows; and the time that belongs to the page at a time. */
    const rowsBetweenLooks = 512;
    const sliceMilliseconds = 24;

    const nextTurn = (() => {
        if (typeof MessageChannel === 'undefined') return () => new Promise((resolve) => setTimeout(resolve));
        const waiting = [];
        const channel = new MessageChannel();
        channel.port1.onmessage = () => waiting.shift()?.();
        // Lets a test in node end.
        channel.port1.unref?.();
        return () =>
            new Promise((resolve) => {
                waiting.push(resolve);
                channel.port1.ref?.();
                channel.port2.postMessage(null);
            }).then(() => channel.port1.unref?.());
    })();

    const nameOf = (name) => (typeof name === 'string' ? name : textOf(name));

    class RecordingData {
        // MARK: Reading

        /**
         * Reads a recording from a stream of its text's bytes.
         *
         * `bytes`: the length of the text, if it is known. `first`: the number of the state at the start; by default
         * what the recording says. `progress(fraction)` is called now and then.
         */
        static async read(stream, { bytes = 0, first, progress } = {}) {
            const data = new RecordingData(bytes, first);
            const reader = stream.getReader();
            let turn = performance.now();
            for (;;) {
                const { done, value } = await reader.read();
                if (done) break;
                data.append(value);
                while (!data.scan()) {
                    if (performance.now() - turn < sliceMilliseconds) continue;
                    progress?.(bytes > 0 ? Math.min(1, data.scanned / bytes) : 0);
                    await nextTurn();
                    turn = performance.now();
                }
            }
            data.finish();
            progress?.(1);
            return data;
        }

        /**
         * The stream of the bytes that a page embeds as base64, deflated in the zlib format or not.
         *
         * `encoding`: `deflate` or `none`.
         */
        static stream(base64, encoding) {
            const slice = 1 << 20;
            let at = 0;
            const source = new ReadableStream({
                pull(controller) {
                    if (at >= base64.length) return controller.close();
                    controller.enqueue(bytesOfBase64(base64.slice(at, at + slice)));
                    at += slice;
                },
            });
            return encoding === 'deflate' ? source.pipeThrough(new DecompressionStream('deflate')) : source;
        }

        constructor(bytes, first) {
            this.givenFirst = first;
            this.text = new Uint8Array(Math.max(1 << 16, bytes));
            /** The bytes that were appended, and those that were scanned. */
            this.length = 0;
            this.scanned = 0;
            this.head = null;
            this.first = first ?? 0;
            this.count = 0;
            this.notes = [];
            /** What a limit dropped before the first action, if the recording has a line for it. */
            this.dropped = null;
            this.isEnded = false;

            this.rowStart = new Column(Uint32Array);
            this.rowType = new Column(Uint32Array);
            this.rowTime = new Column(Float64Array);
            this.rowDuration = new Column(Float64Array);
            this.rowFlags = new Column(Uint16Array);
            /** The first operation of each row; one more at the end. */
            this.rowOperation = new Column(Uint32Array);
            this.rowOperation.push(0);
            /** The offset in the row's line behind its type and payload. */
            this.rowContent = new Column(Uint32Array);
            this.operationPath = new Column(Uint32Array);
            this.operationStart = new Column(Uint32Array);
            this.operationReducer = new Column(Uint16Array);
            this.operationKind = new Column(Uint8Array);
            this.typeNames = new Names();
            this.pathNames = new Names();
            this.pathCache = [];
            this.partsCache = [];
            this.labels = new Map();
            /** The offsets of the whole states that follow rows. */
            this.wholes = new Map();
            this.hasEdits = false;
            this.longestRow = 0;

            this.parser = new Parser(this.text, 0);
            /** The state after the last row that was scanned; `undefined` if it is not known. */
            this.tip = undefined;
            this.tipEditor = new Editor();
            /** The last state that is known. */
            this.lastKnown = undefined;
            this.isLost = false;
            this.wasDoubtful = false;
            /** `[{row, state}]`, by row. -1 is the start. */
            this.keyframes = [];
            this.keyframeInterval = 256;
            this.sinceKeyframe = { rows: 0, bytes: 0 };
            this.keyframeWeight = 0;
            this.recentStates = new Map();
        }

        /** Appends bytes of the text. Also for a recording that grows: call `scan()` afterwards until it returns `true`. */
        append(bytes) {
            const length = this.length + bytes.length;
            if (length > this.text.length) {
                const longer = new Uint8Array(Math.max(length, Math.ceil(this.text.length * 1.5)));
                longer.set(this.text.subarray(0, this.length));
                this.text = longer;
                this.parser.bytes = longer;
            }
            this.text.set(bytes, this.length);
            this.length = length;
            this.parser.end = length;
            // A search for the end of a line must not go on into what is empty.
            this.filled = this.text.subarray(0, length);
        }

        /** Scans a slice of the lines that were appended. Returns whether none is left. */
        scan() {
            for (let row = 0; row < rowsBetweenLooks; row += 1) {
                const end = this.filled.indexOf(0x0a, this.scanned);
                if (end < 0) return true;
                this.scanLine(this.scanned, end);
                this.scanned = end + 1;
            }
            return false;
        }

        finish() {
            if (this.scanned < this.length) this.scanLine(this.scanned, this.length);
            this.scanned = this.length;
            if (!this.head) throw new Error('the page has no recording');
        }

        scanLine(start, end) {
            const { text } = this;
            if (text[end - 1] === 0x0d) end -= 1;
            if (end - start < 2) return;
            switch (text[start + 2]) {
                case 0x61: // action
                    return this.scanAction(start, end);
                case 0x73: // state
                    return this.scanState(start);
                case 0x6e: // note
                    return this.scanNote(start);
                case 0x65: // end
                    this.isEnded = true;
                    return;
                default:
                    if (!this.head) return this.scanHead(start);
                    throw new Error(`a line of the recording cannot be read, at byte ${start}`);
            }
        }

        parse(at) {
            this.parser.at = at;
            return this.parser.value();
        }

        scanHead(start) {
            if (this.text[start] === 0xef) start += 3;
            const members = this.parse(start);
            if (members.get('hindsight') !== 'recording') throw new Error('the page has no recording');
            const facts = {};
            for (const [key, value] of members.get('facts') ?? []) facts[key] = plain(value);
            const created = String(members.get('created'));
            this.head = {
                app: members.get('app'),
                version: members.get('version'),
                platform: members.get('platform'),
                created: timeText(created),
                facts,
                reducers: (members.get('reducers') ?? []).map(nameOf),
                format: members.get('format'),
            };
            this.created = splitTime(created);
            const counts = new Map();
            for (const name of this.head.reducers) counts.set(name, (counts.get(name) ?? 0) + 1);
            this.head.reducers.forEach((name, at) => {
                this.labels.set(counts.get(name) === 1 && !name.startsWith('#') ? name : `#${at + 1}`, at + 1);
            });
            this.reducerLabels = new Names();
            this.labelNumbers = [];
            this.start = Number(members.get('start') ?? 0);
            this.first = this.givenFirst ?? this.start;
            this.tip = members.get('state');
            this.lastKnown = this.tip;
            this.keyframes.push({ row: -1, state: this.tip });
        }

        scanNote(start) {
            const members = this.parse(start);
            this.notes.push({
                name: members.get('note') ?? null,
                text: members.get('text') ?? null,
                number: this.first + this.count,
                reducer: members.get('reducer') ?? null,
                at: timeText(String(members.get('at'))),
                time: this.sinceCreation(splitTime(String(members.get('at')))),
            });
            if (this.count > 0) this.rowFlags.values[this.count - 1] |= flags.NOTE;
        }

        /** The whole state after the last action. */
        scanState(start) {
            const offset = start + '{"state":'.length;
            this.wholes.set(this.count - 1, offset);
            this.tip = this.parse(offset);
            this.tipEditor = new Editor();
            this.wasDoubtful = false;
            if (this.count > 0) this.rowFlags.values[this.count - 1] |= flags.KNOWN | flags.WHOLE;
            this.keep();
        }

        scanAction(start, end) {
            const { text } = this;
            let at = start + '{"action":'.length;
            const typeStart = at;
            at = skipString(text, at);
            const typeEnd = at;
            let bits = 0;
            let time = 0;
            let duration = NaN;
            let content = at - start;
            let isDropped = false;
            const firstOperation = this.operationPath.length;
            while (text[at] === 0x2c) {
                const key = at + 2;
                at = skipString(text, at + 1) + 1;
                const length = at - 2 - key;
                const letter = text[key];
                if (letter === 0x70 && length === 7) {
                    if (text[key + 1] === 0x61) {
                        at = skipValue(text, at); // payload
                        content = at - start;
                    } else {
                        at = skipString(text, at); // problem
                        bits |= flags.PROBLEM;
                    }
                } else if (letter === 0x63) {
                    at = this.scanChanges(at); // changes
                } else if (letter === 0x61) {
                    const from = at; // at
                    at = skipValue(text, at);
                    time = this.sinceCreation(timeIn(text, from, at));
                } else if (letter === 0x74 && length === 5) {
                    at = text.indexOf(0x5d, at) + 1; // times
                    bits |= flags.EFFECT;
                } else if (letter === 0x74 || letter === 0x72) {
                    bits |= (letter === 0x74 ? flags.TRAVEL : flags.RUN) | flags.EFFECT; // travel, run
                    at = this.scanOperations(at, 0);
                } else {
                    const from = at;
                    at = skipValue(text, at);
                    if (letter === 0x64) {
                        if (length === 7) isDropped = true;
                        else if (text[key + 1] === 0x6f) bits |= flags.DOUBTFUL;
                        else duration = timeIn(text, from, at).whole;
                    } else if (letter === 0x73) bits |= flags.SKIPPED;
                    else if (letter === 0x70) bits |= flags.HAS_PARENT;
                }
            }
            if (text[at] !== 0x7d || at + 1 !== end) throw new Error(`a line of the recording cannot be read, at byte ${at}`);
            if (isDropped) {
                this.operationPath.length = firstOperation;
                this.operationStart.length = firstOperation;
                this.operationReducer.length = firstOperation;
                this.operationKind.length = firstOperation;
                this.dropped = start;
                return;
            }
            let hash = 0;
            for (let index = typeStart + 1; index < typeEnd - 1; index += 1) hash = (Math.imul(hash, 31) + text[index]) | 0;
            const type = this.typeNames.number(text, typeStart + 1, typeEnd - 1, hash);
            if (this.travelType === undefined && type === this.typeNames.size - 1 && this.nameAt(typeStart) === '@travel') {
                this.travelType = type;
            }
            if (type === this.travelType && content === typeEnd - start) bits |= flags.TRAVEL;
            if (Number.isNaN(duration)) bits |= flags.UNFINISHED;
            if (bits & flags.EFFECT && this.operationPath.length === firstOperation) bits |= flags.UNCHANGED;
            this.rowStart.push(start);
            this.rowType.push(type);
            this.rowTime.push(time);
            this.rowDuration.push(duration);
            this.rowFlags.push(bits);
            this.rowOperation.push(this.operationPath.length);
            this.rowContent.push(content);
            this.longestRow = Math.max(this.longestRow, end - start);
            this.count += 1;
            this.advance(end - start);
        }

        nameAt(quote) {
            this.parser.at = quote;
            return this.parser.string();
        }

        /** Scans `{"label":[operations],…}`. */
        scanChanges(at) {
            const { text } = this;
            at += 1;
            while (text[at] === 0x22) {
                const start = at;
                at = skipString(text, at);
                let hash = 0;
                for (let index = start + 1; index < at - 1; index += 1) hash = (Math.imul(hash, 31) + text[index]) | 0;
                const label = this.reducerLabels.number(text, start + 1, at - 1, hash);
                if (label === this.labelNumbers.length) this.labelNumbers.push(this.labels.get(this.nameAt(start)) ?? 0);
                at = this.scanOperations(at + 1, this.labelNumbers[label]);
                if (text[at] === 0x2c) at += 1;
            }
            return at + 1;
        }

        /** Scans `[{"op":…,"path":…,…},…]`. */
        scanOperations(at, reducer) {
            const { text } = this;
            at += 1;
            while (text[at] === 0x7b) {
                const start = at;
                const letter = text[at + 7];
                let kind = kinds.ADD;
                if (letter === 0x72) kind = text[at + 9] === 0x6d ? kinds.REMOVE : kinds.REPLACE;
                else if (letter === 0x73) kind = kinds.SPLICE;
                else if (letter === 0x65) {
                    kind = kinds.EDIT;
                    this.hasEdits = true;
                }
                at += 10;
                while (text[at] !== 0x22) at += 1;
                at += '","path":"'.length - 1;
                const path = at + 1;
                let hash = 0;
                at = path;
                for (;;) {
                    const byte = text[at];
                    if (byte === 0x22 || byte === undefined) break;
                    if (byte === 0x5c) {
                        hash = (Math.imul(hash, 31) + byte) | 0;
                        at += 1;
                    }
                    hash = (Math.imul(hash, 31) + text[at]) | 0;
                    at += 1;
                }
                this.operationPath.push(this.pathNames.number(text, path, at, hash));
                this.operationStart.push(start);
                this.operationReducer.push(reducer);
                this.operationKind.push(kind);
                at += 1;
                while (text[at] === 0x2c) at = skipValue(text, skipString(text, at + 1) + 1);
                at += 1;
                if (text[at] === 0x2c) at += 1;
            }
            return at + 1;
        }

        sinceCreation(time) {
            return (time.micros - this.created.micros) / 1000 + (time.rest - this.created.rest) / 1e6;
        }

        // MARK: States

        /** Takes the last row's changes into the state at the tip. */
        advance(size) {
            const row = this.count - 1;
            const bits = this.rowFlags.values[row];
            const isDoubtful = (bits & flags.DOUBTFUL) !== 0;
            if (!(bits & flags.EFFECT)) {
                if (!(bits & flags.SKIPPED)) this.isLost = true;
                this.tip = undefined;
            } else if (bits & flags.RUN && this.lastKnown !== undefined && !this.isLost) {
                // The changes of the run begin with the state before it.
                this.tip = this.lastKnown;
            }
            if (this.isLost || !(bits & flags.EFFECT)) return;
            if (this.tip === undefined) return;
            const before = this.tipEditor.copied;
            this.tip = this.applied(this.tip, row, -1, mostReducers, this.tipEditor, isDoubtful);
            this.lastKnown = this.tip;
            this.rowFlags.values[row] |= flags.KNOWN;
            const since = this.sinceKeyframe;
            since.rows += 1;
            since.bytes += size + (this.tipEditor.copied - before) * 8;
            if (isDoubtful || this.wasDoubtful) {
                // The states of doubtful rows do not follow from one another.
                this.keep();
            } else if (since.rows >= this.keyframeInterval || since.bytes > 4 << 20) {
                this.keep();
            }
            this.wasDoubtful = isDoubtful;
        }

        /** Keeps the state at the tip. */
        keep() {
            const row = this.count - 1;
            this.lastKnown = this.tip;
            if (this.keyframes[this.keyframes.length - 1]?.row === row) this.keyframes.pop();
            this.keyframes.push({ row, state: this.tip });
            this.keyframeWeight += this.tipEditor.copied * 32 + this.sinceKeyframe.bytes;
            this.tipEditor = new Editor();
            this.sinceKeyframe = { rows: 0, bytes: 0 };
            if (this.keyframeWeight < 192 << 20) return;
            // Too much memory: keep every other one.
            this.keyframes = this.keyframes.filter(({ row }, at) => at % 2 === 0 || this.isBarrier(row));
            this.keyframeInterval = Math.min(1 << 16, this.keyframeInterval * 2);
            this.keyframeWeight /= 2;
        }

        /** Whether a state cannot be computed from the one before. */
        isBarrier(row) {
            return row < 0 || (this.rowFlags.values[row] & (flags.WHOLE | flags.DOUBTFUL)) !== 0;
        }

        /** Applies the operations of a row's reducers after one and up to another. */
        applied(state, row, after, upTo, editor, isLenient) {
            const end = this.rowOperation.values[row + 1];
            for (let number = this.rowOperation.values[row]; number < end; number += 1) {
                const reducer = this.operationReducer.values[number];
                // Time travel and runs have one change without a reducer.
                if (Math.max(1, reducer) <= after || reducer > upTo) continue;
                const operation = this.operation(number, isLenient);
                state = isLenient ? editor.applyLeniently(state, operation) : editor.apply(state, operation);
            }
            return state;
        }

        undone(state, row, downTo, from, editor) {
            const start = this.rowOperation.values[row];
            for (let number = this.rowOperation.values[row + 1] - 1; number >= start; number -= 1) {
                const reducer = Math.max(1, this.operationReducer.values[number]);
                if (reducer <= downTo || reducer > from) continue;
                state = editor.apply(state, inverted(this.operation(number)));
            }
            return state;
        }

        path(number) {
            return (this.pathCache[number] ??= this.nameAt(this.pathNames.starts.values[number] - 1));
        }

        parts(number) {
            return (this.partsCache[number] ??= partsOf(this.path(number)));
        }

        /** The operation with a number. `isWhole`: with what it replaces or removes. */
        operation(number, isWhole = true) {
            const { text, parser } = this;
            const path = this.operationPath.values[number];
            const kind = this.operationKind.values[number];
            const operation = { op: kindNames[kind], path: this.path(path), parts: this.parts(path) };
            // Behind `{"op":"…","path":"…"`
            const pathLength = this.pathNames.ends.values[path] - this.pathNames.starts.values[path];
            let at = this.operationStart.values[number] + 18 + operation.op.length + pathLength;
            while (text[at] === 0x2c) {
                const letter = text[at + 2];
                if (letter === 0x6f) {
                    parser.at = at + 7;
                    if (isWhole) operation.old = parser.value();
                    else parser.at = skipValue(text, parser.at);
                } else if (letter === 0x76) {
                    parser.at = at + 9;
                    operation.value = parser.value();
                } else if (letter === 0x61) {
                    parser.at = at + 6;
                    operation.at = parser.value();
                } else {
                    parser.at = at + 10;
                    operation[letter === 0x72 ? 'remove' : 'insert'] = parser.value();
                }
                at = parser.at;
            }
            return operation;
        }

        // MARK: Positions

        /** The number of the last action; that of the first state if there is none. */
        get last() {
            return this.first + this.count;
        }

        /** A position as `{row, reducer}`, where `row` -1 is the start; `null` outside of the recording. */
        place(position) {
            const number = typeof position === 'number' ? position : position.number;
            let reducer = (typeof position === 'number' ? null : position.reducer) ?? null;
            let row = number - this.first - 1;
            if (!Number.isInteger(row) || row < -1 || row >= this.count) return null;
            if (row === -1) return reducer === null ? { row, reducer } : null;
            if (reducer === 0) {
                row -= 1;
                reducer = null;
            }
            const bits = row < 0 ? 0 : this.rowFlags.values[row];
            if (reducer !== null && !(bits & flags.SKIPPED) && reducer >= this.stepCount(row) && !(bits & flags.WHOLE)) {
                reducer = null;
            }
            return { row, reducer };
        }

        stepCount(row) {
            return this.rowFlags.values[row] & flags.TRAVEL ? 1 : this.head.reducers.length;
        }

        /** Why the state at a position is not known, as a sentence; `null` if it is. */
        whyNot(position) {
            const place = this.place(position);
            if (!place) return `The recording has no such position: it goes from ${this.first} to ${this.last}.`;
            const { row, reducer } = place;
            if (row < 0) return this.lastKnown === undefined ? 'The recording has no state.' : null;
            const bits = this.rowFlags.values[row];
            if (bits & flags.SKIPPED) {
                if (reducer === null && bits & flags.KNOWN) return null;
                let [start, end] = [row, row];
                const isInRun = (other) => (this.rowFlags.values[other] & flags.SKIPPED) !== 0;
                while (start > 0 && isInRun(start - 1) && !(this.rowFlags.values[start - 1] & flags.KNOWN)) start -= 1;
                while (end + 1 < this.count && !(this.rowFlags.values[end] & flags.KNOWN) && isInRun(end + 1)) end += 1;
                const run = start === end ? 'the state' : `the states of actions ${this.first + 1 + start} to`;
                const of = start === end ? `after action ${this.first + 1 + row}` : `${this.first + 1 + end}`;
                return `The recorder was behind, and left out ${run} ${of}.`;
            }
            if (bits & flags.KNOWN) return null;
            const number = this.first + 1 + row;
            if (bits & flags.UNFINISHED) {
                return row === this.count - 1
                    ? `The process ended in action ${number}. The state after it is not known.`
                    : `Action ${number} never finished. The state after it is not known.`;
            }
            return `The recorder ended before it wrote the state after action ${number}.`;
        }

        /**
         * The state at a position; `undefined` if it is not known (see `whyNot`).
         *
         * Costs the changes since the nearest state that is kept.
         */
        state(position) {
            const place = this.place(position);
            if (!place || this.whyNot(position) !== null) return undefined;
            return this.stateAt(place.row, place.reducer ?? mostReducers - 1);
        }

        stateAt(row, reducer) {
            const key = row * mostReducers + reducer;
            const cached = this.recentStates.get(key);
            if (cached !== undefined) {
                this.recentStates.delete(key);
                this.recentStates.set(key, cached);
                return cached;
            }
            const state = this.computedState(row, reducer, key);
            this.recentStates.set(key, state);
            if (this.recentStates.size > 48) this.recentStates.delete(this.recentStates.keys().next().value);
            return state;
        }

        computedState(row, reducer, key) {
            // Keyframes are after whole actions.
            let [low, high] = [0, this.keyframes.length];
            while (low + 1 < high) {
                const middle = (low + high) >> 1;
                if (this.keyframes[middle].row * mostReducers + mostReducers - 1 <= key) low = middle;
                else high = middle;
            }
            let base = this.keyframes[low].row * mostReducers + mostReducers - 1;
            let { state } = this.keyframes[low];
            let later = Infinity;
            for (const other of this.recentStates.keys()) {
                if (other <= key && other > base) {
                    base = other;
                    state = this.recentStates.get(other);
                } else if (other > key && other < later) {
                    later = other;
                }
            }
            const editor = new Editor();
            const distance = Math.floor(key / mostReducers) - Math.floor(base / mostReducers);
            if (later < Infinity && Math.floor(later / mostReducers) - row < Math.min(distance, 64) + 1) {
                const undone = this.undoneState(this.recentStates.get(later), later, row, reducer, editor);
                if (undone !== undefined) return undone;
            }
            let at = Math.floor(base / mostReducers);
            let after = base - at * mostReducers;
            if (after === mostReducers - 1) {
                at += 1;
                after = -1;
            }
            for (; at <= row; at += 1) {
                const isDoubtful = (this.rowFlags.values[at] & flags.DOUBTFUL) !== 0;
                state = this.applied(state, at, after, at === row ? reducer : mostReducers, editor, isDoubtful);
                after = -1;
            }
            return state;
        }

        /** The state before one that is known, if nothing is in between that cannot be undone. */
        undoneState(state, later, row, reducer, editor) {
            const barriers = flags.WHOLE | flags.DOUBTFUL | flags.SKIPPED;
            const from = Math.floor(later / mostReducers);
            for (let at = from; at >= row; at -= 1) {
                if (at === row && reducer === mostReducers - 1) break;
                if (this.rowFlags.values[at] & barriers) return undefined;
                const upTo = at === from ? later - from * mostReducers : mostReducers;
                state = this.undone(state, at, at === row ? reducer : 0, upTo, editor);
            }
            return state;
        }

        /** The value at a JSON Pointer; `undefined` if there is none. */
        value(position, pointer) {
            return valueAt(this.state(position), partsOf(pointer));
        }

        // MARK: Actions

        get types() {
            return Array.from({ length: this.typeNames.size }, (_, number) => ({
                name: this.typeName(number),
                count: this.typeNames.counts.values[number],
            }));
        }

        typeName(number) {
            this.typeCache ??= [];
            return (this.typeCache[number] ??= this.nameAt(this.typeNames.starts.values[number] - 1));
        }

        /** The index in `types` of an action's type. */
        typeIndexOf(number) {
            return this.rowType.values[number - this.first - 1];
        }

        typeOf(number) {
            return this.typeName(this.typeIndexOf(number));
        }

        /** Milliseconds since the recording was created. */
        timeOf(number) {
            return this.rowTime.values[number - this.first - 1];
        }

        /** Nanoseconds; NaN if the action never finished. */
        durationOf(number) {
            return this.rowDuration.values[number - this.first - 1];
        }

        flagsOf(number) {
            return this.rowFlags.values[number - this.first - 1];
        }

        /** All that the recording says of an action. */
        row(number) {
            return this.parsedRow(this.rowStart.values[number - this.first - 1], number);
        }

        parsedRow(start, number) {
            const members = this.parse(start);
            const at = String(members.get('at'));
            const patches = (key) => (members.has(key) ? [{ reducer: null, index: 0, patch: patchOf(members.get(key)) }] : []);
            const changes = [...patches('travel'), ...patches('run')];
            for (const [label, patch] of members.get('changes') ?? []) {
                const index = this.labels.get(label) ?? 0;
                changes.push({ reducer: this.head.reducers[index - 1] ?? label, index, patch: patchOf(patch) });
            }
            const parent = members.get('parent');
            const duration = members.get('duration');
            const time = splitTime(at);
            return {
                number,
                type: members.get('action'),
                payload: members.get('payload'),
                at: timeText(at),
                time: this.sinceCreation(time),
                duration: duration === undefined ? NaN : Number(duration),
                times: (members.get('times') ?? []).map(Number),
                parent: parent === undefined ? null : number + Number(parent),
                origin: members.get('origin') ?? null,
                problem: members.get('problem') ?? null,
                doubtful: members.get('doubtful') ?? null,
                skipped: members.get('skipped') ?? false,
                travel: members.has('travel') || (members.get('action') === '@travel' && !members.has('payload')),
                changes,
            };
        }

        /** What each reducer of an action did, in order, also those that changed nothing. */
        steps(number) {
            const row = this.row(number);
            const byIndex = new Map(row.changes.map((change) => [change.index, change.patch]));
            if (byIndex.has(0)) {
                return [{ reducer: null, index: 0, changes: byIndex.get(0), duration: row.duration }];
            }
            return row.times.map((duration, at) => ({
                reducer: this.head.reducers[at] ?? null,
                index: at + 1,
                changes: byIndex.get(at + 1) ?? [],
                duration,
            }));
        }

        /** The paths that an action changed. */
        changedPaths(number) {
            const row = number - this.first - 1;
            const paths = new Set();
            for (let at = this.rowOperation.values[row]; at < this.rowOperation.values[row + 1]; at += 1) {
                paths.add(this.path(this.operationPath.values[at]));
            }
            return [...paths];
        }

        /**
         * The operations that lead from the state at one position to that at another, as `diff` finds them; at a path
         * if there is one. `null` if one of the states is not known.
         */
        changes(from, to, pointer = '') {
            const [old, fresh] = [this.state(from), this.state(to)];
            if (old === undefined || fresh === undefined) return null;
            const parts = partsOf(pointer);
            return differenceOf(valueAt(old, parts), valueAt(fresh, parts));
        }

        /** How the recording ended. */
        get ending() {
            const { facts } = this.head;
            if (facts.closed !== undefined) return { kind: 'closed', text: 'closed', number: null, reducer: null };
            const cause = this.crashCause();
            const end = (kind, text, number = null, reducer = null) => ({
                kind,
                text: cause ? `${text}; ${cause}` : text,
                number,
                reducer,
            });
            const { during, died } = facts;
            const crash = diedAt(died);
            if (crash) {
                // A cut keeps the numbers of its own rows.
                crash.number += this.first - this.start;
                const name = this.head.reducers[crash.reducer - 1];
                const place =
                    crash.reducer > 0
                        ? `reducer ${crash.reducer} of ${this.head.reducers.length} (${name ?? '?'})`
                        : 'outside its reducers';
                const text = `crashed in action ${crash.number}, ${place}; the state after it is not known`;
                return end('crashed', text, crash.number, crash.reducer || null);
            }
            if (typeof facts.stopped === 'string') {
                return end('open', `open: the recorder had to stop; all before that is here. ${facts.stopped}`);
            }
            if (facts.salvaged !== undefined) {
                return end('open', `open: this part was salvaged from a damaged recording, ${nameOf(facts.salvaged)}`);
            }
            const row = this.count - 1;
            if (row >= 0 && this.rowFlags.values[row] & flags.UNFINISHED) {
                const text = `crashed in action ${this.last}; the state after it is not known`;
                return end('crashed', text, this.last);
            }
            return end('open', openEnd(during));
        }

        crashCause() {
            const { signal, exited } = this.head.facts;
            if (signal && typeof signal === 'object' && typeof signal.name === 'string') return signal.name;
            if (typeof signal === 'string') return signal;
            return exited !== undefined ? 'it called exit' : null;
        }

        // MARK: Paths

        /** Tells, for the number of a path, whether a change there touches a pointer: at it, above it or inside it. */
        toucher(pointer) {
            const known = new Int8Array(this.pathNames.size).fill(-1);
            const below = pointer + '/';
            return (number) => {
                if (known[number] >= 0) return known[number] === 1;
                const path = this.path(number);
                let touches = path === pointer || path.startsWith(below) || pointer.startsWith(path + '/');
                if (!touches) {
                    // An element that is added or removed moves those behind it.
                    const slash = path.lastIndexOf('/');
                    const name = path.slice(slash + 1);
                    const isElement = name === '-' || indexOf(name) >= 0;
                    touches = isElement && pointer.startsWith(path.slice(0, slash + 1)) && this.isAddedOrRemoved(number);
                }
                known[number] = touches ? 1 : 0;
                return touches;
            };
        }

        /** Whether an operation adds or removes at the path with a number. */
        isAddedOrRemoved(number) {
            if (this.addedPaths?.operations !== this.operationPath.length) {
                const paths = new Uint8Array(this.pathNames.size);
                for (let at = 0; at < this.operationPath.length; at += 1) {
                    if (this.operationKind.values[at] <= kinds.REMOVE) paths[this.operationPath.values[at]] = 1;
                }
                this.addedPaths = { operations: this.operationPath.length, paths };
            }
            return this.addedPaths.paths[number] === 1;
        }

        /** Marks, for each row, whether it touches a pointer. */
        touchedRows(pointer) {
            const touches = this.toucher(pointer);
            const marks = new Uint8Array(this.count);
            const [paths, firsts] = [this.operationPath.values, this.rowOperation.values];
            for (let row = 0; row < this.count; row += 1) {
                for (let at = firsts[row]; at < firsts[row + 1]; at += 1) {
                    if (touches(paths[at])) {
                        marks[row] = 1;
                        break;
                    }
                }
            }
            const parts = partsOf(pointer);
            for (const [first, last] of this.unclearRuns) {
                if (marks[last]) continue;
                const { old, fresh } = this.aroundRun(first, last);
                if (!isSame(valueAt(old, parts), valueAt(fresh, parts))) marks[last] = 1;
            }
            return marks;
        }

        /**
         * The last rows of the runs whose changes are missing or doubtful, by their first rows. The states before and
         * after each run are known.
         */
        get unclearRuns() {
            if (this.runs?.count === this.count) return this.runs.byFirst;
            const byFirst = new Map();
            let first = -1;
            for (let row = 0; row < this.count; row += 1) {
                const bits = this.rowFlags.values[row];
                const isUnclear = (bits & (flags.DOUBTFUL | flags.SKIPPED)) !== 0 && !(bits & flags.RUN);
                if (isUnclear && first < 0) first = row;
                // Of a run whose changes are recorded, only the first actions look unclear.
                if (bits & flags.RUN) first = -1;
                const isEnd = row + 1 === this.count || !(this.rowFlags.values[row + 1] & (flags.DOUBTFUL | flags.SKIPPED));
                if (first >= 0 && (isEnd || bits & flags.WHOLE)) {
                    if (bits & flags.KNOWN) byFirst.set(first, row);
                    first = -1;
                }
            }
            this.runs = { count: this.count, byFirst, byLast: new Map([...byFirst].map(([first, last]) => [last, first])) };
            return byFirst;
        }

        /** The first row of the run of `unclearRuns` that ends with a row. */
        firstOfRun(row) {
            return this.unclearRuns.size > 0 ? this.runs.byLast.get(row) : undefined;
        }

        /** The states before and after a run of `unclearRuns`. */
        aroundRun(first, last) {
            return { old: this.stateAt(first - 1, mostReducers - 1), fresh: this.stateAt(last, mostReducers - 1) };
        }

        /** The numbers of the actions that changed what is at a pointer, inside it, or around it. */
        touching(pointer) {
            return this.numbersOf(this.touchedRows(pointer));
        }

        numbersOf(marks) {
            let count = 0;
            for (let row = 0; row < marks.length; row += 1) count += marks[row];
            const numbers = new Uint32Array(count);
            let at = 0;
            for (let row = 0; row < marks.length; row += 1) if (marks[row]) numbers[at++] = this.first + 1 + row;
            return numbers;
        }

        /**
         * Every change of what is at a pointer: `{number, reducer, index, old, new}`, where `reducer` is the name and
         * `index` its number (0: no single reducer), and `oneOf: [first, last]` are the actions of which one made the
         * change, if that is all that is known. A value that was written again unchanged is no change.
         *
         * Costs the changes that touch the pointer, and a state at each if elements of arrays around it come and go.
         */
        history(pointer) {
            const changes = [];
            for (const change of this.changesAt(pointer)) changes.push(change);
            return changes;
        }

        *changesAt(pointer) {
            const parts = partsOf(pointer);
            const touches = this.toucher(pointer);
            const marks = this.touchedRows(pointer);
            // Changes apply to the value alone unless elements of an array around it move: then to that array.
            const root = parts.slice(0, this.depthOfMoves(parts));
            const rest = parts.slice(root.length);
            const rootTouches = rest.length > 0 ? this.toucher(pointerOf(root)) : touches;
            const rootMarks = rest.length > 0 ? this.touchedRows(pointerOf(root)) : marks;
            let tracked = valueAt(this.keyframes[0].state, root);
            let editor = new Editor();
            let value = valueAt(tracked, rest);
            for (let row = 0; row < this.count; row += 1) {
                const last = this.unclearRuns.get(row);
                if (last !== undefined) {
                    tracked = valueAt(this.aroundRun(row, last).fresh, root);
                    editor = new Editor();
                    const fresh = valueAt(tracked, rest);
                    const [from, to] = [this.first + 1 + row, this.first + 1 + last];
                    if (!isSame(value, fresh)) {
                        yield { number: to, reducer: null, index: 0, old: value, new: fresh, oneOf: [from, to] };
                    }
                    value = fresh;
                    row = last;
                    continue;
                }
                if (!rootMarks[row]) continue;
                const bits = this.rowFlags.values[row];
                if (!(bits & flags.KNOWN)) continue;
                const number = this.first + 1 + row;
                const end = this.rowOperation.values[row + 1];
                let at = this.rowOperation.values[row];
                while (at < end) {
                    const reducer = this.operationReducer.values[at];
                    let isTouched = false;
                    for (; at < end && this.operationReducer.values[at] === reducer; at += 1) {
                        if (!rootTouches(this.operationPath.values[at])) continue;
                        tracked = this.tracked(tracked, root, this.operation(at), editor, bits & flags.DOUBTFUL);
                        isTouched = true;
                    }
                    if (!isTouched) continue;
                    const fresh = valueAt(tracked, rest);
                    if (!isSame(value, fresh)) {
                        const change = { number, reducer: this.head.reducers[reducer - 1] ?? null, index: reducer };
                        change.old = value;
                        change.new = fresh;
                        if (bits & flags.RUN) change.oneOf = this.runAround(row);
                        yield change;
                        // What was handed out must not change any more.
                        editor = new Editor();
                    }
                    value = fresh;
                }
            }
        }

        /** The first and the last action of the run of skipped ones that ends with a row. */
        runAround(row) {
            let first = row;
            while (
                first > 0 &&
                this.rowFlags.values[first - 1] & flags.SKIPPED &&
                !(this.rowFlags.values[first - 1] & flags.KNOWN)
            ) {
                first -= 1;
            }
            return [this.first + 1 + first, this.first + 1 + row];
        }

        /** The number of names that lead to the outermost container around a place whose elements come and go. */
        depthOfMoves(parts) {
            const containers = parts.map((_, depth) => pointerOf(parts.slice(0, depth)));
            let depth = parts.length;
            for (let number = 0; number < this.pathNames.size; number += 1) {
                const path = this.path(number);
                let at = containers.indexOf(path);
                if (at >= 0 && at < depth && this.isSpliced(number)) depth = at;
                const slash = path.lastIndexOf('/');
                if (slash < 0) continue;
                const name = path.slice(slash + 1);
                if (name !== '-' && indexOf(name) < 0) continue;
                at = containers.indexOf(path.slice(0, slash));
                if (at >= 0 && at < depth && this.isAddedOrRemoved(number)) depth = at;
            }
            return depth;
        }

        isSpliced(number) {
            if (this.splicedPaths?.operations !== this.operationPath.length) {
                const paths = new Uint8Array(this.pathNames.size);
                for (let at = 0; at < this.operationPath.length; at += 1) {
                    if (this.operationKind.values[at] === kinds.SPLICE) paths[this.operationPath.values[at]] = 1;
                }
                this.splicedPaths = { operations: this.operationPath.length, paths };
            }
            return this.splicedPaths.paths[number] === 1;
        }

        /** The value at a path after an operation on the state around it. */
        tracked(value, root, operation, editor, isLenient) {
            const { op, parts } = operation;
            if (startsWith(parts, root)) {
                const inner = parts.slice(root.length);
                if (inner.length === 0 && op === 'remove') return undefined;
                if (inner.length === 0 && (op === 'add' || op === 'replace')) return operation.value;
                if (value === undefined) return undefined;
                const local = { ...operation, parts: inner };
                try {
                    return isLenient ? editor.applyLeniently(value, local) : editor.apply(value, local);
                } catch (error) {
                    if (error instanceof Mismatch) return value;
                    throw error;
                }
            }
            if (!startsWith(root, parts)) return value;
            const inner = root.slice(parts.length);
            if (op === 'replace' || op === 'add') return valueAt(operation.value, inner);
            if (op === 'remove') return undefined;
            return value;
        }

        // MARK: Filters

        /**
         * The numbers of the actions that meet all conditions: `types` (a set of names), `text` (in the type or the
         * payload, in any case), `path` (they changed something there), `reducer` (a name or a number: it changed
         * something), `minDuration` (ns), `changed` (`true`: they changed something; `false`: nothing), `problems`
         * (`true`: they were not encoded, not finished, or their states are missing or doubtful).
         */
        async filter({ types, text, path, reducer, minDuration, changed, problems } = {}, { signal } = {}) {
            const marks = new Uint8Array(this.count).fill(1);
            const keep = (isKept) => {
                for (let row = 0; row < marks.length; row += 1) if (marks[row] && !isKept(row)) marks[row] = 0;
            };
            if (types && types.size >= 0) {
                const kept = Uint8Array.from({ length: this.typeNames.size }, (_, at) => (types.has(this.typeName(at)) ? 1 : 0));
                keep((row) => kept[this.rowType.values[row]] === 1);
            }
            if (minDuration > 0) keep((row) => this.rowDuration.values[row] >= minDuration);
            if (changed === true) keep((row) => !(this.rowFlags.values[row] & flags.UNCHANGED));
            if (changed === false) keep((row) => (this.rowFlags.values[row] & flags.UNCHANGED) !== 0);
            if (problems) {
                const bits = flags.PROBLEM | flags.UNFINISHED | flags.DOUBTFUL | flags.SKIPPED;
                keep((row) => (this.rowFlags.values[row] & bits) !== 0 || !(this.rowFlags.values[row] & flags.KNOWN));
            }
            if (reducer !== undefined && reducer !== null) {
                const wanted = new Set();
                this.head.reducers.forEach((name, at) => {
                    if (name === reducer || at + 1 === reducer) wanted.add(at + 1);
                });
                keep((row) => {
                    for (let at = this.rowOperation.values[row]; at < this.rowOperation.values[row + 1]; at += 1) {
                        if (wanted.has(this.operationReducer.values[at])) return true;
                    }
                    return false;
                });
            }
            if (path !== undefined && path !== null) {
                const touched = this.touchedRows(path);
                keep((row) => touched[row] === 1);
            }
            if (text) {
                const found = new Uint8Array(this.count);
                for await (const { row, offset } of this.rowsWith(text, { signal, isWithin: 'content' })) {
                    if (offset >= 0) found[row] = 1;
                }
                keep((row) => found[row] === 1);
            }
            return this.numbersOf(marks);
        }

        /** The rows whose text has a text, in any case; slice by slice, so that the page stays alive. */
        async *rowsWith(text, { signal, isWithin } = {}) {
            const needle = new RegExp(escapeInJSON(text).replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'giu');
            const headLength = '{"action":'.length;
            const payloadLength = ',"payload":'.length;
            let turn = performance.now();
            let first = 0;
            while (first < this.count) {
                if (performance.now() - turn > sliceMilliseconds) {
                    await nextTurn();
                    turn = performance.now();
                }
                if (signal?.aborted) return;
                const start = this.rowStart.values[first];
                let end = first + 1;
                while (end < this.count && this.rowStart.values[end] - start < 1 << 20) end += 1;
                const stop = end < this.count ? this.rowStart.values[end] : this.scanned;
                const slice = decoder.decode(this.text.subarray(start, stop));
                // If all is ASCII, indices are offsets. Otherwise lines are counted.
                const isASCII = slice.length === stop - start;
                let row = first;
                let line = 0;
                let next = -1;
                needle.lastIndex = 0;
                for (let match = needle.exec(slice); match; match = needle.exec(slice)) {
                    if (isASCII) {
                        while (row + 1 < end && this.rowStart.values[row + 1] - start <= match.index) row += 1;
                        line = this.rowStart.values[row] - start;
                    } else {
                        for (;;) {
                            if (next < 0) {
                                const feed = slice.indexOf('\n', line);
                                // Lines of notes and states belong to the row before.
                                next = feed < 0 ? slice.length : feed + 1;
                                while (next < slice.length && !slice.startsWith('{"action"', next)) {
                                    const other = slice.indexOf('\n', next);
                                    next = other < 0 ? slice.length : other + 1;
                                }
                            }
                            if (next > match.index || row + 1 >= end) break;
                            line = next;
                            row += 1;
                            next = -1;
                        }
                    }
                    const offset = match.index - line;
                    if (isWithin === 'content') {
                        const isIn = this.isInContent(row, offset, match[0].length, isASCII, slice, line, {
                            headLength,
                            payloadLength,
                        });
                        if (!isIn) continue;
                    }
                    yield { row, offset };
                    // One match a row is enough.
                    const feed = slice.indexOf('\n', match.index);
                    if (feed < 0) break;
                    needle.lastIndex = feed;
                }
                first = end;
            }
        }

        /** Whether a match lies in the type or the payload of a row. */
        isInContent(row, offset, length, isASCII, slice, line, { headLength, payloadLength }) {
            const typeEnd =
                headLength + 2 + (this.typeNames.ends.values[this.rowType.values[row]] - this.typeNames.starts.values[this.rowType.values[row]]);
            const content = this.rowContent.values[row];
            if (!isASCII) {
                // Offsets are in bytes.
                const bytes = encoder.encode(slice.slice(line, line + offset)).length;
                return bytes >= headLength && bytes + length <= content && !(bytes + length > typeEnd && bytes < typeEnd + payloadLength);
            }
            if (offset < headLength || offset + length > content) return false;
            return !(offset + length > typeEnd && offset < typeEnd + payloadLength);
        }

        // MARK: Search

        /**
         * Finds where a text or number appears, in the order of time: `{number, reducer, where, path, text, isName}`.
         *
         * `where` is `type` (the first action of each type whose name has the text), `payload`, or `state`: a value that
         * has the text after a reducer (`reducer`: its number) and did not have it before. The case does not count. A
         * number appears as the same number. `isName`: the text is in the name of a member.
         */
        async *search(text, { limit = 200, signal } = {}) {
            if (text === '') return;
            const pattern = new SearchPattern(text);
            let left = limit;
            const start = this.keyframes[0].state;
            for (const match of pattern.matches(start, [])) {
                yield { number: this.first, reducer: null, where: 'state', ...match };
                if ((left -= 1) <= 0) return;
            }
            const types = new Set();
            let turn = performance.now();
            for await (const row of this.candidateRows(text, signal)) {
                if (performance.now() - turn > sliceMilliseconds) {
                    await nextTurn();
                    turn = performance.now();
                }
                if (signal?.aborted) return;
                for (const match of this.rowMatches(row, pattern, types)) {
                    yield match;
                    if ((left -= 1) <= 0) return;
                }
            }
        }

        /** The rows whose text has a text, and those that edit texts. */
        async *candidateRows(text, signal) {
            let next = 0;
            const hasEdit = (row) => {
                for (let at = this.rowOperation.values[row]; at < this.rowOperation.values[row + 1]; at += 1) {
                    if (this.operationKind.values[at] === kinds.EDIT) return true;
                }
                return false;
            };
            for await (const { row } of this.rowsWith(text, { signal })) {
                for (; this.hasEdits && next < row; next += 1) if (hasEdit(next)) yield next;
                yield row;
                next = row + 1;
            }
            for (; this.hasEdits && next < this.count; next += 1) if (hasEdit(next)) yield next;
        }

        *rowMatches(row, pattern, types) {
            const number = this.first + 1 + row;
            const type = this.rowType.values[row];
            if (!types.has(type) && pattern.isIn(this.typeName(type))) {
                types.add(type);
                yield { number, reducer: null, where: 'type', path: '', text: this.typeName(type), isName: false };
            }
            const start = this.rowStart.values[row];
            const typeLength = this.typeNames.ends.values[type] - this.typeNames.starts.values[type];
            const payload = '{"action":""'.length + typeLength + ',"payload":'.length;
            if (this.rowContent.values[row] > payload) {
                for (const match of pattern.matches(this.parse(start + payload), [])) {
                    yield { number, reducer: null, where: 'payload', ...match };
                }
            }
            const end = this.rowOperation.values[row + 1];
            let at = this.rowOperation.values[row];
            while (at < end) {
                const reducer = this.operationReducer.values[at];
                const operations = [];
                for (; at < end && this.operationReducer.values[at] === reducer; at += 1) operations.push(this.operation(at));
                for (const match of this.newMatches(row, reducer, operations, pattern)) {
                    yield { number, reducer: reducer || null, where: 'state', ...match };
                }
            }
            const first = this.firstOfRun(row);
            if (first === undefined) return;
            const { old, fresh } = this.aroundRun(first, row);
            for (const match of this.newMatches(row, 0, differenceOf(old, fresh), pattern, () => old)) {
                yield { number, reducer: null, where: 'state', ...match };
            }
        }

        *newMatches(row, reducer, operations, pattern, before = () => this.stateBefore(row, reducer)) {
            const editedPaths = new Set();
            for (const operation of operations) {
                const { op, path, parts } = operation;
                if (op === 'add') {
                    const name = parts[parts.length - 1];
                    if (name !== undefined && indexOf(name) < 0 && pattern.isIn(name)) {
                        yield { path, text: name, isName: true };
                    }
                    yield* pattern.matches(operation.value, parts);
                } else if (op === 'replace') {
                    const known = new Set();
                    for (const match of pattern.matches(operation.old, parts)) known.add(`${match.isName} ${match.path}`);
                    for (const match of pattern.matches(operation.value, parts)) {
                        if (!known.has(`${match.isName} ${match.path}`)) yield match;
                    }
                } else if (op === 'splice') {
                    for (let offset = 0; offset < operation.insert.length; offset += 1) {
                        yield* pattern.matches(operation.insert[offset], [...parts, String(operation.at + offset)]);
                    }
                } else if (op === 'edit' && typeof operation.insert === 'string' && !editedPaths.has(path)) {
                    editedPaths.add(path);
                    const old = valueAt(before(), parts);
                    if (typeof old !== 'string' || pattern.isIn(old)) continue;
                    const editor = new Editor();
                    let fresh = old;
                    for (const edit of operations) {
                        if (edit.path === path && edit.op === 'edit') {
                            fresh = editor.applyLeniently(fresh, { ...edit, parts: [] });
                        }
                    }
                    if (pattern.isIn(fresh)) yield { path, text: fresh, isName: false };
                }
            }
        }

        /** The state before what a reducer did in a row. */
        stateBefore(row, reducer) {
            return reducer > 1 ? this.stateAt(row, reducer - 1) : this.stateAt(row - 1, mostReducers - 1);
        }

        // MARK: Blame

        /**
         * Who set what is at a pointer: `{number, reducer, index}`, or with `oneOf: [first, last]` if one of several
         * actions did; `null` if it is from the start, and `undefined` if nothing is there.
         *
         * Elements of arrays are followed through insertions, removals and moves, as `hindsight blame` does. Of a
         * container that is not empty, the last change inside counts.
         */
        blame(position, pointer) {
            const place = this.place(position);
            const state = this.state(position);
            let parts = partsOf(pointer);
            if (!place || valueAt(state, parts) === undefined) return undefined;
            const origin = (row, index) => ({
                number: this.first + 1 + row,
                reducer: this.head.reducers[index - 1] ?? null,
                index,
            });
            let { row } = place;
            for (const [first, last] of this.unclearRuns) {
                // Within an unclear run, only the state before it tells.
                if (first > row || last < row || (last === row && place.reducer === null)) continue;
                const old = this.stateAt(first - 1, mostReducers - 1);
                parts = undoFollowing(differenceOf(old, state), parts, () => old);
                if (parts === null) return { ...origin(row, 0), oneOf: [this.first + 1 + first, this.first + 1 + row] };
                row = first - 1;
            }
            let relation = new Relation(this, parts);
            for (; row >= 0; row -= 1) {
                const bits = this.rowFlags.values[row];
                const upTo = row === place.row ? (place.reducer ?? mostReducers) : mostReducers;
                const first = upTo === mostReducers ? this.firstOfRun(row) : undefined;
                if (first !== undefined) {
                    const { old, fresh } = this.aroundRun(first, row);
                    const undone = undoFollowing(differenceOf(old, fresh), parts, () => old);
                    if (undone === null) return { ...origin(row, 0), oneOf: [this.first + 1 + first, this.first + 1 + row] };
                    parts = undone;
                    relation = new Relation(this, parts);
                    row = first;
                    continue;
                }
                let end = this.rowOperation.values[row + 1];
                const start = this.rowOperation.values[row];
                while (end > start) {
                    const reducer = this.operationReducer.values[end - 1];
                    let from = end;
                    let isRelated = false;
                    let near = 0;
                    while (from > start && this.operationReducer.values[from - 1] === reducer) {
                        from -= 1;
                        const found = relation.of(from);
                        if (found === 1) isRelated = true;
                        else if (found === 2) near += 1;
                    }
                    if (Math.max(1, reducer) <= upTo && (isRelated || near > 1)) {
                        const operations = [];
                        for (let at = from; at < end; at += 1) operations.push(this.operation(at));
                        const undone = undoFollowing(operations, parts, () => this.stateBefore(row, reducer));
                        if (undone === null) {
                            const set = origin(row, reducer);
                            if (bits & flags.RUN) set.oneOf = this.runAround(row);
                            return set;
                        }
                        if (undone !== parts) {
                            parts = undone;
                            relation = new Relation(this, parts);
                        }
                    }
                    end = from;
                }
            }
            return null;
        }

        // MARK: Redaction and memory

        /** Whether the recording hides what is at a pointer in states. */
        isRedacted(pointer) {
            const patterns = (this.redactedPatterns ??= (this.head.facts.redaction?.states ?? []).map(({ path }) =>
                partsOf(path),
            ));
            if (patterns.length === 0) return false;
            const parts = partsOf(pointer);
            return patterns.some((pattern) => matchesPattern(pattern, parts));
        }

        /** The bytes that the recording holds, roughly. */
        memory() {
            let columns = 0;
            for (const value of [...Object.values(this), ...Object.values(this.pathNames)]) {
                if (value instanceof Column) columns += value.bytes;
            }
            return this.text.byteLength + columns + this.keyframeWeight;
        }
    }

    /** Whether a path matches a pattern: `*` is one name, `**` any number, a number any number. */
    function matchesPattern(pattern, parts, at = 0, depth = 0) {
        if (at === pattern.length) return depth === parts.length;
        if (pattern[at] === '**') {
            for (let next = depth; next <= parts.length; next += 1) {
                if (matchesPattern(pattern, parts, at + 1, next)) return true;
            }
            return false;
        }
        if (depth === parts.length) return false;
        const isMatch =
            pattern[at] === '*' || pattern[at] === parts[depth] || (indexOf(pattern[at]) >= 0 && indexOf(parts[depth]) >= 0);
        return isMatch && matchesPattern(pattern, parts, at + 1, depth + 1);
    }

    /** One text for each number: that of 1.50 is that of 1.5 and 15e-1; `null` for other texts. */
    function canonicalNumber(text) {
        const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text);
        if (!match) return null;
        const [, sign, whole, decimals = '', exponent = '0'] = match;
        const digits = (whole + decimals).replace(/^0+/, '');
        const significant = digits.replace(/0+$/, '');
        if (significant === '') return '0';
        return `${sign}${significant}e${Number(exponent) - decimals.length + digits.length - significant.length}`;
    }

    /** A text or number to search for. */
    class SearchPattern {
        constructor(text) {
            this.text = text;
            this.number = canonicalNumber(text);
            this.expression = new RegExp(text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'iu');
        }

        isIn(text) {
            return this.expression.test(text);
        }

        *matches(value, parts) {
            if (typeof value === 'string') {
                if (this.isIn(value)) yield { path: pointerOf(parts), text: value, isName: false };
            } else if (typeof value === 'number' || value instanceof Exact) {
                if (this.number !== null && canonicalNumber(String(value)) === this.number) yield { path: pointerOf(parts), text: String(value), isName: false };
            } else if (Array.isArray(value)) {
                for (let index = 0; index < value.length; index += 1) {
                    yield* this.matches(value[index], [...parts, String(index)]);
                }
            } else if (value instanceof Map) {
                for (const [key, member] of value) {
                    const path = [...parts, key];
                    if (this.isIn(key)) yield { path: pointerOf(path), text: key, isName: true };
                    yield* this.matches(member, path);
                }
            }
        }
    }

    // MARK: Following a place back

    /** How the operations of a recording relate to a place: 1 if they touch it, 2 if they are in an array around it. */
    class Relation {
        constructor(data, parts) {
            this.data = data;
            this.pointer = pointerOf(parts);
            this.below = this.pointer + '/';
            this.arrays = [];
            let path = '';
            for (const name of parts) {
                if (indexOf(name) >= 0) this.arrays.push(path + '/');
                path += pointerOf([name]);
            }
            this.known = new Map();
        }

        of(operation) {
            const number = this.data.operationPath.values[operation];
            const isMember = this.data.operationKind.values[operation] <= kinds.REMOVE;
            const key = number * 2 + (isMember ? 1 : 0);
            let relation = this.known.get(key);
            if (relation === undefined) {
                relation = this.relation(this.data.path(number), isMember);
                this.known.set(key, relation);
            }
            return relation;
        }

        relation(path, isMember) {
            const { pointer } = this;
            if (path === pointer || path.startsWith(this.below) || pointer.startsWith(path + '/')) return 1;
            for (const array of this.arrays) {
                if (!path.startsWith(array)) continue;
                if (isMember && !path.includes('/', array.length)) return 1;
                return 2;
            }
            return 0;
        }
    }

    /**
     * Undoes the operations of one step on the path of a place. Returns the path before them, the same array if nothing
     * changed; `null` if they set the place. As the tool's `PlaceTree`.
     */
    function undoFollowing(operations, parts, before) {
        const original = parts;
        operations = operations.flatMap(refined);
        [operations, parts] = rearranged(operations, parts, before);
        const moves = elementMoves(operations);
        let kinds = null;
        const isArrayAt = (parts, depth) => {
            kinds ??= before();
            const container = valueAt(kinds, parts.slice(0, depth));
            // A container that the step moves elsewhere: a name that is an index tells.
            return container === undefined ? indexOf(parts[depth]) >= 0 : Array.isArray(container);
        };
        for (let number = operations.length - 1; number >= 0; number -= 1) {
            const operation = operations[number];
            const undone = undonePath(operation, parts, isArrayAt);
            if (undone === null) return null;
            if (undone.inserted === undefined) {
                parts = undone;
                continue;
            }
            const source = moves.get(`${number} ${undone.inserted}`);
            if (!source) return null;
            const from = operations[source.number];
            const rest = parts.slice(operation.parts.length + 1);
            parts = [...from.parts, String(from.at + source.offset), ...rest];
            if (source.number < number) {
                // Between the removal and the insertion, the element is nowhere.
                number = source.number;
            } else {
                for (let later = source.number - 1; later >= number; later -= 1) {
                    const moved = undonePath(operations[later], parts, isArrayAt);
                    if (moved === null || moved.inserted !== undefined) return null;
                    parts = moved;
                }
            }
        }
        return parts.length === original.length && parts.every((name, at) => name === original[at]) ? original : parts;
    }

    /** The path of a place before an operation; `null` if it sets the place; `{inserted}` if a splice inserted it. */
    function undonePath(operation, parts, isArrayAt) {
        const { op, at } = operation;
        const path = operation.parts;
        const shifted = (depth, by) => {
            const moved = parts.slice();
            moved[depth] = String(Number(moved[depth]) + by);
            return moved;
        };
        if (op === 'add' || op === 'remove') {
            const depth = path.length - 1;
            const container = path.slice(0, depth);
            if (startsWith(container, parts)) return null;
            if (!startsWith(parts, container)) return parts;
            const name = path[depth];
            if (!isArrayAt(parts, depth)) return op === 'add' && parts[depth] === name ? null : parts;
            const [index, other] = [indexOf(parts[depth]), indexOf(name)];
            if (op === 'add') {
                if (index === other) return null;
                return index > other ? shifted(depth, -1) : parts;
            }
            return index >= other ? shifted(depth, 1) : parts;
        }
        if (path.length > parts.length) return startsWith(path, parts) ? null : parts;
        if (!startsWith(parts, path)) return parts;
        const rest = parts.slice(path.length);
        if (op === 'replace') {
            const [old, fresh] = [valueAt(operation.old, rest), valueAt(operation.value, rest)];
            return old !== undefined && isSame(old, fresh) ? parts : null;
        }
        const isWritten = isSame(operation.remove, operation.insert);
        if (op === 'edit' || rest.length === 0) return isWritten ? parts : null;
        const depth = path.length;
        const index = indexOf(parts[depth]);
        const inserted = operation.insert.length;
        if (index < at) return parts;
        if (index < at + inserted) return { inserted: index - at };
        return shifted(depth, operation.remove.length - inserted);
    }

    /** The operations that change only what differs, if one replaces a whole container. */
    function refined(operation) {
        if (operation.op !== 'replace' || !isContainer(operation.old) || !isContainer(operation.value)) return [operation];
        const finer = differenceOf(operation.old, operation.value);
        if (finer.length > 0 && finer[0].op === 'replace' && finer[0].parts.length === 0) return [operation];
        return finer.map((it) => prefixed(it, operation.parts));
    }

    function prefixed(operation, prefix) {
        const parts = [...prefix, ...operation.parts];
        return { ...operation, parts, path: pointerOf(parts) };
    }

    /** For each element that a splice inserts (`"operation offset"`): where the same content was removed. */
    function elementMoves(operations) {
        const sources = new Map();
        const splices = operations.filter(({ op }) => op === 'splice');
        if (!splices.some(({ remove }) => remove.length > 0) || !splices.some(({ insert }) => insert.length > 0)) return sources;
        // A single value moves within one array only.
        const content = (value, path) => (sizeOf(value) > 0 ? '' : path) + ' ' + textOf(value);
        const removed = new Map();
        operations.forEach(({ op, path, remove }, number) => {
            if (op !== 'splice') return;
            remove.forEach((value, offset) => {
                const key = content(value, path);
                if (!removed.has(key)) removed.set(key, []);
                removed.get(key).push({ number, offset });
            });
        });
        operations.forEach(({ op, path, insert }, number) => {
            if (op !== 'splice') return;
            insert.forEach((value, offset) => {
                const source = removed.get(content(value, path))?.shift();
                if (source) sources.set(`${number} ${offset}`, source);
            });
        });
        return sources;
    }

    /**
     * Finds elements of the arrays around a place that changed places, although each was changed inside. Returns the
     * other operations, and the place's path before. As the tool's `Rearrangement`.
     */
    function rearranged(operations, parts, before) {
        if (operations.length < 2) return [operations, parts];
        let isKnown = false;
        let [old, fresh] = [undefined, undefined];
        for (let depth = 0; depth < parts.length; depth += 1) {
            if (indexOf(parts[depth]) < 0) continue;
            const array = parts.slice(0, depth);
            const changes = changedElements(operations, array);
            if (!changes || !mayRearrange(changes, depth + 1)) continue;
            if (!isKnown) {
                isKnown = true;
                old = before();
                const editor = new Editor();
                try {
                    fresh = operations.reduce((state, operation) => editor.apply(state, operation, true), old);
                } catch (error) {
                    if (error instanceof Mismatch) return [operations, parts];
                    throw error;
                }
            }
            const [olds, news] = [valueAt(old, array), valueAt(fresh, array)];
            if (!Array.isArray(olds) || !Array.isArray(news) || olds.length !== news.length) continue;
            const sources = sourcesOf([...changes.keys()].sort((a, b) => a - b), olds, news);
            if (!sources) continue;
            const others = operations.filter((operation) => !startsWith(operation.parts, array));
            for (const [after, source] of [...sources].sort(([a], [b]) => a - b)) {
                if (isSame(olds[source], news[after])) continue;
                const place = [...array, String(source)];
                others.push(...differenceOf(olds[source], news[after]).map((it) => prefixed(it, place)));
            }
            const index = indexOf(parts[depth]);
            const moved = parts.slice();
            moved[depth] = String(sources.get(index) ?? index);
            return [others, moved];
        }
        return [operations, parts];
    }

    /** The operations on each of several elements of an array, by index; `null` if something else changes there. */
    function changedElements(operations, array) {
        const changes = new Map();
        for (const operation of operations) {
            const { op, parts } = operation;
            if (startsWith(array, parts)) return null;
            if (op === 'add' || op === 'remove') {
                const name = parts[parts.length - 1];
                if (name !== undefined && indexOf(name) >= 0 && startsWith(array, parts.slice(0, -1))) return null;
            }
            if (!startsWith(parts, array)) continue;
            const index = indexOf(parts[array.length]);
            if (index < 0) continue;
            if (!changes.has(index)) changes.set(index, []);
            changes.get(index).push(operation);
        }
        return changes.size > 1 ? changes : null;
    }

    /** Whether a value in some element becomes what it was in another one. */
    function mayRearrange(changes, depth) {
        const key = (operation, value) => {
            const parts = operation.parts.slice(depth);
            if (operation.op !== 'replace' || (parts.length === 0 && !isContainer(value))) return null;
            return pointerOf(parts) + ' ' + textOf(value);
        };
        const olds = new Map();
        for (const [index, operations] of changes) {
            for (const operation of operations) {
                const found = key(operation, operation.old);
                if (found === null) continue;
                if (!olds.has(found)) olds.set(found, new Set());
                olds.get(found).add(index);
            }
        }
        for (const [index, operations] of changes) {
            for (const operation of operations) {
                const found = olds.get(key(operation, operation.value) ?? '');
                if (found && (found.size > 1 || !found.has(index))) return true;
            }
        }
        return false;
    }

    /** For each changed element after a patch: its index before; `null` if none was elsewhere. */
    function sourcesOf(changed, olds, news) {
        if (changed.length === 0 || changed[changed.length - 1] >= olds.length) return null;
        const sources = new Map();
        const free = new Set(changed);
        for (const index of changed) {
            if (!isSame(olds[index], news[index])) continue;
            sources.set(index, index);
            free.delete(index);
        }
        const places = new Map();
        for (const index of changed.slice().reverse()) {
            if (!free.has(index) || sizeOf(olds[index]) === 0) continue;
            const text = textOf(olds[index]);
            if (!places.has(text)) places.set(text, []);
            places.get(text).push(index);
        }
        let isElsewhere = false;
        for (const index of changed) {
            if (sources.has(index)) continue;
            const source = places.get(textOf(news[index]))?.pop();
            if (source === undefined) continue;
            sources.set(index, source);
            free.delete(source);
            isElsewhere = true;
        }
        if (!isElsewhere) return null;
        for (const index of changed) {
            if (sources.has(index) || !free.has(index)) continue;
            sources.set(index, index);
            free.delete(index);
        }
        const rest = [...free].sort((a, b) => a - b);
        for (const index of changed) if (!sources.has(index)) sources.set(index, rest.shift());
        return sources;
    }

    // MARK: Small things

    /** A value as plain objects; for facts, which are small and ours. */
    function plain(value) {
        if (Array.isArray(value)) return value.map(plain);
        if (value instanceof Map) {
            const object = Object.create(null);
            for (const [key, member] of value) object[key] = plain(member);
            return object;
        }
        return value instanceof Exact ? value.text : value;
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

    function patchOf(patch) {
        return patch.map((members) => {
            const operation = {};
            for (const key of ['op', 'path', 'old', 'value', 'at', 'remove', 'insert']) {
                if (members.has(key)) operation[key] = members.get(key);
            }
            operation.parts = partsOf(operation.path);
            return operation;
        });
    }

    /** What the store was doing when its process ended. */
    function openEnd(during) {
        switch (during?.phase) {
            case 'idle':
                return during.after > 0
                    ? `open: its process ended between two actions, after action ${during.after}, without closing it`
                    : 'open: its process ended before the first action, without closing it';
            case 'middleware before':
                return 'open: its process ended while an action was in middleware, before its reduction';
            case 'middleware after':
                return `open: its process ended while action ${during.seq} was in middleware, after its reduction`;
            case 'subscribers':
                return `open: its process ended while subscribers were told of action ${during.seq}`;
            default:
                return 'open: its process ended without closing it';
        }
    }

    /** Where a process died, of `"115.2"`. */
    function diedAt(died) {
        const match = /^(\d+)(?:\.(\d+))?$/.exec(String(died ?? ''));
        return match ? { number: Number(match[1]), reducer: Number(match[2] ?? 0) } : null;
    }

    Object.assign(RecordingData, flags, {
        Exact,
        Bytes,
        flags,
        text: textOf,
        patchText,
        pointer: pointerOf,
        parts: partsOf,
        valueAt: (value, pointer) => valueAt(value, partsOf(pointer)),
        isSame,
        isContainer,
        difference: differenceOf,
    });
    return RecordingData;
})();
