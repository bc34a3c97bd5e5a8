'use strict';

/** Where a text or number appears in a recording. `RecordingData` has the columns and states that answer. */
const RecordingSearch = (() => {
    const { Exact, bytesOf, escapeInJSON, decoder, partsOf, pointerOf, indexOf, valueAt, startsWith } = RecordingValues;
    const { Editor } = RecordingPatches;
    const { differenceOf } = RecordingDifferences;
    const { flags, kinds, mostReducers, nextTurn, sliceMilliseconds } = RecordingColumns;

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

    /** How often bytes have others. */
    function countIn(bytes, needle) {
        let count = 0;
        for (let at = bytes.indexOf(needle[0]); at >= 0; at = bytes.indexOf(needle[0], at + 1)) {
            let offset = 1;
            while (offset < needle.length && bytes[at + offset] === needle[offset]) offset += 1;
            if (offset === needle.length) count += 1;
        }
        return count;
    }

    /** A text or number to search for. */
    class SearchPattern {
        constructor(text) {
            this.text = text;
            this.number = canonicalNumber(text);
            this.bytes = bytesOf(text);
        }

        isIn(text) {
            return text.includes(this.text);
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

    class RecordingSearch {
        /** The rows whose text has a text; slice by slice, so that the page stays alive. `isWithin`: in any case. */
        async *rowsWith(text, { signal, isWithin } = {}) {
            const isAnyCase = isWithin !== undefined;
            const needle = new RegExp(escapeInJSON(text).replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), isAnyCase ? 'giu' : 'gu');
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
                const bytes = bytesOf(slice.slice(line, line + offset)).length;
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
         * that has the text after a reducer (`reducer`: its number) and did not have it before. The case counts.
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
            const edits = this.hasEdits ? new EditedTexts(this, pattern) : null;
            let turn = performance.now();
            for await (const row of this.candidateRows(text, signal)) {
                if (performance.now() - turn > sliceMilliseconds) {
                    await nextTurn();
                    turn = performance.now();
                }
                if (signal?.aborted) return;
                for (const match of this.rowMatches(row, pattern, types, edits)) {
                    yield match;
                    if ((left -= 1) <= 0) return;
                }
            }
        }

        /** The rows whose text has a text; all rows if some edit texts, which may put it together. */
        async *candidateRows(text, signal) {
            if (this.hasEdits) for (let row = 0; row < this.count; row += 1) yield row;
            else for await (const { row } of this.rowsWith(text, { signal })) yield row;
        }

        *rowMatches(row, pattern, types, edits) {
            const number = this.first + 1 + row;
            const type = this.rowType.values[row];
            if (!types.has(type) && pattern.isIn(this.typeName(type))) {
                types.add(type);
                yield { number, reducer: null, where: 'type', path: '', text: this.typeName(type), isName: false };
            }
            const start = this.rowStart.values[row];
            const typeLength = this.typeNames.ends.values[type] - this.typeNames.starts.values[type];
            const payload = '{"action":""'.length + typeLength + ',"payload":'.length;
            if (this.rowContent.values[row] > payload && (edits === null || this.mayHave(row, payload, pattern))) {
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
                const edited = edits?.take(row, reducer, operations) ?? [];
                for (const match of this.newMatches(operations, pattern, edited)) {
                    yield { number, reducer: reducer || null, where: 'state', ...match };
                }
            }
            edits?.end(row);
            const first = this.firstOfRun(row);
            if (first === undefined) return;
            const { old, fresh } = this.aroundRun(first, row);
            const operations = differenceOf(old, fresh);
            const edited = editedTexts(operations, old, pattern);
            for (const match of this.newMatches(operations, pattern, edited)) {
                yield { number, reducer: null, where: 'state', ...match };
            }
        }

        /** Whether the payload of a row, which begins at an offset, may have a text or number. */
        mayHave(row, offset, pattern) {
            if (pattern.number !== null) return true;
            pattern.escaped ??= bytesOf(escapeInJSON(pattern.text));
            const start = this.rowStart.values[row];
            return countIn(this.text.subarray(start + offset, start + this.rowContent.values[row]), pattern.escaped) > 0;
        }

        /** The matches that operations make. `edited`: those in texts that they edit. */
        *newMatches(operations, pattern, edited) {
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
                } else {
                    const match = edited.find((it) => it.path === path);
                    if (match && operation === match.operation) yield { path, text: match.text, isName: false };
                }
            }
        }

        /** The state before what a reducer did in a row. */
        stateBefore(row, reducer) {
            return reducer > 1 ? this.stateAt(row, reducer - 1) : this.stateAt(row - 1, mostReducers - 1);
        }
    }

    /** The texts in which edits of a state make a text appear: `{path, operation, text}`, with each text's first edit. */
    function editedTexts(operations, old, pattern) {
        const found = new Map();
        for (const operation of operations) {
            if (operation.op !== 'edit' || typeof operation.insert !== 'string') continue;
            const { path, parts } = operation;
            if (!found.has(path)) found.set(path, { path, operation, before: valueAt(old, parts), edits: [] });
            found.get(path).edits.push({ ...operation, path: '/text', parts: ['text'] });
        }
        return [...found.values()].filter((it) => {
            if (typeof it.before !== 'string' || pattern.isIn(it.before)) return false;
            const editor = new Editor();
            let state = new Map([['text', it.before]]);
            for (const edit of it.edits) state = editor.applyLeniently(state, edit);
            it.text = editor.finish(state).get('text');
            return pattern.isIn(it.text);
        });
    }

    /**
     * The texts that a recording edits, followed from its start. How often a text has the pattern changes only around an
     * edit, so an edit costs what it changes.
     */
    class EditedTexts {
        constructor(data, pattern) {
            Object.assign(this, { data, pattern });
            this.state = data.keyframes[0].state;
            this.editor = new Editor();
            /** By path: how often the text there has the pattern. */
            this.counts = new Map();
        }

        /** Takes what a reducer did in a row. Returns the texts in which its edits make the pattern appear. */
        take(row, reducer, operations) {
            const { data } = this;
            if (!this.isPlain(row)) {
                if (!operations.some(({ op }) => op === 'edit')) return [];
                return editedTexts(operations, data.stateBefore(row, reducer), this.pattern);
            }
            if (this.state === undefined) {
                this.state = data.stateBefore(row, reducer);
                this.editor = new Editor();
                this.counts.clear();
            }
            const found = new Map();
            for (const operation of operations) this.apply(operation, found);
            return [...found.values()].filter((it) => it.before === 0 && this.counts.get(it.path) > 0).map((it) => ({ ...it, text: it.entry.text.value }));
        }

        /** Whether the state after a row follows from its changes, and the one before is known. */
        isPlain(row) {
            const { values } = this.data.rowFlags;
            const isKnown = (at) => at < 0 || (values[at] & flags.KNOWN) !== 0;
            return isKnown(row) && isKnown(row - 1) && !(values[row] & (flags.DOUBTFUL | flags.SKIPPED | flags.RUN));
        }

        /** Ends a row. A whole state may follow it. */
        end(row) {
            if (!this.isPlain(row) || this.data.rowFlags.values[row] & flags.WHOLE) this.state = undefined;
        }

        apply(operation, found) {
            const { op, path, parts, at, remove, insert } = operation;
            if (op !== 'edit' || typeof insert !== 'string' || parts.length === 0) {
                const around = op === 'add' || op === 'remove' ? parts.slice(0, -1) : parts;
                for (const other of this.counts.keys()) {
                    if (startsWith(partsOf(other), around)) this.counts.delete(other);
                }
                this.state = this.editor.apply(this.state, operation);
                return;
            }
            const entry = this.editor.opened(this.state, operation);
            this.state = entry.top;
            const { text } = entry;
            if (!this.counts.has(path)) this.counts.set(path, countIn(text.slice(0, text.length), this.pattern.bytes));
            if (!found.has(path)) found.set(path, { path, operation, entry, before: this.counts.get(path) });
            const margin = this.pattern.bytes.length - 1;
            const around = (length) => countIn(text.slice(Math.max(0, at - margin), Math.min(text.length, at + length + margin)), this.pattern.bytes);
            const before = around(bytesOf(remove).length);
            text.edit(operation, false);
            this.counts.set(path, this.counts.get(path) - before + around(bytesOf(insert).length));
        }
    }

    return RecordingSearch;
})();
