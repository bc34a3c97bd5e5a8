/**
 * What the page asks about all of a recording: the changes of a path, who set it, and filters. `RecordingData` has the
 * columns and states that answer.
 */
class RecordingQuestions extends RecordingSearch {
    // MARK: Runs

    /**
     * The first and last rows of the runs whose changes are missing or doubtful. The states before and after each run are
     * known.
     */
    get unclearRuns() {
        if (this.runs?.count === this.count) return this.runs.list;
        const list = [];
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
                if (bits & flags.KNOWN) list.push({ first, last: row });
                first = -1;
            }
        }
        this.runs = { count: this.count, list };
        return list;
    }

    /** The unclear run that a row is in. */
    unclearRun(row) {
        const runs = this.unclearRuns;
        const run = runs[lastIndex(runs.length, (at) => runs[at].first <= row)];
        return run !== undefined && row <= run.last ? run : undefined;
    }

    /** The states before and after an unclear run, or the first part of one. */
    aroundRun({ first, last }) {
        return { old: this.stateAt(first - 1), fresh: this.stateAt(last) };
    }

    /** The first and the last action of the run of skipped ones that ends with a row. */
    runAround(row) {
        const isSkipped = (at) => this.rowFlags.values[at] & flags.SKIPPED && !(this.rowFlags.values[at] & flags.KNOWN);
        let first = row;
        while (first > 0 && isSkipped(first - 1)) first -= 1;
        return [this.first + 1 + first, this.first + 1 + row];
    }

    // MARK: Changes of a place

    /** The operations of each reducer in a row: `{reducer, from, end}`, where the last two are indices. */
    *stepsOf(row) {
        const last = this.rowOperation.values[row + 1];
        for (let from = this.rowOperation.values[row]; from < last; ) {
            const reducer = this.operationReducer.values[from];
            let end = from + 1;
            while (end < last && this.operationReducer.values[end] === reducer) end += 1;
            yield { reducer, from, end };
            from = end;
        }
    }

    /** The state before what a reducer did in a row. */
    stateBefore(row, reducer) {
        return reducer > 1 ? this.stateAt(row, reducer - 1) : this.stateAt(row - 1);
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
        const root = parts.slice(0, this.depthOfMoves(parts));
        const [relation, near] = [new Relation(this, parts), new Relation(this, root)];
        const place = new TrackedPlace(root, parts.slice(root.length));
        place.begin(this.keyframes[0].state);
        const isNear = (at) => near.of(at) >= Relation.around;
        // What comes meanwhile may move the place in another way.
        const { count } = this;
        for (let row = 0; row < count; row += 1) {
            if (row % 1024 === 1023) yield null;
            const bits = this.rowFlags.values[row];
            const number = this.first + 1 + row;
            const run = this.unclearRun(row);
            if (run?.first === row && !(isEach && bits & flags.DOUBTFUL)) {
                const { old, fresh } = this.aroundRun(run);
                place.begin(fresh);
                if (!isEach && !isSame(valueAt(old, parts), place.value)) {
                    const oneOf = [number, this.first + 1 + run.last];
                    yield { number: oneOf[1], reducer: null, index: 0, oneOf, value: place.value };
                }
                row = run.last;
                continue;
            }
            if (!(bits & (flags.KNOWN | flags.COMPUTED))) continue;
            let operations;
            for (const { reducer, from, end } of this.stepsOf(row)) {
                const touching = [];
                let around = false;
                for (let at = from; at < end; at += 1) {
                    if (!isNear(at)) continue;
                    touching.push(at);
                    around ||= relation.of(at) === Relation.around;
                }
                if (touching.length === 0) continue;
                operations ??= this.operations(row);
                const before = around ? place.release() : undefined;
                let isChanged = false;
                for (const at of touching) {
                    const operation = operations[at - this.rowOperation.values[row]];
                    if (!around && relation.of(at) === Relation.inside) isChanged ||= changesValue(operation);
                    place.take(operation, (bits & flags.DOUBTFUL) !== 0);
                }
                if (around) isChanged = !isSame(before, place.finished);
                if (!isChanged) continue;
                const oneOf = bits & flags.RUN ? this.runAround(row) : undefined;
                if (isEach && oneOf) continue;
                yield { number, reducer: this.head.reducers[reducer - 1] ?? null, index: reducer, oneOf, value: place.value };
            }
            if (bits & flags.WHOLE) place.begin(this.stateAt(row));
        }
    }

    /** The number of names that lead to the outermost container around a place whose elements come and go. */
    depthOfMoves(parts) {
        const containers = parts.map((_, depth) => pointerOf(parts.slice(0, depth)));
        let depth = parts.length;
        const take = (container) => {
            const at = containers.indexOf(container);
            if (at >= 0 && at < depth) depth = at;
        };
        this.pathNames.texts.forEach((path, number) => {
            const bits = this.pathKinds[number];
            const slash = path.lastIndexOf('/');
            const isElement = indexOf(path.slice(slash + 1)) >= 0 || path.endsWith('/-');
            if (bits & (1 << kinds.splice)) take(path);
            if (isElement && bits & ((1 << kinds.add) | (1 << kinds.remove))) take(path.slice(0, slash));
        });
        return depth;
    }

    /** The operations of an action at or below a pointer. */
    operationsAt(number, pointer) {
        return this.operations(number - this.first - 1).filter(({ path }) => path === pointer || path.startsWith(pointer + '/'));
    }

    /** Marks the rows that changed what is at a pointer; slice by slice, so that the page stays alive. */
    async rowsChanging(pointer, signal) {
        const marks = new Uint8Array(this.count);
        const slice = new TimeSlice();
        for (const change of this.changesAt(pointer, { isEach: true })) {
            if (change !== null) marks[change.number - this.first - 1] = 1;
            if (slice.isOver) await slice.next();
            if (signal?.aborted) break;
        }
        return marks;
    }

    // MARK: Filters

    /**
     * The numbers of the actions that meet all conditions: `types` (names), `text` (in the type or the payload, in any
     * case), `path` (they changed something there), `reducer` (the number of one that changed something),
     * `minDuration` (ns), `changed` (they changed something), `problems` (they were not encoded, not finished, or
     * their states are missing or doubtful).
     */
    async filter({ types, text, path, reducer, minDuration, changed, problems } = {}, { signal } = {}) {
        let rows = Array.from({ length: this.count }, (_, row) => row);
        const bitsOf = (row) => this.rowFlags.values[row];
        if (types) {
            const isKept = this.typeNames.texts.map((name) => types.includes(name));
            rows = rows.filter((row) => isKept[this.rowType.values[row]]);
        }
        if (minDuration > 0) rows = rows.filter((row) => this.rowDuration.values[row] >= minDuration);
        if (changed) rows = rows.filter((row) => !(bitsOf(row) & flags.UNCHANGED));
        if (problems) {
            const bits = flags.PROBLEM | flags.UNFINISHED | flags.DOUBTFUL | flags.SKIPPED;
            rows = rows.filter((row) => (bitsOf(row) & bits) !== 0 || !(bitsOf(row) & flags.KNOWN));
        }
        if (reducer) {
            rows = rows.filter((row) => {
                const [from, end] = this.rowOperation.values.subarray(row, row + 2);
                return this.operationReducer.values.subarray(from, end).includes(reducer);
            });
        }
        if (path !== undefined) {
            const isChanged = await this.rowsChanging(path, signal);
            rows = rows.filter((row) => isChanged[row]);
        }
        if (text) {
            const hasText = new Set();
            for await (const row of this.rowsWithContent(text, signal)) hasText.add(row);
            rows = rows.filter((row) => hasText.has(row));
        }
        return Uint32Array.from(rows, (row) => this.first + 1 + row);
    }

    // MARK: Blame

    /**
     * Who set what is at a pointer: `{number, reducer, index}`, or with `oneOf: [first, last]` if one of several
     * actions did; `null` if it is from the start, and `undefined` if nothing is there.
     *
     * Walks back over the operations that touch the place. Of a container that is not empty, the last change inside
     * counts.
     */
    blame(position, pointer) {
        const place = this.place(position);
        let parts = partsOf(pointer);
        if (!place || this.value(position, pointer) === undefined) return undefined;
        const origin = (row, index, oneOf) => ({
            number: this.first + 1 + row, reducer: this.head.reducers[index - 1] ?? null, index, ...(oneOf && { oneOf }),
        });
        let relation = new Relation(this, parts);
        /** Returns whether operations set the place. Otherwise, follows it. */
        const isSetBy = (operations, before) => {
            const undone = undoFollowing(operations, parts, before);
            if (undone !== null && undone !== parts) relation = new Relation(this, undone);
            parts = undone;
            return undone === null;
        };
        for (let { row } = place; row >= 0; row -= 1) {
            const upTo = row === place.row ? (place.reducer ?? allReducers) : allReducers;
            const run = this.unclearRun(row);
            // Within an unclear run, only the state before it tells.
            if (run !== undefined) {
                const old = this.stateAt(run.first - 1);
                if (isSetBy(differenceOf(old, this.stateAt(row, upTo)), () => old)) {
                    return origin(row, 0, [this.first + 1 + run.first, this.first + 1 + row]);
                }
                row = run.first;
                continue;
            }
            const { values } = this.rowOperation;
            let [touching, beside] = [0, 0];
            for (let at = values[row]; at < values[row + 1]; at += 1) {
                if (relation.of(at) >= Relation.around) touching += 1;
                else beside += relation.of(at);
            }
            if (touching === 0 && beside < 2) continue;
            const operations = this.operations(row);
            for (const { reducer, from, end } of [...this.stepsOf(row)].reverse()) {
                if (Math.max(1, reducer) > upTo) continue;
                const patch = operations.slice(from - values[row], end - values[row]);
                if (!isSetBy(patch, () => this.stateBefore(row, reducer))) continue;
                return origin(row, reducer, this.rowFlags.values[row] & flags.RUN ? this.runAround(row) : undefined);
            }
        }
        return null;
    }
}

