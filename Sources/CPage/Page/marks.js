/**
 * What operations changed, for the tree: a mark for each place of the state after them, and the removed members.
 *
 * The operations are those that the inspector lists, so both show the same changes. Elements are followed: an
 * insertion or a removal moves the marks of the elements behind it.
 */
class Marks {
    /** How many elements that came or went are marked. Of a larger change, the rest is only counted. */
    static most = 5000;

    /** `operations` lead to `state`. */
    constructor(operations = [], state = undefined) {
        /** By pointer: `{kind: 'added' | 'changed', old, edits}`; a text that was edited has its edits instead of `old`. */
        this.at = new Map();
        /** By pointer of a container: how many changes are inside. */
        this.inside = new Map();
        /** By pointer of a container: the members that were removed, `{name, value, index}`. */
        this.removed = new Map();
        /** The number of changes: one for each line that `diff` prints. */
        this.count = 0;
        this.state = state;
        this.kept = 0;
        const root = new MarkedPlace();
        for (const operation of operations) this.take(root, operation);
        this.collect(root, '');
    }

    /** The lines that `diff` prints for operations: one for each element of a splice. */
    static linesOf(operations) {
        return operations.reduce((sum, { op, remove, insert }) => sum + (op === 'splice' ? remove.length + insert.length : 1), 0);
    }

    take(root, operation) {
        const { op, parts } = operation;
        this.count += Marks.linesOf([operation]);
        const isMember = op === 'add' || op === 'remove';
        const container = isMember ? parts.slice(0, -1) : parts;
        const place = container.reduce((it, name) => it.child(name), root);
        if (op === 'splice') {
            this.splice(place, operation.at, operation.remove, operation.insert.length);
        } else if (op === 'replace') {
            place.become({ kind: 'changed', old: place.oldOf(operation.old) });
        } else if (op === 'edit') {
            place.count += 1;
            if (place.mark === null) place.mark = { kind: 'changed', edits: [] };
            place.mark.edits?.push(operation);
        } else if (parts.length === 0) {
            place.become({ kind: op === 'add' ? 'added' : 'changed', old: operation.old });
        } else {
            const name = parts[parts.length - 1];
            const array = valueAt(this.state, container);
            if (Array.isArray(array)) {
                const at = name === '-' ? array.length - 1 : Number(name);
                this.splice(place, at, op === 'remove' ? [operation.old] : [], op === 'add' ? 1 : 0);
            } else if (op === 'add') {
                place.child(name).become({ kind: 'added' });
            } else {
                this.removeMember(place, name, operation);
            }
        }
    }

    removeMember(place, name, { old, at }) {
        const isNew = place.children?.get(name)?.mark?.kind === 'added';
        place.children?.delete(name);
        if (isNew) return;
        const index = at ?? Infinity;
        const from = place.removed.findIndex((it) => it.index > index);
        const behind = from < 0 ? [] : place.removed.splice(from);
        for (const it of behind) it.index -= 1;
        place.removed.push(...this.ghosts(place, [{ name, value: old, index }]), ...behind);
    }

    /** Elements come and go: what is behind them moves. */
    splice(place, at, remove, inserted) {
        const end = at + remove.length;
        const moved = new Map();
        const gone = [];
        for (const [name, child] of place.children ?? []) {
            const index = Number(name);
            if (index >= end) moved.set(String(index - remove.length + inserted), child);
            else if (index < at) moved.set(name, child);
            else if (child.mark?.kind === 'added') gone.push(index);
        }
        place.children = moved;
        const marked = Math.min(inserted, Math.max(0, Marks.most - this.kept));
        for (let index = at; index < at + marked; index += 1) place.child(String(index)).become({ kind: 'added' });
        this.kept += marked;
        place.unmarked += inserted - marked;
        const ghosts = this.ghosts(place, remove.map((value, offset) => ({ name: String(at + offset), value, index: at + offset })));
        const kept = gone.length > 0 ? ghosts.filter((it) => !gone.includes(it.index)) : ghosts;
        // A removed element stands before the one that is at its index now.
        const all = [...place.removed.map((it) => [it.index - 0.5, it]), ...kept.map((it) => [it.index, it])].sort(([a], [b]) => a - b);
        for (const [, it] of all) {
            if (it.index >= end && it.index > at) it.index += inserted - remove.length;
            else if (it.index > at) it.index = at;
        }
        place.removed = all.map(([, it]) => it);
    }

    ghosts(place, members) {
        const kept = members.slice(0, Math.max(0, Marks.most - this.kept));
        this.kept += kept.length;
        place.unmarked += members.length - kept.length;
        return kept;
    }

    /** Puts the marks of a place and of what is inside it by their pointers. Returns how many changes they are. */
    collect(place, pointer) {
        let inside = place.removed.length + place.unmarked;
        for (const [name, child] of place.children ?? []) inside += this.collect(child, pointer + pointerOf([name]));
        if (place.mark !== null) this.at.set(pointer, place.mark);
        if (place.removed.length > 0) this.removed.set(pointer, place.removed);
        if (inside > 0) this.inside.set(pointer, inside);
        return inside + place.count;
    }
}

/** A place of the state while operations are taken: its mark, its changed members and its removed ones. */
class MarkedPlace {
    constructor() {
        this.mark = null;
        this.count = 0;
        this.children = null;
        this.removed = [];
        /** How many changes inside have no mark. */
        this.unmarked = 0;
    }

    child(name) {
        this.children ??= new Map();
        let child = this.children.get(name);
        if (!child) this.children.set(name, (child = new MarkedPlace()));
        return child;
    }

    /** Takes a mark for the whole value. What was new stays new, and the oldest value counts. */
    become(mark) {
        this.count += 1;
        this.children = null;
        this.removed = [];
        if (this.mark?.kind === 'added') return;
        this.mark = this.mark?.edits === undefined ? { ...mark, ...this.mark } : mark;
    }

    /** The value before all operations, of the one before the last. */
    oldOf(value) {
        return (this.mark?.edits ?? []).reduceRight((text, edit) => undoneEdit(text, edit), value);
    }
}
