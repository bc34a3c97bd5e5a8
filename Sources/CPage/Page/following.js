// Places of a state, and what operations do with them.

/** How operations relate to a place. */
class Relation {
    /** Elsewhere, or elsewhere in an array around the place. */
    static none = 0;
    static beside = 1;
    /** They change what is around the place, or move it. */
    static around = 2;
    /** At the place or below it. */
    static inside = 3;

    constructor(data, parts) {
        this.data = data;
        this.pointer = pointerOf(parts);
        this.arrays = parts.flatMap((name, depth) => (indexOf(name) >= 0 ? [pointerOf(parts.slice(0, depth)) + '/'] : []));
        this.known = new Int8Array(2 * data.pathNames.size).fill(-1);
    }

    /** The relation of the operation with an index. */
    of(operation) {
        const path = this.data.operationPath.values[operation];
        const isMember = this.data.operationKind.values[operation] <= kinds.remove;
        const key = path * 2 + (isMember ? 1 : 0);
        // A recording may grow meanwhile.
        if (this.known[key] >= 0) return this.known[key];
        return (this.known[key] = this.relation(this.data.pathNames.texts[path], isMember));
    }

    relation(path, isMember) {
        const { pointer } = this;
        if (path === pointer || path.startsWith(pointer + '/')) return Relation.inside;
        if (pointer.startsWith(path + '/')) return Relation.around;
        const array = this.arrays.find((it) => path.startsWith(it));
        if (array === undefined) return Relation.none;
        return isMember && !path.includes('/', array.length) ? Relation.around : Relation.beside;
    }
}

/** Whether an operation changes the value at its path. */
function changesValue({ op, old, value, remove, insert }) {
    if (op === 'replace') return !isSame(old, value);
    return op === 'add' || op === 'remove' || !isSame(remove, insert);
}

/**
 * Undoes the operations of one step on the path of a place. Returns the path before them, the same array if nothing
 * changed; `null` if they set the place.
 *
 * Elements of arrays are followed through insertions and removals, and to where the same content was removed. `before`
 * returns the state before the step.
 */
function undoFollowing(operations, original, before) {
    let parts = original;
    for (let depth = 0; depth < parts.length; depth += 1) {
        const array = parts.slice(0, depth);
        const source = movedFrom(operations, array, indexOf(parts[depth]), before);
        if (source < 0) continue;
        parts = parts.with(depth, String(source));
        operations = operations.filter((it) => !startsWith(it.parts, array));
    }
    const moves = elementMoves(operations);
    const isArray = (container) => Array.isArray(valueAt(before(), container));
    for (let number = operations.length - 1; number >= 0; number -= 1) {
        const operation = operations[number];
        const undone = undonePath(operation, parts, isArray);
        if (undone === null) return null;
        if (undone.inserted === undefined) {
            parts = undone;
            continue;
        }
        const source = moves.get(`${number} ${undone.inserted}`);
        if (!source) return null;
        const from = operations[source.number];
        parts = [...from.parts, String(from.at + source.offset), ...parts.slice(operation.parts.length + 1)];
        // Between the removal and the insertion, the element is nowhere.
        if (source.number < number) number = source.number;
        for (let later = source.number - 1; later >= number; later -= 1) {
            parts = undonePath(operations[later], parts, isArray);
            if (parts === null || parts.inserted !== undefined) return null;
        }
    }
    return startsWith(parts, original) && parts.length === original.length ? original : parts;
}

/** The path of a place before an operation; `null` if it sets the place; `{inserted}` if a splice inserted it. */
function undonePath(operation, parts, isArray) {
    const { op, at } = operation;
    const path = operation.parts;
    const shifted = (depth, by) => parts.with(depth, String(Number(parts[depth]) + by));
    if (op === 'add' || op === 'remove') {
        const depth = path.length - 1;
        const container = path.slice(0, depth);
        if (startsWith(container, parts)) return null;
        if (!startsWith(parts, container)) return parts;
        if (!isArray(container)) return op === 'add' && parts[depth] === path[depth] ? null : parts;
        const [index, other] = [indexOf(parts[depth]), indexOf(path[depth])];
        if (op === 'remove') return index >= other ? shifted(depth, 1) : parts;
        if (index === other) return null;
        return index > other ? shifted(depth, -1) : parts;
    }
    if (path.length > parts.length) return startsWith(path, parts) ? null : parts;
    if (!startsWith(parts, path)) return parts;
    const depth = path.length;
    const rest = parts.slice(depth);
    if (op === 'replace') {
        const [old, fresh] = [valueAt(operation.old, rest), valueAt(operation.value, rest)];
        return old !== undefined && isSame(old, fresh) ? parts : null;
    }
    if (op === 'edit' || rest.length === 0) return changesValue(operation) ? null : parts;
    const index = indexOf(rest[0]);
    const inserted = operation.insert.length;
    if (index < at) return parts;
    if (index < at + inserted) return { inserted: index - at };
    return shifted(depth, operation.remove.length - inserted);
}

/**
 * The index at which an element of an array stood before a step that changed elements in place, and moved this one so:
 * where the same content was, and is no longer. -1 if it was not moved.
 */
function movedFrom(operations, array, index, before) {
    const isElement = (it) => it.parts.length > array.length && startsWith(it.parts, array);
    const changed = new Set(operations.filter(isElement).map((it) => it.parts[array.length]));
    const isMember = operations.some(({ op, parts }) => (op === 'add' || op === 'remove') && parts.length === array.length + 1);
    if (index < 0 || changed.size < 2 || !changed.has(String(index)) || isMember) return -1;
    const editor = new Editor();
    const olds = valueAt(before(), array);
    const news = valueAt(editor.finish(applied(before(), operations, editor, true)), array);
    if (!Array.isArray(olds) || !Array.isArray(news) || olds.length !== news.length) return -1;
    if (sizeOf(news[index]) === 0 || isSame(olds[index], news[index])) return -1;
    return olds.findIndex((old, at) => isSame(old, news[index]) && !isSame(old, news[at]));
}

/** For each element that a splice inserts (`"operation offset"`): where the same content was removed. */
function elementMoves(operations) {
    // A single value moves within one array only.
    const content = (value, path) => (sizeOf(value) > 0 ? '' : path) + ' ' + textOf(value);
    const removed = new Map();
    operations.forEach(({ path, remove, op }, number) => {
        if (op !== 'splice') return;
        remove.forEach((value, offset) => {
            const key = content(value, path);
            if (!removed.has(key)) removed.set(key, []);
            removed.get(key).push({ number, offset });
        });
    });
    const sources = new Map();
    if (removed.size === 0) return sources;
    operations.forEach(({ path, insert, op }, number) => {
        if (op !== 'splice') return;
        insert.forEach((value, offset) => {
            const source = removed.get(content(value, path))?.shift();
            if (source) sources.set(`${number} ${offset}`, source);
        });
    });
    return sources;
}
