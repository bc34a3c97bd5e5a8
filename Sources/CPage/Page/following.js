'use strict';

/** Follows a place of a state back through the changes, as `hindsight blame` does. */
const RecordingFollowing = (() => {
    const { isContainer, isSame, sizeOf, textOf, pointerOf, indexOf, valueAt, startsWith } = RecordingValues;
    const { Editor, Mismatch } = RecordingPatches;
    const { differenceOf } = RecordingDifferences;
    const { kinds } = RecordingColumns;

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
        if (operation.op !== 'replace' || !isContainer(operation.old) || !isContainer(operation.value)) {
            return [operation];
        }
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
        if (!splices.some(({ remove }) => remove.length > 0) || !splices.some(({ insert }) => insert.length > 0)) {
            return sources;
        }
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

    return { Relation, undoFollowing };
})();
