'use strict';

/** Patches: their operations, applied to states and undone. */
const RecordingPatches = (() => {
    const { Bytes, isSame, sizeOf, textOf, partsOf, pointerOf, indexOf, childOf, valueAt } = RecordingValues;

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
