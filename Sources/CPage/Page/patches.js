'use strict';

/** Patches: their operations, applied to states and undone. */
const RecordingPatches = (() => {
    const { Bytes, bytesOf, isSame, sizeOf, textOf, decoder, partsOf, pointerOf, indexOf, childOf, valueAt, startsWith } = RecordingValues;

    class Mismatch extends Error {}

    /** A text or data that is being edited: its bytes (in UTF-8), with a gap at the last edit. An edit costs what it changes. */
    class OpenText {
        constructor(value) {
            this.isText = typeof value === 'string';
            const bytes = this.isText ? bytesOf(value) : value.bytes;
            this.length = bytes.length;
            this.room = new Uint8Array(Math.ceil(bytes.length * 1.25) + 64);
            this.room.set(bytes);
            this.gap = bytes.length;
        }

        get gapSize() {
            return this.room.length - this.length;
        }

        byte(at) {
            return this.room[at < this.gap ? at : at + this.gapSize];
        }

        /** A copy of bytes. */
        slice(from, to) {
            const bytes = new Uint8Array(to - from);
            const before = Math.max(0, Math.min(to, this.gap) - from);
            if (before > 0) bytes.set(this.room.subarray(from, from + before));
            if (before < bytes.length) bytes.set(this.room.subarray(from + before + this.gapSize, to + this.gapSize), before);
            return bytes;
        }

        /** Whether a character begins at an offset, or the text ends there. */
        isBoundary(at) {
            return !this.isText || at === this.length || (this.byte(at) & 0xc0) !== 0x80;
        }

        bytesOf(value) {
            if (this.isText !== (typeof value === 'string')) throw new Mismatch('neither text nor data is there');
            return this.isText ? bytesOf(value) : value.bytes;
        }

        edit({ at, remove, insert }, checks) {
            const [gone, added] = [this.bytesOf(remove), this.bytesOf(insert)];
            const end = at + gone.length;
            if (end > this.length || !this.isBoundary(at) || !this.isBoundary(end)) throw new Mismatch('another text is there');
            if (checks && !gone.every((byte, offset) => this.byte(at + offset) === byte)) {
                throw new Mismatch('another text is there');
            }
            if (added.length - gone.length > this.gapSize) this.grow(added.length);
            const { gapSize } = this;
            if (at < this.gap) this.room.copyWithin(at + gapSize, at, this.gap);
            else this.room.copyWithin(this.gap, this.gap + gapSize, at + gapSize);
            this.length += added.length - gone.length;
            this.room.set(added, at);
            this.gap = at + added.length;
        }

        grow(by) {
            const bytes = this.slice(0, this.length);
            this.room = new Uint8Array(Math.ceil((this.length + by) * 1.25) + 64);
            this.room.set(bytes);
            this.gap = this.length;
        }

        get value() {
            const bytes = this.slice(0, this.length);
            return this.isText ? decoder.decode(bytes) : Bytes.of(bytes);
        }
    }

    /** The length from which a text that is edited stays open, and how many do. */
    const leastOpen = 2048;
    const mostOpen = 16;

    /**
     * Makes changes in a state without changing what others hold: the first change of a container copies it, later ones
     * change the copy.
     *
     * A long text that is edited stays open: `finish` puts it into the state, before anything reads the state.
     */
    class Editor {
        constructor() {
            this.owned = new Set();
            /** The entries that were copied, for estimates of memory. */
            this.copied = 0;
            /** The open texts by their paths. */
            this.open = new Map();
        }

        /** Puts the open texts into the state: all, or those at or below a place. Returns the state. */
        finish(root, around = []) {
            for (const [path, { parts, text, top }] of this.open) {
                if (!startsWith(parts, around)) continue;
                this.open.delete(path);
                const container = valueAt(top, parts.slice(0, -1));
                const name = parts[parts.length - 1];
                if (Array.isArray(container)) container[indexOf(name)] = text.value;
                else container.set(name, text.value);
                // An entry is thought to have 32 bytes.
                this.copied += text.length / 32;
            }
            return root;
        }

        /** The open text at an operation's path, and the state whose containers around it may be changed. */
        opened(root, { path, parts }) {
            let entry = this.open.get(path);
            if (entry?.top === root) return entry;
            if (entry || this.open.size >= mostOpen) this.finish(root);
            let text;
            const top = this.change(root, parts, parts.length, (found) => {
                if (typeof found !== 'string' && !(found instanceof Bytes)) {
                    throw new Mismatch('neither text nor data is there');
                }
                text = new OpenText(found);
                return found;
            });
            entry = { parts, text, top };
            this.open.set(path, entry);
            return entry;
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
            if (op === 'edit' && parts.length > 0) return this.edit(root, operation, checks);
            if (this.open.size > 0) {
                this.finish(root, op === 'add' || op === 'remove' ? parts.slice(0, -1) : parts);
            }
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

        edit(root, operation, checks) {
            const found = this.open.get(operation.path)?.top === root || this.find(root, operation.parts, operation.parts.length);
            if (found === true || found.length >= leastOpen) {
                const { text, top } = this.opened(root, operation);
                text.edit(operation, checks);
                return top;
            }
            return this.change(root, operation.parts, operation.parts.length, (found) => edited(found, operation, checks));
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
        if (!(found instanceof Bytes) || !(remove instanceof Bytes)) {
            throw new Mismatch('neither text nor data is there');
        }
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

    /** The text or data before an edit of it. */
    const undoneEdit = (value, edit) => edited(value, inverted(edit), false);

    return { Editor, Mismatch, inverted, undoneEdit, patchText, patchOf };
})();
