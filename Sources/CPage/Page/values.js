'use strict';

// The values of states and actions: their JSON, read and written exactly as the tool does, and paths in them.

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

const isNumber = (value) => typeof value === 'number' || value instanceof Exact;
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
    /[\u0000-\u001f"\\\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;
const shortEscapes = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r', '\b': '\\b', '\f': '\\f' };

/** `\\u202e`, for each unit of UTF-16. */
const escapedUnits = (text) =>
    [...Array(text.length).keys()].map((at) => '\\u' + text.charCodeAt(at).toString(16).padStart(4, '0')).join('');

const escapeInJSON = (text) => text.replace(toEscape, (it) => shortEscapes[it] ?? escapedUnits(it));

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
    const written = (value, level) => {
        if (typeof value === 'string') return `"${escapeInJSON(value)}"`;
        if (isNumber(value)) return plain ? plainNumber(String(value)) : String(value);
        if (value instanceof Bytes) return `{"$data":"${value.base64}"}`;
        if (!isContainer(value)) return String(value ?? null);
        const isArray = Array.isArray(value);
        const line = indent > 0 && sizeOf(value) > 0 ? '\n' + ' '.repeat(indent * level) : '';
        const inner = line === '' ? '' : line + ' '.repeat(indent);
        const items = [];
        for (const [key, member] of value.entries()) {
            const name = value.size === 1 && isReservedKey(key) ? '$' + key : key;
            const start = isArray ? '' : `"${escapeInJSON(name)}":${indent > 0 ? ' ' : ''}`;
            items.push(inner + start + written(member, level + 1));
        }
        return (isArray ? '[' : '{') + items.join(',') + line + (isArray ? ']' : '}');
    };
    return written(value, 0);
}

// MARK: Reading JSON

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

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
        const isPart = (byte) =>
            (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2b || byte === 0x2d || (byte | 32) === 0x65;
        while (isPart(byte)) {
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
        let isEscaped = false;
        let hash = 0;
        for (let byte = bytes[at]; byte !== 0x22; byte = bytes[at]) {
            if (at >= end) this.fail('the end of a string');
            if (byte === 0x5c) {
                isEscaped = true;
                at += 1;
            }
            union |= byte;
            hash = (Math.imul(hash, 31) + byte) | 0;
            at += 1;
        }
        this.at = at + 1;
        if (isEscaped) return JSON.parse(decoder.decode(bytes.subarray(start - 1, at + 1)));
        if (union > 0x7f || at - start > 256) return decoder.decode(bytes.subarray(start, at));
        if (at - start > 24) return String.fromCharCode.apply(null, bytes.subarray(start, at));
        const recent = this.recent[hash & 2047];
        if (recent !== undefined && this.isAt(start, at, recent)) return recent;
        return (this.recent[hash & 2047] = String.fromCharCode.apply(null, bytes.subarray(start, at)));
    }

    /** Whether bytes are those of a text. */
    isAt(start, end, text) {
        if (text.length !== end - start) return false;
        for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) !== this.bytes[start + index]) return false;
        return true;
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
    for (let depth = 0; depth < parts.length && value !== undefined; depth += 1) {
        value = childOf(value, parts[depth]);
    }
    return value;
}

/** Whether a path is another one, or below it. */
const startsWith = (parts, prefix) =>
    prefix.length <= parts.length && prefix.every((name, at) => parts[at] === name);
