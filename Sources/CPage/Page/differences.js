// What differs between two values: operations that lead from one to the other.
//
// Objects are compared by their keys, texts by their common start and end. Of arrays, elements with the same content
// stay; what is between them came, went, or was changed inside.

/** The runs in which two arrays differ: `[oldStart, oldEnd, newStart, newEnd]`. */
function arrayRuns(old, fresh) {
    let [oldEnd, newEnd] = [old.length, fresh.length];
    while (oldEnd > 0 && newEnd > 0 && isSame(old[oldEnd - 1], fresh[newEnd - 1])) {
        oldEnd -= 1;
        newEnd -= 1;
    }
    const runs = [];
    let [left, right] = [0, 0];
    while (left < oldEnd || right < newEnd) {
        if (left < oldEnd && right < newEnd && isSame(old[left], fresh[right])) {
            left += 1;
            right += 1;
            continue;
        }
        const [oldNext, newNext] = nextShared(old, left, oldEnd, fresh, right, newEnd);
        runs.push([left, oldNext, right, newNext]);
        [left, right] = [oldNext, newNext];
    }
    return runs;
}

/** The nearest elements with the same content behind two indices; the ends if there are none. */
function nextShared(old, left, oldEnd, fresh, right, newEnd) {
    const [olds, news] = [new Map(), new Map()];
    for (let by = 0; left + by < oldEnd || right + by < newEnd; by += 1) {
        if (left + by < oldEnd) {
            const content = textOf(old[left + by]);
            if (news.has(content)) return [left + by, news.get(content)];
            if (!olds.has(content)) olds.set(content, left + by);
        }
        if (right + by < newEnd) {
            const content = textOf(fresh[right + by]);
            if (olds.has(content)) return [olds.get(content), right + by];
            if (!news.has(content)) news.set(content, right + by);
        }
    }
    return [oldEnd, newEnd];
}

/** The operations that lead from one value to another; `undefined` is a missing value. */
function differenceOf(old, fresh) {
    const operations = [];
    const add = (operation, parts) => operations.push({ ...operation, path: pointerOf(parts), parts });
    const compare = (old, fresh, parts) => {
        if (old === fresh) return;
        if (Array.isArray(old) && Array.isArray(fresh)) return compareArrays(old, fresh, parts);
        if (old instanceof Map && fresh instanceof Map && areAligned(old, fresh)) return compareObjects(old, fresh, parts);
        if (isSame(old, fresh)) return;
        const edit = textEdit(old, fresh);
        if (edit === null) add({ op: 'replace', old, value: fresh }, parts);
        else add({ op: 'edit', ...edit }, parts);
    };
    const compareArrays = (old, fresh, parts) => {
        for (const [from, to, freshFrom, freshTo] of arrayRuns(old, fresh)) {
            if (to - from === freshTo - freshFrom) {
                for (let by = 0; from + by < to; by += 1) compare(old[from + by], fresh[freshFrom + by], [...parts, String(freshFrom + by)]);
            } else {
                add({ op: 'splice', at: freshFrom, remove: old.slice(from, to), insert: fresh.slice(freshFrom, freshTo) }, parts);
            }
        }
    };
    const compareObjects = (old, fresh, parts) => {
        const gone = [...old].map(([key, value], at) => ({ key, value, at })).filter(({ key }) => !fresh.has(key));
        for (const { key, value, at } of gone.reverse()) add({ op: 'remove', old: value, at }, [...parts, key]);
        let count = old.size - gone.length;
        [...fresh].forEach(([key, value], place) => {
            if (old.has(key)) return;
            add({ op: 'add', value, at: Math.min(place, count) }, [...parts, key]);
            count += 1;
        });
        for (const [key, value] of fresh) if (old.has(key)) compare(old.get(key), value, [...parts, key]);
    };
    if (old === undefined && fresh === undefined) return [];
    if (old === undefined) add({ op: 'add', value: fresh }, []);
    else if (fresh === undefined) add({ op: 'remove', old }, []);
    else compare(old, fresh, []);
    return operations;
}

/** Whether two objects share keys, and in one order. */
function areAligned(old, fresh) {
    const shared = [...old.keys()].filter((key) => fresh.has(key));
    return shared.length > 0 && [...fresh.keys()].filter((key) => old.has(key)).every((key, at) => key === shared[at]);
}

/** How many characters or bytes two texts or data have in common at the start and at the end; no half of a pair. */
function commonEnds(old, fresh) {
    const shorter = Math.min(old.length, fresh.length);
    const isHalf = (unit) => typeof unit === 'string' && /[\udc00-\udfff]/.test(unit);
    let [start, end] = [0, 0];
    while (start < shorter && old[start] === fresh[start]) start += 1;
    if (isHalf(old[start]) || isHalf(fresh[start])) start -= 1;
    while (end < shorter - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
    if (end > 0 && isHalf(old[old.length - end])) end -= 1;
    return [start, end];
}

/** The edit that leads from one text or data to another; `null` of other values, and if it is not shorter than both. */
function textEdit(old, fresh) {
    const isText = typeof old === 'string' && typeof fresh === 'string';
    if (!isText && !(old instanceof Bytes && fresh instanceof Bytes)) return null;
    const [left, right] = isText ? [old, fresh] : [old.bytes, fresh.bytes];
    const [start, end] = commonEnds(left, right);
    const size = (text) => (isText ? encoder.encode(text).length : text.length);
    const at = size(left.slice(0, start));
    // As the tool: short texts are replaced, and so are texts with little in common.
    if (size(left) <= 32 && size(right) <= 32) return null;
    if (at + size(left.slice(left.length - end)) < 6) return null;
    const [remove, insert] = [left, right].map((it) => it.slice(start, it.length - end));
    return isText ? { at, remove, insert } : { at, remove: Bytes.of(remove), insert: Bytes.of(insert) };
}
