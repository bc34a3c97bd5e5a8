'use strict';

/**
 * What the page asks about all of a recording: which actions touched a path, its history and who set it, filters and
 * search. `RecordingData` has the columns and states that answer.
 */
const RecordingQuestions = (() => {
    const { Exact, isSame, escapeInJSON, decoder, partsOf, pointerOf, indexOf, valueAt, startsWith } = RecordingValues;
    const { Editor, Mismatch } = RecordingPatches;
    const { differenceOf } = RecordingDifferences;
    const { Relation, undoFollowing } = RecordingFollowing;
    const { flags, kinds, mostReducers, nextTurn, sliceMilliseconds } = RecordingColumns;

    const encoder = new TextEncoder();

    /** One text for each number: that of 1.50 is that of 1.5 and 15e-1; `null` for other texts. */
    function canonicalNumber(text) {
        const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text);
        if (!match) return null;
        const [, sign, whole, decimals = '', exponent = '0'] = match;
        const digits = (whole + decimals).replace(/^0+/, '');
        const significant = digits.replace(/0+$/, '');
        if (significant === '') return '0';
        return `${sign}${significant}e${Number(exponent) - decimals.length + digits.length - significant.length}`;
    }

    /** A text or number to search for. */
    class SearchPattern {
        constructor(text) {
            this.text = text;
            this.number = canonicalNumber(text);
            this.expression = new RegExp(text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'iu');
        }

        isIn(text) {
            return this.expression.test(text);
        }

        *matches(value, parts) {
            if (typeof value === 'string') {
                if (this.isIn(value)) yield { path: pointerOf(parts), text: value, isName: false };
            } else if (typeof value === 'number' || value instanceof Exact) {
                if (this.number !== null && canonicalNumber(String(value)) === this.number) {
                    yield { path: pointerOf(parts), text: String(value), isName: false };
                }
            } else if (Array.isArray(value)) {
                for (let index = 0; index < value.length; index += 1) {
                    yield* this.matches(value[index], [...parts, String(index)]);
                }
            } else if (value instanceof Map) {
                for (const [key, member] of value) {
                    const path = [...parts, key];
                    if (this.isIn(key)) yield { path: pointerOf(path), text: key, isName: true };
                    yield* this.matches(member, path);
                }
            }
        }
    }

    class RecordingQuestions {
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

        /** Marks, for each row, whether it touches a pointer. */
        touchedRows(pointer) {
            const touches = this.toucher(pointer);
            const marks = new Uint8Array(this.count);
            const [paths, firsts] = [this.operationPath.values, this.rowOperation.values];
            for (let row = 0; row < this.count; row += 1) {
                for (let at = firsts[row]; at < firsts[row + 1]; at += 1) {
                    if (touches(paths[at])) {
                        marks[row] = 1;
                        break;
                    }
                }
            }
            const parts = partsOf(pointer);
            for (const [first, last] of this.unclearRuns) {
                if (marks[last]) continue;
                const { old, fresh } = this.aroundRun(first, last);
                if (!isSame(valueAt(old, parts), valueAt(fresh, parts))) marks[last] = 1;
            }
            return marks;
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

        /** The numbers of the actions that changed what is at a pointer, inside it, or around it. */
        touching(pointer) {
            return this.numbersOf(this.touchedRows(pointer));
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
         * Every change of what is at a pointer: `{number, reducer, index, old, new}`, where `reducer` is the name and
         * `index` its number (0: no single reducer), and `oneOf: [first, last]` are the actions of which one made the
         * change, if that is all that is known. A value that was written again unchanged is no change.
         *
         * Costs the changes that touch the pointer, and a state at each if elements of arrays around it come and go.
         */
        history(pointer) {
            const changes = [];
            for (const change of this.changesAt(pointer)) changes.push(change);
            return changes;
        }

        *changesAt(pointer) {
            const parts = partsOf(pointer);
            const touches = this.toucher(pointer);
            const marks = this.touchedRows(pointer);
            // Changes apply to the value alone unless elements of an array around it move: then to that array.
            const root = parts.slice(0, this.depthOfMoves(parts));
            const rest = parts.slice(root.length);
            const rootTouches = rest.length > 0 ? this.toucher(pointerOf(root)) : touches;
            const rootMarks = rest.length > 0 ? this.touchedRows(pointerOf(root)) : marks;
            let tracked = valueAt(this.keyframes[0].state, root);
            let editor = new Editor();
            let value = valueAt(tracked, rest);
            for (let row = 0; row < this.count; row += 1) {
                const last = this.unclearRuns.get(row);
                if (last !== undefined) {
                    tracked = valueAt(this.aroundRun(row, last).fresh, root);
                    editor = new Editor();
                    const fresh = valueAt(tracked, rest);
                    const [from, to] = [this.first + 1 + row, this.first + 1 + last];
                    if (!isSame(value, fresh)) {
                        yield { number: to, reducer: null, index: 0, old: value, new: fresh, oneOf: [from, to] };
                    }
                    value = fresh;
                    row = last;
                    continue;
                }
                if (!rootMarks[row]) continue;
                const bits = this.rowFlags.values[row];
                if (!(bits & flags.KNOWN)) continue;
                const number = this.first + 1 + row;
                const end = this.rowOperation.values[row + 1];
                let at = this.rowOperation.values[row];
                while (at < end) {
                    const reducer = this.operationReducer.values[at];
                    let isTouched = false;
                    for (; at < end && this.operationReducer.values[at] === reducer; at += 1) {
                        if (!rootTouches(this.operationPath.values[at])) continue;
                        tracked = this.tracked(tracked, root, this.operation(at), editor, bits & flags.DOUBTFUL);
                        isTouched = true;
                    }
                    if (!isTouched) continue;
                    const fresh = valueAt(tracked, rest);
                    if (!isSame(value, fresh)) {
                        const change = { number, reducer: this.head.reducers[reducer - 1] ?? null, index: reducer };
                        change.old = value;
                        change.new = fresh;
                        if (bits & flags.RUN) change.oneOf = this.runAround(row);
                        yield change;
                        // What was handed out must not change any more.
                        editor = new Editor();
                    }
                    value = fresh;
                }
            }
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
                const touched = this.touchedRows(path);
                keep((row) => touched[row] === 1);
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

        /** The rows whose text has a text, in any case; slice by slice, so that the page stays alive. */
        async *rowsWith(text, { signal, isWithin } = {}) {
            const needle = new RegExp(escapeInJSON(text).replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'giu');
            const headLength = '{"action":'.length;
            const payloadLength = ',"payload":'.length;
            let turn = performance.now();
            let first = 0;
            while (first < this.count) {
                if (performance.now() - turn > sliceMilliseconds) {
                    await nextTurn();
                    turn = performance.now();
                }
                if (signal?.aborted) return;
                const start = this.rowStart.values[first];
                let end = first + 1;
                while (end < this.count && this.rowStart.values[end] - start < 1 << 20) end += 1;
                const stop = end < this.count ? this.rowStart.values[end] : this.scanned;
                const slice = decoder.decode(this.text.subarray(start, stop));
                // If all is ASCII, indices are offsets. Otherwise lines are counted.
                const isASCII = slice.length === stop - start;
                let row = first;
                let line = 0;
                let next = -1;
                needle.lastIndex = 0;
                for (let match = needle.exec(slice); match; match = needle.exec(slice)) {
                    if (isASCII) {
                        while (row + 1 < end && this.rowStart.values[row + 1] - start <= match.index) row += 1;
                        line = this.rowStart.values[row] - start;
                    } else {
                        for (;;) {
                            if (next < 0) {
                                const feed = slice.indexOf('\n', line);
                                // Lines of notes and states belong to the row before.
                                next = feed < 0 ? slice.length : feed + 1;
                                while (next < slice.length && !slice.startsWith('{"action"', next)) {
                                    const other = slice.indexOf('\n', next);
                                    next = other < 0 ? slice.length : other + 1;
                                }
                            }
                            if (next > match.index || row + 1 >= end) break;
                            line = next;
                            row += 1;
                            next = -1;
                        }
                    }
                    const offset = match.index - line;
                    if (isWithin === 'content') {
                        const isIn = this.isInContent(row, offset, match[0].length, isASCII, slice, line, {
                            headLength,
                            payloadLength,
                        });
                        if (!isIn) continue;
                    }
                    yield { row, offset };
                    // One match a row is enough.
                    const feed = slice.indexOf('\n', match.index);
                    if (feed < 0) break;
                    needle.lastIndex = feed;
                }
                first = end;
            }
        }

        /** Whether a match lies in the type or the payload of a row. */
        isInContent(row, offset, length, isASCII, slice, line, { headLength, payloadLength }) {
            const type = this.rowType.values[row];
            const typeLength = this.typeNames.ends.values[type] - this.typeNames.starts.values[type];
            const typeEnd = headLength + 2 + typeLength;
            const content = this.rowContent.values[row];
            if (!isASCII) {
                // Offsets are in bytes.
                const bytes = encoder.encode(slice.slice(line, line + offset)).length;
                if (bytes < headLength || bytes + length > content) return false;
                return !(bytes + length > typeEnd && bytes < typeEnd + payloadLength);
            }
            if (offset < headLength || offset + length > content) return false;
            return !(offset + length > typeEnd && offset < typeEnd + payloadLength);
        }

        // MARK: Search

        /**
         * Finds where a text or number appears, in the order of time: `{number, reducer, where, path, text, isName}`.
         *
         * `where` is `type` (the first action of each type whose name has the text), `payload`, or `state`: a value
         * that has the text after a reducer (`reducer`: its number) and did not have it before. The case does not count.
         * A number appears as the same number. `isName`: the text is in the name of a member.
         */
        async *search(text, { limit = 200, signal } = {}) {
            if (text === '') return;
            const pattern = new SearchPattern(text);
            let left = limit;
            const start = this.keyframes[0].state;
            for (const match of pattern.matches(start, [])) {
                yield { number: this.first, reducer: null, where: 'state', ...match };
                if ((left -= 1) <= 0) return;
            }
            const types = new Set();
            let turn = performance.now();
            for await (const row of this.candidateRows(text, signal)) {
                if (performance.now() - turn > sliceMilliseconds) {
                    await nextTurn();
                    turn = performance.now();
                }
                if (signal?.aborted) return;
                for (const match of this.rowMatches(row, pattern, types)) {
                    yield match;
                    if ((left -= 1) <= 0) return;
                }
            }
        }

        /** The rows whose text has a text, and those that edit texts. */
        async *candidateRows(text, signal) {
            let next = 0;
            const hasEdit = (row) => {
                for (let at = this.rowOperation.values[row]; at < this.rowOperation.values[row + 1]; at += 1) {
                    if (this.operationKind.values[at] === kinds.EDIT) return true;
                }
                return false;
            };
            for await (const { row } of this.rowsWith(text, { signal })) {
                for (; this.hasEdits && next < row; next += 1) if (hasEdit(next)) yield next;
                yield row;
                next = row + 1;
            }
            for (; this.hasEdits && next < this.count; next += 1) if (hasEdit(next)) yield next;
        }

        *rowMatches(row, pattern, types) {
            const number = this.first + 1 + row;
            const type = this.rowType.values[row];
            if (!types.has(type) && pattern.isIn(this.typeName(type))) {
                types.add(type);
                yield { number, reducer: null, where: 'type', path: '', text: this.typeName(type), isName: false };
            }
            const start = this.rowStart.values[row];
            const typeLength = this.typeNames.ends.values[type] - this.typeNames.starts.values[type];
            const payload = '{"action":""'.length + typeLength + ',"payload":'.length;
            if (this.rowContent.values[row] > payload) {
                for (const match of pattern.matches(this.parse(start + payload), [])) {
                    yield { number, reducer: null, where: 'payload', ...match };
                }
            }
            const end = this.rowOperation.values[row + 1];
            let at = this.rowOperation.values[row];
            while (at < end) {
                const reducer = this.operationReducer.values[at];
                const operations = [];
                for (; at < end && this.operationReducer.values[at] === reducer; at += 1) {
                    operations.push(this.operation(at));
                }
                for (const match of this.newMatches(row, reducer, operations, pattern)) {
                    yield { number, reducer: reducer || null, where: 'state', ...match };
                }
            }
            const first = this.firstOfRun(row);
            if (first === undefined) return;
            const { old, fresh } = this.aroundRun(first, row);
            for (const match of this.newMatches(row, 0, differenceOf(old, fresh), pattern, () => old)) {
                yield { number, reducer: null, where: 'state', ...match };
            }
        }

        *newMatches(row, reducer, operations, pattern, before = () => this.stateBefore(row, reducer)) {
            const editedPaths = new Set();
            for (const operation of operations) {
                const { op, path, parts } = operation;
                if (op === 'add') {
                    const name = parts[parts.length - 1];
                    if (name !== undefined && indexOf(name) < 0 && pattern.isIn(name)) {
                        yield { path, text: name, isName: true };
                    }
                    yield* pattern.matches(operation.value, parts);
                } else if (op === 'replace') {
                    const known = new Set();
                    for (const match of pattern.matches(operation.old, parts)) {
                        known.add(`${match.isName} ${match.path}`);
                    }
                    for (const match of pattern.matches(operation.value, parts)) {
                        if (!known.has(`${match.isName} ${match.path}`)) yield match;
                    }
                } else if (op === 'splice') {
                    for (let offset = 0; offset < operation.insert.length; offset += 1) {
                        yield* pattern.matches(operation.insert[offset], [...parts, String(operation.at + offset)]);
                    }
                } else if (op === 'edit' && typeof operation.insert === 'string' && !editedPaths.has(path)) {
                    editedPaths.add(path);
                    const old = valueAt(before(), parts);
                    if (typeof old !== 'string' || pattern.isIn(old)) continue;
                    const editor = new Editor();
                    let fresh = old;
                    for (const edit of operations) {
                        if (edit.path === path && edit.op === 'edit') {
                            fresh = editor.applyLeniently(fresh, { ...edit, parts: [] });
                        }
                    }
                    if (pattern.isIn(fresh)) yield { path, text: fresh, isName: false };
                }
            }
        }

        /** The state before what a reducer did in a row. */
        stateBefore(row, reducer) {
            return reducer > 1 ? this.stateAt(row, reducer - 1) : this.stateAt(row - 1, mostReducers - 1);
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

    return RecordingQuestions;
})();
