// Patches: their operations, applied to states.

/** An operation does not fit the state. */
class Mismatch extends Error {}

/** A text or data that is being edited: its bytes, in UTF-8, with room for more. */
class OpenText {
    constructor(value) {
        this.isText = typeof value === 'string';
        this.room = this.bytesOf(value).slice();
        this.length = this.room.length;
    }

    get bytes() {
        return this.room.subarray(0, this.length);
    }

    get value() {
        return this.isText ? decoder.decode(this.bytes) : Bytes.of(this.bytes);
    }

    bytesOf(value) {
        if (this.isText && typeof value === 'string') return encoder.encode(value);
        if (this.isText || !(value instanceof Bytes)) throw new Mismatch('neither text nor data is there');
        return value.bytes;
    }

    /** Whether a character begins at an offset, or the text ends there. */
    isBoundary(at) {
        return !this.isText || at === this.length || (this.room[at] & 0xc0) !== 0x80;
    }

    /** Moves what is behind the edit. `checks`: whether what it removes must be there. */
    edit({ at, remove, insert }, checks) {
        const [gone, added] = [this.bytesOf(remove), this.bytesOf(insert)];
        const end = at + gone.length;
        const isPlace = end <= this.length && this.isBoundary(at) && this.isBoundary(end);
        if (!isPlace || (checks && gone.some((byte, offset) => this.room[at + offset] !== byte))) {
            throw new Mismatch('another text is there');
        }
        const length = this.length + added.length - gone.length;
        if (length > this.room.length) {
            const longer = new Uint8Array(Math.ceil(length * 1.25) + 64);
            longer.set(this.bytes);
            this.room = longer;
        }
        this.room.copyWithin(at + added.length, end, this.length);
        this.room.set(added, at);
        this.length = length;
    }
}

/** Puts a value into an array or an object, at a name that is there. */
function put(container, name, value) {
    if (Array.isArray(container)) container[indexOf(name)] = value;
    else container.set(name, value);
}

/**
 * Makes changes in a state without changing what others hold: the first change of a container copies it, later ones
 * change the copy.
 *
 * The text that is edited stays open: `finish` puts it into the state, before anything reads the state.
 */
class Editor {
    constructor() {
        this.owned = new Set();
        /** The entries that were copied, for estimates of memory. */
        this.copied = 0;
        /** The open text: `{path, parts, text, top}`, where `top` is the state. */
        this.open = null;
    }

    /** Puts the open text into the state. Returns the state. */
    finish(root) {
        if (this.open === null) return root;
        const { parts, text, top } = this.open;
        this.open = null;
        put(valueAt(top, parts.slice(0, -1)), parts[parts.length - 1], text.value);
        // An entry is thought to have 32 bytes.
        this.copied += text.length / 32;
        return root;
    }

    /** The open text at an edit's path, and the state whose containers around it may be changed. */
    opened(root, { path, parts }) {
        if (this.open?.path === path) return this.open;
        this.finish(root);
        let text;
        const top = this.change(root, parts, (found) => {
            text = new OpenText(found);
            return found;
        });
        this.open = { path, parts, text, top };
        return this.open;
    }

    /** Gives all containers away but those that lead to a place: what is there does not change any more. */
    release(root, parts) {
        this.finish(root);
        const kept = new Set();
        for (let depth = 0, node = root; depth < parts.length && node !== undefined; depth += 1) {
            if (this.owned.has(node)) kept.add(node);
            node = childOf(node, parts[depth]);
        }
        this.owned = kept;
    }

    own(container) {
        if (this.owned.has(container)) return container;
        const copy = Array.isArray(container) ? container.slice() : new Map(container);
        this.copied += 4 + sizeOf(container);
        this.owned.add(copy);
        return copy;
    }

    /** Returns the state with the value at a path changed by `body`. */
    change(root, parts, body) {
        let found = root;
        parts.forEach((name, depth) => {
            found = childOf(found, name);
            if (found === undefined) throw new Mismatch(`nothing is at ${pointerOf(parts.slice(0, depth + 1))}`);
        });
        // A mismatch leaves no trace.
        const value = body(found);
        if (parts.length === 0) return value;
        const top = this.own(root);
        let node = top;
        parts.forEach((name, depth) => {
            const child = depth + 1 < parts.length ? this.own(childOf(node, name)) : value;
            put(node, name, child);
            node = child;
        });
        return top;
    }

    /** Returns the state after an operation. `checks`: whether what it removes must be there. */
    apply(root, operation, checks = false) {
        const { op, parts, old, value } = operation;
        const verify = (found, old) => {
            if (checks && !isSame(found, old)) throw new Mismatch('another value is there');
        };
        if (op === 'edit' && parts.length > 0) {
            const { text, top } = this.opened(root, operation);
            text.edit(operation, checks);
            return top;
        }
        const isMember = op === 'add' || op === 'remove';
        const around = isMember ? parts.slice(0, -1) : parts;
        if (this.open !== null && startsWith(this.open.parts, around)) this.finish(root);
        if (isMember && parts.length === 0) {
            if (op === 'add' && root !== undefined) throw new Mismatch('the whole state cannot be added');
            return value;
        }
        const name = parts[parts.length - 1];
        return this.change(root, around, (found) => {
            switch (op) {
                case 'replace':
                    verify(found, old);
                    return value;
                case 'splice':
                    return this.spliced(found, operation, verify);
                case 'edit':
                    return edited(found, operation, checks);
                case 'add':
                    return this.added(found, name, operation);
                default:
                    return this.removed(found, name, operation, verify);
            }
        });
    }

    spliced(found, { at, remove, insert }, verify) {
        if (!Array.isArray(found)) throw new Mismatch('no array is there');
        if (at + remove.length > found.length) throw new Mismatch('the array is too short');
        remove.forEach((old, offset) => verify(found[at + offset], old));
        // A call has room for few arguments.
        if (insert.length > 1000) return found.slice(0, at).concat(insert, found.slice(at + remove.length));
        const array = this.own(found);
        array.splice(at, remove.length, ...insert);
        return array;
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
        const behind = place < map.size ? [...map].slice(place) : [];
        for (const [key] of behind) map.delete(key);
        map.set(name, value);
        for (const [key, member] of behind) map.set(key, member);
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

/** A text or data after an edit of it. */
function edited(found, edit, checks = false) {
    const text = new OpenText(found);
    text.edit(edit, checks);
    return text.value;
}

/**
 * A text or data before an edit of it; `undefined` if the edit did not lead to it: the state after a doubtful action may
 * be another one.
 */
function undoneEdit(found, { at, remove, insert }) {
    try {
        return edited(found, { at, remove: insert, insert: remove }, true);
    } catch (error) {
        if (error instanceof Mismatch) return undefined;
        throw error;
    }
}
