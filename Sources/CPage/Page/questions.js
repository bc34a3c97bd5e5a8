'use strict';

/**
 * What the page asks about all of a recording: the changes of a path, who set it, and filters. `RecordingData` has the
 * columns and states that answer.
 */
const RecordingQuestions = (() => {
    const { isSame, partsOf, pointerOf, indexOf, valueAt, startsWith } = RecordingValues;
    const { Editor, Mismatch } = RecordingPatches;
    const { differenceOf } = RecordingDifferences;
    const { Relation, undoFollowing } = RecordingFollowing;
    const { flags, kinds, mostReducers, nextTurn, sliceMilliseconds } = RecordingColumns;

    class RecordingQuestions extends RecordingSearch {
        // MARK: Paths

        /** Tells, for the number of a path, whether a change there touches a pointer: at it, above it or inside it. */
        toucher(pointer) {
            const known = new Int8Array(this.pathNames.size).fill(-1);
            const below = pointer + '/';
            return (number) => {
                if (known[number] >= 0) return known[number] === 1;
                const path = this.path(number);
                let touches = path === pointer || path.startsWith(below) || pointer.startsWith(path + '/');
                if (!touches) {
                    // An element that is added or removed moves those behind it.
                    const slash = path.lastIndexOf('/');
                    const name = path.slice(slash + 1);
                    const isElement = name === '-' || indexOf(name) >= 0;
                    const isBeside = pointer.startsWith(path.slice(0, slash + 1));
                    touches = isElement && isBeside && this.isAddedOrRemoved(number);
                }
                known[number] = touches ? 1 : 0;
                return touches;
            };
        }

        /** Whether an operation adds or removes at the path with a number. */
        isAddedOrRemoved(number) {
            if (this.addedPaths?.operations !== this.operationPath.length) {
                const paths = new Uint8Array(this.pathNames.size);
                for (let at = 0; at < this.operationPath.length; at += 1) {
                    if (this.operationKind.values[at] <= kinds.REMOVE) paths[this.operationPath.values[at]] = 1;
                }
                this.addedPaths = { operations: this.operationPath.length, paths };
            }
            return this.addedPaths.paths[number] === 1;
        }

        /**
         * The last rows of the runs whose changes are missing or doubtful, by their first rows. The states before and
         * after each run are known.
         */
        get unclearRuns() {
            if (this.runs?.count === this.count) return this.runs.byFirst;
            const byFirst = new Map();
            let first = -1;
            for (let row = 0; row < this.count; row += 1) {
                const bits = this.rowFlags.values[row];
                const isUnclear = (bits & (flags.DOUBTFUL | flags.SKIPPED)) !== 0 && !(bits & flags.RUN);
                if (isUnclear && first < 0) first = row;
                // Of a run whose changes are recorded, only the first actions look unclear.
                if (bits & flags.RUN) first = -1;
                const next = row + 1 < this.count ? this.rowFlags.values[row + 1] : 0;
                const isEnd = !(next & (flags.DOUBTFUL | flags.SKIPPED));
                if (first >= 0 && (isEnd || bits & flags.WHOLE)) {
                    if (bits & flags.KNOWN) byFirst.set(first, row);
                    first = -1;
                }
            }
            const byLast = new Map([...byFirst].map(([first, last]) => [last, first]));
            this.runs = { count: this.count, byFirst, byLast };
            return byFirst;
        }

        /** The first row of the run of `unclearRuns` that ends with a row. */
        firstOfRun(row) {
            return this.unclearRuns.size > 0 ? this.runs.byLast.get(row) : undefined;
        }

        /** The states before and after a run of `unclearRuns`. */
        aroundRun(first, last) {
            return { old: this.stateAt(first - 1, mostReducers - 1), fresh: this.stateAt(last, mostReducers - 1) };
        }

        /** Marks the rows that changed what is at a pointer; slice by slice, so that the page stays alive. */
        async rowsChanging(pointer, signal) {
            const marks = new Uint8Array(this.count);
            let turn = performance.now();
            for (const change of this.changesAt(pointer, { isEach: true })) {
                if (change !== null) marks[change.number - this.first - 1] = 1;
                if (performance.now() - turn < sliceMilliseconds) continue;
                await nextTurn();
                if (signal?.aborted) break;
                turn = performance.now();
            }
            return marks;
        }

        numbersOf(marks) {
            let count = 0;
            for (let row = 0; row < marks.length; row += 1) count += marks[row];
            const numbers = new Uint32Array(count);
            let at = 0;
            for (let row = 0; row < marks.length; row += 1) if (marks[row]) numbers[at++] = this.first + 1 + row;
            return numbers;
        }

        /**
         * The changes of what is at a pointer, as `history` and `log --path` of the tool have them: `{number, reducer,
         * index, value}`, where `reducer` is the name and `index` its number (0: no single reducer), and
         * `oneOf: [first, last]` are the actions of which one made the change, if that is all that is known. A value
         * that was written again unchanged is no change.
         *
         * `value` is the value after the change. Of a container or a text, only its kind is certain: read the state for
         * what it has.
         *
         * Costs the changes that touch the pointer; if elements of arrays around it come and go, those of the outermost
         * array. Now and then there is `null` instead of a change.
         *
         * `isEach`: as `log --path` has them: of doubtful actions each as it is recorded, and none of skipped ones.
         */
        *changesAt(pointer, { isEach = false } = {}) {
            const parts = partsOf(pointer);
            const touches = this.toucher(pointer);
            const below = pointer + '/';
            // Changes tell all unless elements of an array around the place move: then that array is kept up to date.
            const root = parts.slice(0, this.depthOfMoves(parts));
            const rest = parts.slice(root.length);
            const rootTouches = rest.length > 0 ? this.toucher(pointerOf(root)) : touches;
            const end = this.rowOperation.values;
            let tracked = valueAt(this.keyframes[0].state, root);
            let editor = new Editor();
            let value = valueAt(tracked, rest);
            for (let row = 0; row < this.count; row += 1) {
                if (row % 1024 === 1023) yield null;
                const bits = this.rowFlags.values[row];
                const last = this.unclearRuns.get(row);
                if (last !== undefined && !(isEach && bits & flags.DOUBTFUL)) {
                    const { old, fresh } = this.aroundRun(row, last);
                    tracked = valueAt(fresh, root);
                    editor = new Editor();
                    value = valueAt(tracked, rest);
                    if (!isEach && !isSame(valueAt(old, parts), value)) {
                        const oneOf = [this.first + 1 + row, this.first + 1 + last];
                        yield { number: oneOf[1], reducer: null, index: 0, oneOf, value };
                    }
                    row = last;
                    continue;
                }
                if (!(bits & (flags.KNOWN | flags.COMPUTED))) continue;
                let at = end[row];
                while (at < end[row + 1]) {
                    const reducer = this.operationReducer.values[at];
                    const near = [];
                    let [isTouched, isInside] = [false, true];
                    for (; at < end[row + 1] && this.operationReducer.values[at] === reducer; at += 1) {
                        const path = this.operationPath.values[at];
                        if (!rootTouches(path)) continue;
                        near.push(at);
                        if (!touches(path)) continue;
                        isTouched = true;
                        isInside &&= this.path(path) === pointer || this.path(path).startsWith(below);
                    }
                    if (near.length === 0) continue;
                    let isChanged = false;
                    const around = isTouched && !isInside && rest.length > 0;
                    if (around) editor.release(tracked, rest);
                    const before = around ? valueAt(tracked, rest) : undefined;
                    for (const number of near) {
                        const operation = this.operation(number);
                        if (rest.length > 0) {
                            if (isTouched && isInside) isChanged ||= changesValue(operation);
                            tracked = this.tracked(tracked, root, operation, editor, bits & flags.DOUBTFUL);
                        } else {
                            const change = changeAt(operation, parts);
                            isChanged ||= change.isChange;
                            if ('value' in change) value = change.value;
                        }
                    }
                    if (!isTouched) continue;
                    if (rest.length > 0) value = valueAt(around ? editor.finish(tracked) : tracked, rest);
                    if (around) isChanged = !isSame(before, value);
                    if (!isChanged) continue;
                    const change = { number: this.first + 1 + row, reducer: this.head.reducers[reducer - 1] ?? null, index: reducer, value };
                    if (bits & flags.RUN) change.oneOf = this.runAround(row);
                    if (!isEach || !change.oneOf) yield change;
                }
                if (bits & flags.WHOLE) {
                    tracked = valueAt(this.stateAt(row, mostReducers - 1), root);
                    editor = new Editor();
                    value = valueAt(tracked, rest);
                }
            }
        }

        /** The values at a pointer before and after a change of `changesAt`: `{old, fresh}`. */
        valuesOf({ number, index, oneOf }, pointer) {
            const before = index > 0 ? { number, reducer: index - 1 } : (oneOf?.[0] ?? number) - 1;
            return { old: this.value(before, pointer), fresh: this.value(index > 0 ? { number, reducer: index } : number, pointer) };
        }

        /** The operations of an action at or below a pointer. */
        operationsAt(number, pointer) {
            const row = number - this.first - 1;
            const operations = [];
            for (let at = this.rowOperation.values[row]; at < this.rowOperation.values[row + 1]; at += 1) {
                const path = this.path(this.operationPath.values[at]);
                if (path === pointer || path.startsWith(pointer + '/')) operations.push(this.operation(at));
            }
            return operations;
        }

        /** The first and the last action of the run of skipped ones that ends with a row. */
        runAround(row) {
            let first = row;
            while (
                first > 0 &&
                this.rowFlags.values[first - 1] & flags.SKIPPED &&
                !(this.rowFlags.values[first - 1] & flags.KNOWN)
            ) {
                first -= 1;
            }
            return [this.first + 1 + first, this.first + 1 + row];
        }

        /** The number of names that lead to the outermost container around a place whose elements come and go. */
        depthOfMoves(parts) {
            const containers = parts.map((_, depth) => pointerOf(parts.slice(0, depth)));
            let depth = parts.length;
            for (let number = 0; number < this.pathNames.size; number += 1) {
                const path = this.path(number);
                let at = containers.indexOf(path);
                if (at >= 0 && at < depth && this.isSpliced(number)) depth = at;
                const slash = path.lastIndexOf('/');
                if (slash < 0) continue;
                const name = path.slice(slash + 1);
                if (name !== '-' && indexOf(name) < 0) continue;
                at = containers.indexOf(path.slice(0, slash));
                if (at >= 0 && at < depth && this.isAddedOrRemoved(number)) depth = at;
            }
            return depth;
        }

        isSpliced(number) {
            if (this.splicedPaths?.operations !== this.operationPath.length) {
                const paths = new Uint8Array(this.pathNames.size);
                for (let at = 0; at < this.operationPath.length; at += 1) {
                    if (this.operationKind.values[at] === kinds.SPLICE) paths[this.operationPath.values[at]] = 1;
                }
                this.splicedPaths = { operations: this.operationPath.length, paths };
            }
            return this.splicedPaths.paths[number] === 1;
        }

        /** The value at a path after an operation on the state around it. */
        tracked(value, root, operation, editor, isLenient) {
            const { op, parts } = operation;
            if (startsWith(parts, root)) {
                const inner = parts.slice(root.length);
                if (inner.length === 0 && op === 'remove') return undefined;
                if (inner.length === 0 && (op === 'add' || op === 'replace')) return operation.value;
                if (value === undefined) return undefined;
                const local = { ...operation, parts: inner };
                try {
                    return isLenient ? editor.applyLeniently(value, local) : editor.apply(value, local);
                } catch (error) {
                    if (error instanceof Mismatch) return value;
                    throw error;
                }
            }
            if (!startsWith(root, parts)) return value;
            const inner = root.slice(parts.length);
            if (op === 'replace' || op === 'add') return valueAt(operation.value, inner);
            if (op === 'remove') return undefined;
            return value;
        }

        // MARK: Filters

        /**
         * The numbers of the actions that meet all conditions: `types` (a set of names), `text` (in the type or the
         * payload, in any case), `path` (they changed something there), `reducer` (a name or a number: it changed
         * something), `minDuration` (ns), `changed` (`true`: they changed something; `false`: nothing), `problems`
         * (`true`: they were not encoded, not finished, or their states are missing or doubtful).
         */
        async filter({ types, text, path, reducer, minDuration, changed, problems } = {}, { signal } = {}) {
            const marks = new Uint8Array(this.count).fill(1);
            const keep = (isKept) => {
                for (let row = 0; row < marks.length; row += 1) if (marks[row] && !isKept(row)) marks[row] = 0;
            };
            if (types && types.size >= 0) {
                const isKept = (_, at) => (types.has(this.typeName(at)) ? 1 : 0);
                const kept = Uint8Array.from({ length: this.typeNames.size }, isKept);
                keep((row) => kept[this.rowType.values[row]] === 1);
            }
            if (minDuration > 0) keep((row) => this.rowDuration.values[row] >= minDuration);
            if (changed === true) keep((row) => !(this.rowFlags.values[row] & flags.UNCHANGED));
            if (changed === false) keep((row) => (this.rowFlags.values[row] & flags.UNCHANGED) !== 0);
            if (problems) {
                const bits = flags.PROBLEM | flags.UNFINISHED | flags.DOUBTFUL | flags.SKIPPED;
                keep((row) => (this.rowFlags.values[row] & bits) !== 0 || !(this.rowFlags.values[row] & flags.KNOWN));
            }
            if (reducer !== undefined && reducer !== null) {
                const wanted = new Set();
                this.head.reducers.forEach((name, at) => {
                    if (name === reducer || at + 1 === reducer) wanted.add(at + 1);
                });
                keep((row) => {
                    for (let at = this.rowOperation.values[row]; at < this.rowOperation.values[row + 1]; at += 1) {
                        if (wanted.has(this.operationReducer.values[at])) return true;
                    }
                    return false;
                });
            }
            if (path !== undefined && path !== null) {
                const changed = await this.rowsChanging(path, signal);
                keep((row) => changed[row] === 1);
            }
            if (text) {
                const found = new Uint8Array(this.count);
                for await (const { row, offset } of this.rowsWith(text, { signal, isWithin: 'content' })) {
                    if (offset >= 0) found[row] = 1;
                }
                keep((row) => found[row] === 1);
            }
            return this.numbersOf(marks);
        }

        // MARK: Blame

        /**
         * Who set what is at a pointer: `{number, reducer, index}`, or with `oneOf: [first, last]` if one of several
         * actions did; `null` if it is from the start, and `undefined` if nothing is there.
         *
         * Elements of arrays are followed through insertions, removals and moves, as `hindsight blame` does. Of a
         * container that is not empty, the last change inside counts.
         */
        blame(position, pointer) {
            const place = this.place(position);
            const state = this.state(position);
            let parts = partsOf(pointer);
            if (!place || valueAt(state, parts) === undefined) return undefined;
            const origin = (row, index) => ({
                number: this.first + 1 + row,
                reducer: this.head.reducers[index - 1] ?? null,
                index,
            });
            let { row } = place;
            for (const [first, last] of this.unclearRuns) {
                // Within an unclear run, only the state before it tells.
                if (first > row || last < row || (last === row && place.reducer === null)) continue;
                const old = this.stateAt(first - 1, mostReducers - 1);
                parts = undoFollowing(differenceOf(old, state), parts, () => old);
                if (parts === null) return { ...origin(row, 0), oneOf: [this.first + 1 + first, this.first + 1 + row] };
                row = first - 1;
            }
            let relation = new Relation(this, parts);
            for (; row >= 0; row -= 1) {
                const bits = this.rowFlags.values[row];
                const upTo = row === place.row ? (place.reducer ?? mostReducers) : mostReducers;
                const first = upTo === mostReducers ? this.firstOfRun(row) : undefined;
                if (first !== undefined) {
                    const { old, fresh } = this.aroundRun(first, row);
                    const undone = undoFollowing(differenceOf(old, fresh), parts, () => old);
                    if (undone === null) {
                        return { ...origin(row, 0), oneOf: [this.first + 1 + first, this.first + 1 + row] };
                    }
                    parts = undone;
                    relation = new Relation(this, parts);
                    row = first;
                    continue;
                }
                let end = this.rowOperation.values[row + 1];
                const start = this.rowOperation.values[row];
                while (end > start) {
                    const reducer = this.operationReducer.values[end - 1];
                    let from = end;
                    let isRelated = false;
                    let near = 0;
                    while (from > start && this.operationReducer.values[from - 1] === reducer) {
                        from -= 1;
                        const found = relation.of(from);
                        if (found === 1) isRelated = true;
                        else if (found === 2) near += 1;
                    }
                    if (Math.max(1, reducer) <= upTo && (isRelated || near > 1)) {
                        const operations = [];
                        for (let at = from; at < end; at += 1) operations.push(this.operation(at));
                        const undone = undoFollowing(operations, parts, () => this.stateBefore(row, reducer));
                        if (undone === null) {
                            const set = origin(row, reducer);
                            if (bits & flags.RUN) set.oneOf = this.runAround(row);
                            return set;
                        }
                        if (undone !== parts) {
                            parts = undone;
                            relation = new Relation(this, parts);
                        }
                    }
                    end = from;
                }
            }
            return null;
        }
    }

    /** Whether an operation changes the value at its path. */
    function changesValue({ op, old, value, remove, insert }) {
        if (op === 'replace') return !isSame(old, value);
        return op === 'add' || op === 'remove' || !isSame(remove, insert);
    }

    /**
     * What an operation does with the value at a place whose containers keep their elements: `{isChange}`, and `value` if
     * it becomes another one.
     */
    function changeAt(operation, parts) {
        const { op } = operation;
        if (operation.parts.length > parts.length) return { isChange: changesValue(operation) };
        const inner = parts.slice(operation.parts.length);
        if (op === 'splice' || op === 'edit') return { isChange: changesValue(operation) };
        const [old, value] = [operation.old, operation.value].map((it) => valueAt(it, inner));
        return { isChange: !isSame(old, value), value };
    }

    return RecordingQuestions;
})();
