'use strict';

/**
 * What differs between two states, for the tree: a mark for each place that changed, and for each removed one.
 *
 * Compares whole values, and only where the two do not share the identical value, so a step costs little.
 */
class Marks {
    /** How many marks are made. The rest of a large change is only marked at what contains it. */
    static most = 5000;

    constructor(old, fresh) {
        /** By pointer: `{kind: 'added' | 'changed' | 'removed', old}`. */
        this.at = new Map();
        /** By pointer of a container: how many changes are inside. */
        this.inside = new Map();
        /** By pointer of a container: the members that were removed, `{name, value, index}`. */
        this.removed = new Map();
        this.count = 0;
        if (old !== undefined && fresh !== undefined) this.compare(old, fresh, '', []);
    }

    add(pointer, containers, mark) {
        this.count += 1;
        if (this.at.size < Marks.most) this.at.set(pointer, mark);
        for (const container of containers) this.inside.set(container, (this.inside.get(container) ?? 0) + 1);
    }

    remove(container, containers, name, value, index) {
        this.count += 1;
        if (!this.removed.has(container)) this.removed.set(container, []);
        if (this.count < Marks.most) this.removed.get(container).push({ name, value, index });
        for (const it of containers) this.inside.set(it, (this.inside.get(it) ?? 0) + 1);
    }

    compare(old, fresh, pointer, containers) {
        if (old === fresh) return;
        const { isSame } = RecordingData;
        const around = [...containers, pointer];
        const child = (name) => `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        if (old instanceof Map && fresh instanceof Map && !Marks.isOtherCase(old, fresh)) {
            let index = 0;
            for (const [name, value] of old) {
                if (!fresh.has(name)) this.remove(pointer, around, name, value, index);
                index += 1;
            }
            for (const [name, value] of fresh) {
                if (!old.has(name)) this.add(child(name), around, { kind: 'added' });
                else if (old.get(name) !== value) this.compare(old.get(name), value, child(name), around);
            }
        } else if (Array.isArray(old) && Array.isArray(fresh)) {
            let start = 0;
            const shortest = Math.min(old.length, fresh.length);
            while (start < shortest && isSame(old[start], fresh[start])) start += 1;
            let end = 0;
            while (end < shortest - start && isSame(old[old.length - 1 - end], fresh[fresh.length - 1 - end])) end += 1;
            const [oldEnd, freshEnd] = [old.length - end, fresh.length - end];
            if (old.length === fresh.length) {
                for (let at = start; at < freshEnd; at += 1) this.compare(old[at], fresh[at], child(String(at)), around);
            } else {
                for (let at = start; at < oldEnd; at += 1) this.remove(pointer, around, String(at), old[at], start);
                for (let at = start; at < freshEnd; at += 1) this.add(child(String(at)), around, { kind: 'added' });
            }
        } else if (!isSame(old, fresh)) {
            this.add(pointer, containers, { kind: 'changed', old });
        }
    }

    /** Whether two objects are different cases of an enum: then the whole value changed. */
    static isOtherCase(old, fresh) {
        if (old.size !== 1 || fresh.size !== 1) return false;
        return old.keys().next().value !== fresh.keys().next().value;
    }
}
