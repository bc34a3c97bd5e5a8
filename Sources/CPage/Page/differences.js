'use strict';

/** Finds the operations that lead from one value to another: the same ones as `hindsight diff`. */
const RecordingDifferences = (() => {
    const { Bytes, bytesOf, isSame, decoder, pointerOf } = RecordingValues;

    const hunk = (oldStart, oldEnd, newStart, newEnd) => ({ oldStart, oldEnd, newStart, newEnd });
    const isEmptyHunk = (hunk) => hunk.oldStart === hunk.oldEnd && hunk.newStart === hunk.newEnd;
    const movedHunk = (it, old, fresh) =>
        hunk(it.oldStart + old, it.oldEnd + old, it.newStart + fresh, it.newEnd + fresh);

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
            behind.map((it) =>
                hunk(oldEnd - it.oldEnd, oldEnd - it.oldStart, newEnd - it.newEnd, newEnd - it.newStart),
            ),
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
        while (suffix < shorter - prefix && old[edit.oldEnd - suffix - 1] === fresh[edit.newEnd - suffix - 1]) {
            suffix += 1;
        }
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
                    const [left, right] = [bytesOf(old), bytesOf(fresh)];
                    if (left.length <= 32 && right.length <= 32) return this.replace(old, fresh);
                    return this.edit(old, fresh, left, right, (bytes) => decoder.decode(bytes));
                }
                this.edit(old, fresh, bytesOf(old), bytesOf(fresh), (bytes) => decoder.decode(bytes));
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
            const pathLength = this.path.reduce((sum, name) => sum + bytesOf(name).length + 1, 0);
            let length = 0;
            for (const it of edits) {
                length += editLength + pathLength + it.oldEnd - it.oldStart + it.newEnd - it.newStart;
            }
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

    return { differenceOf };
})();