/** The value at a place of a state that is walked through, and as much of what is around it as moves it. */
class TrackedPlace {
    constructor(root, rest) {
        this.root = root;
        this.rest = ['root', ...rest];
    }

    begin(state) {
        this.set(valueAt(state, this.root));
    }

    set(value) {
        this.tracked = new Map([['root', value]]);
        this.editor = new Editor();
    }

    /** The value. A text may be one that an edit has changed since. */
    get value() {
        return valueAt(this.tracked, this.rest);
    }

    get finished() {
        this.editor.finish(this.tracked);
        return this.value;
    }

    /** Returns the value, which then stays as it is. */
    release() {
        this.editor.release(this.tracked, this.rest);
        return this.value;
    }

    take(operation, isLenient) {
        const { op, parts } = operation;
        const { root } = this;
        if (parts.length <= root.length && op !== 'splice' && op !== 'edit') {
            return this.set(op === 'remove' ? undefined : valueAt(operation.value, root.slice(parts.length)));
        }
        if (!startsWith(parts, root)) return undefined;
        const local = { ...operation, parts: ['root', ...parts.slice(root.length)] };
        try {
            this.tracked = isLenient ? this.editor.applyLeniently(this.tracked, local) : this.editor.apply(this.tracked, local);
        } catch (error) {
            if (!(error instanceof Mismatch)) throw error;
        }
        return undefined;
    }
}
