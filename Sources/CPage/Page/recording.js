'use strict';

/**
 * A recording in its text form, as `hindsight export` writes it.
 *
 * Knows nothing of the page. Runs after values.js, patches.js, differences.js, columns.js, following.js, search.js and
 * questions.js; the last two have what is asked about all of a recording.
 *
 * The text stays bytes. While it is read, columns with the facts of each action and each operation are filled, and
 * states are kept at intervals, so that any state is a few changes away. A row is parsed when it is asked for.
 *
 * Values: `null`, booleans, strings, arrays, `Map`s for objects; numbers where JavaScript keeps every digit, otherwise
 * `RecordingData.Exact`; data as `RecordingData.Bytes`. Values are never changed. States share what did not change: it
 * is the identical object.
 *
 * Positions are `{number, reducer}`: after an action if `reducer` is `null` or missing, otherwise after its first
 * `reducer` reducers. A plain number is the position after that action.
 */
const RecordingData = (() => {
    const {
        Exact,
        Bytes,
        bytesOfBase64,
        isContainer,
        isSame,
        textOf,
        Parser,
        partsOf,
        pointerOf,
        indexOf,
        valueAt,
    } = RecordingValues;
    const { Editor, inverted, undoneEdit, patchText, patchOf } = RecordingPatches;
    const { differenceOf } = RecordingDifferences;
    const {
        Column,
        Names,
        flags,
        kinds,
        kindNames,
        mostReducers,
        nextTurn,
        sliceMilliseconds,
        skipValue,
        skipString,
        splitTime,
        timeIn,
        timeText,
    } = RecordingColumns;

    /** The rows that are scanned between two looks at the clock. */
    const rowsBetweenLooks = 512;

    const nameOf = (name) => (typeof name === 'string' ? name : textOf(name));

    class RecordingData extends RecordingQuestions {
        // MARK: Reading

        /**
         * Reads a recording from a stream of its text's bytes.
         *
         * `bytes`: the length of the text, if it is known. `first`: the number of the state at the start; by default
         * what the recording says. `computed`: the number of the action that never finished, if the text has what its
         * reducers did before the process ended, as the tool computed it. `progress(fraction)` is called now and then.
         */
        static async read(stream, { bytes = 0, first, computed = null, progress } = {}) {
            const data = new RecordingData(bytes, first);
            data.computedNumber = computed;
            const reader = stream.getReader();
            let turn = performance.now();
            for (;;) {
                const { done, value } = await reader.read();
                if (done) break;
                data.append(value);
                while (!data.scan()) {
                    if (performance.now() - turn < sliceMilliseconds) continue;
                    progress?.(bytes > 0 ? Math.min(1, data.scanned / bytes) : 0);
                    await nextTurn();
                    turn = performance.now();
                }
            }
            data.finish();
            progress?.(1);
            return data;
        }

        /**
         * The stream of the bytes that a page embeds as base64, deflated in the zlib format or not.
         *
         * `encoding`: `deflate` or `none`.
         */
        static stream(base64, encoding) {
            const slice = 1 << 20;
            let at = 0;
            const source = new ReadableStream({
                pull(controller) {
                    if (at >= base64.length) return controller.close();
                    controller.enqueue(bytesOfBase64(base64.slice(at, at + slice)));
                    at += slice;
                },
            });
            return encoding === 'deflate' ? source.pipeThrough(new DecompressionStream('deflate')) : source;
        }

        constructor(bytes, first) {
            super();
            this.givenFirst = first;
            this.text = new Uint8Array(Math.max(1 << 16, bytes));
            /** The bytes that were appended, and those that were scanned. */
            this.length = 0;
            this.scanned = 0;
            this.head = null;
            this.first = first ?? 0;
            this.count = 0;
            this.notes = [];
            /** What a limit dropped before the first action, if the recording has a line for it. */
            this.dropped = null;
            this.isEnded = false;
            this.computedNumber = null;

            this.rowStart = new Column(Uint32Array);
            this.rowType = new Column(Uint32Array);
            this.rowTime = new Column(Float64Array);
            this.rowDuration = new Column(Float64Array);
            this.rowFlags = new Column(Uint16Array);
            /** The first operation of each row; one more at the end. */
            this.rowOperation = new Column(Uint32Array);
            this.rowOperation.push(0);
            /** The offset in the row's line behind its type and payload. */
            this.rowContent = new Column(Uint32Array);
            this.operationPath = new Column(Uint32Array);
            this.operationStart = new Column(Uint32Array);
            this.operationReducer = new Column(Uint16Array);
            this.operationKind = new Column(Uint8Array);
            this.typeNames = new Names();
            this.pathNames = new Names();
            this.pathCache = [];
            this.partsCache = [];
            this.labels = new Map();
            /** The offsets of the whole states that follow rows. */
            this.wholes = new Map();
            this.hasEdits = false;
            this.longestRow = 0;

            this.parser = new Parser(this.text, 0);
            /** The state after the last row that was scanned; `undefined` if it is not known. */
            this.tip = undefined;
            this.tipEditor = new Editor();
            /** The last state that is known. */
            this.lastKnown = undefined;
            this.isLost = false;
            this.wasDoubtful = false;
            /** `[{row, state}]`, by row. -1 is the start. */
            this.keyframes = [];
            this.keyframeInterval = 256;
            this.sinceKeyframe = { rows: 0, bytes: 0 };
            this.keyframeWeight = 0;
            this.recentStates = new Map();
        }

        /** Appends bytes of the text. If the recording grows, call `scan()` afterwards until it returns `true`. */
        append(bytes) {
            const length = this.length + bytes.length;
            if (length > this.text.length) {
                const longer = new Uint8Array(Math.max(length, Math.ceil(this.text.length * 1.5)));
                longer.set(this.text.subarray(0, this.length));
                this.text = longer;
                this.parser.bytes = longer;
            }
            this.text.set(bytes, this.length);
            this.length = length;
            this.parser.end = length;
            // A search for the end of a line must not go on into what is empty.
            this.filled = this.text.subarray(0, length);
        }

        /** Scans a slice of the lines that were appended. Returns whether none is left. */
        scan() {
            for (let row = 0; row < rowsBetweenLooks; row += 1) {
                const end = this.filled.indexOf(0x0a, this.scanned);
                if (end < 0) return true;
                this.scanLine(this.scanned, end);
                this.scanned = end + 1;
            }
            return false;
        }

        finish() {
            if (this.scanned < this.length) this.scanLine(this.scanned, this.length);
            this.scanned = this.length;
            if (!this.head) throw new Error('the page has no recording');
        }

        scanLine(start, end) {
            const { text } = this;
            if (text[end - 1] === 0x0d) end -= 1;
            if (end - start < 2) return;
            switch (text[start + 2]) {
                case 0x61: // action
                    return this.scanAction(start, end);
                case 0x73: // state
                    return this.scanState(start);
                case 0x6e: // note
                    return this.scanNote(start);
                case 0x65: // end
                    this.isEnded = true;
                    return;
                default:
                    if (!this.head) return this.scanHead(start);
                    throw new Error(`a line of the recording cannot be read, at byte ${start}`);
            }
        }

        parse(at) {
            this.parser.at = at;
            return this.parser.value();
        }

        scanHead(start) {
            if (this.text[start] === 0xef) start += 3;
            const members = this.parse(start);
            if (members.get('hindsight') !== 'recording') throw new Error('the page has no recording');
            const facts = factsOf(members);
            const created = String(members.get('created'));
            this.head = {
                app: members.get('app'),
                version: members.get('version'),
                platform: members.get('platform'),
                created: timeText(created),
                facts,
                reducers: (members.get('reducers') ?? []).map(nameOf),
            };
            this.created = splitTime(created);
            const counts = new Map();
            for (const name of this.head.reducers) counts.set(name, (counts.get(name) ?? 0) + 1);
            this.head.reducers.forEach((name, at) => {
                this.labels.set(counts.get(name) === 1 && !name.startsWith('#') ? name : `#${at + 1}`, at + 1);
            });
            this.reducerLabels = new Names();
            this.labelNumbers = [];
            this.start = Number(members.get('start') ?? 0);
            this.first = this.givenFirst ?? this.start;
            this.tip = members.get('state');
            this.lastKnown = this.tip;
            this.keyframes.push({ row: -1, state: this.tip });
        }

        /** Takes the facts of a first line that was written later than that of the text. */
        takeFacts(line) {
            this.head.facts = factsOf(new Parser(line).value());
            this.redactedPatterns = undefined;
        }

        scanNote(start) {
            const members = this.parse(start);
            this.notes.push({
                name: members.get('note') ?? null,
                text: members.get('text') ?? null,
                number: this.first + this.count,
                reducer: members.get('reducer') ?? null,
                at: timeText(String(members.get('at'))),
                time: this.sinceCreation(splitTime(String(members.get('at')))),
            });
            if (this.count > 0) this.rowFlags.values[this.count - 1] |= flags.NOTE;
        }

        /** The whole state after the last action. */
        scanState(start) {
            const offset = start + '{"state":'.length;
            this.wholes.set(this.count - 1, offset);
            this.tip = this.parse(offset);
            this.tipEditor = new Editor();
            this.wasDoubtful = false;
            // A run that was unclear may end here.
            this.runs = undefined;
            if (this.count > 0) this.rowFlags.values[this.count - 1] |= flags.KNOWN | flags.WHOLE;
            this.keep();
        }

        scanAction(start, end) {
            const { text } = this;
            let at = start + '{"action":'.length;
            const typeStart = at;
            at = skipString(text, at);
            const typeEnd = at;
            let bits = 0;
            let time = 0;
            let duration = NaN;
            let content = at - start;
            let isDropped = false;
            const firstOperation = this.operationPath.length;
            while (text[at] === 0x2c) {
                const key = at + 2;
                at = skipString(text, at + 1) + 1;
                const length = at - 2 - key;
                const letter = text[key];
                if (letter === 0x70 && length === 7) {
                    if (text[key + 1] === 0x61) {
                        at = skipValue(text, at); // payload
                        content = at - start;
                    } else {
                        at = skipString(text, at); // problem
                        bits |= flags.PROBLEM;
                    }
                } else if (letter === 0x63) {
                    at = this.scanChanges(at); // changes
                } else if (letter === 0x61) {
                    const from = at; // at
                    at = skipValue(text, at);
                    time = this.sinceCreation(timeIn(text, from, at));
                } else if (letter === 0x74 && length === 5) {
                    at = text.indexOf(0x5d, at) + 1; // times
                    bits |= flags.EFFECT;
                } else if (letter === 0x72 || (letter === 0x74 && text[key + 1] === 0x72)) {
                    bits |= (letter === 0x74 ? flags.TRAVEL : flags.RUN) | flags.EFFECT; // travel, run
                    at = this.scanOperations(at, 0);
                } else {
                    const from = at;
                    at = skipValue(text, at);
                    if (letter === 0x64) {
                        if (length === 7) isDropped = true;
                        else if (text[key + 1] === 0x6f) bits |= flags.DOUBTFUL;
                        else duration = timeIn(text, from, at).whole;
                    } else if (letter === 0x73) bits |= flags.SKIPPED;
                    else if (letter === 0x70) bits |= flags.HAS_PARENT;
                    else if (letter === 0x6f && text[key + 1] === 0x75) bits |= flags.OUTSIDE;
                }
            }
            if (text[at] !== 0x7d || at + 1 !== end) {
                throw new Error(`a line of the recording cannot be read, at byte ${at}`);
            }
            if (isDropped) {
                this.operationPath.length = firstOperation;
                this.operationStart.length = firstOperation;
                this.operationReducer.length = firstOperation;
                this.operationKind.length = firstOperation;
                this.dropped = start;
                return;
            }
            let hash = 0;
            for (let index = typeStart + 1; index < typeEnd - 1; index += 1) {
                hash = (Math.imul(hash, 31) + text[index]) | 0;
            }
            const type = this.typeNames.number(text, typeStart + 1, typeEnd - 1, hash);
            const isNew = type === this.typeNames.size - 1;
            if (this.travelType === undefined && isNew && this.nameAt(typeStart) === '@travel') {
                this.travelType = type;
            }
            if (type === this.travelType && content === typeEnd - start) bits |= flags.TRAVEL;
            if (Number.isNaN(duration)) bits |= flags.UNFINISHED;
            // Computed steps lead on from the state at the tip, and not to the state after the action.
            const isComputed = this.last + 1 === this.computedNumber && this.tip !== undefined;
            if (isComputed && bits & flags.UNFINISHED && bits & flags.EFFECT) bits ^= flags.EFFECT | flags.COMPUTED;
            const isUnchanged = this.operationPath.length === firstOperation && !(bits & flags.OUTSIDE);
            if (bits & flags.EFFECT && isUnchanged) bits |= flags.UNCHANGED;
            this.rowStart.push(start);
            this.rowType.push(type);
            this.rowTime.push(time);
            this.rowDuration.push(duration);
            this.rowFlags.push(bits);
            this.rowOperation.push(this.operationPath.length);
            this.rowContent.push(content);
            this.longestRow = Math.max(this.longestRow, end - start);
            this.count += 1;
            this.advance(end - start);
        }

        nameAt(quote) {
            this.parser.at = quote;
            return this.parser.string();
        }

        /** Scans `{"label":[operations],…}`. */
        scanChanges(at) {
            const { text } = this;
            at += 1;
            while (text[at] === 0x22) {
                const start = at;
                at = skipString(text, at);
                let hash = 0;
                for (let index = start + 1; index < at - 1; index += 1) hash = (Math.imul(hash, 31) + text[index]) | 0;
                const label = this.reducerLabels.number(text, start + 1, at - 1, hash);
                if (label === this.labelNumbers.length) {
                    this.labelNumbers.push(this.labels.get(this.nameAt(start)) ?? 0);
                }
                at = this.scanOperations(at + 1, this.labelNumbers[label]);
                if (text[at] === 0x2c) at += 1;
            }
            return at + 1;
        }

        /** Scans `[{"op":…,"path":…,…},…]`. */
        scanOperations(at, reducer) {
            const { text } = this;
            at += 1;
            while (text[at] === 0x7b) {
                const start = at;
                const letter = text[at + 7];
                let kind = kinds.ADD;
                if (letter === 0x72) kind = text[at + 9] === 0x6d ? kinds.REMOVE : kinds.REPLACE;
                else if (letter === 0x73) kind = kinds.SPLICE;
                else if (letter === 0x65) {
                    kind = kinds.EDIT;
                    this.hasEdits = true;
                }
                at += 10;
                while (text[at] !== 0x22) at += 1;
                at += '","path":"'.length - 1;
                const path = at + 1;
                let hash = 0;
                at = path;
                for (;;) {
                    const byte = text[at];
                    if (byte === 0x22 || byte === undefined) break;
                    if (byte === 0x5c) {
                        hash = (Math.imul(hash, 31) + byte) | 0;
                        at += 1;
                    }
                    hash = (Math.imul(hash, 31) + text[at]) | 0;
                    at += 1;
                }
                this.operationPath.push(this.pathNames.number(text, path, at, hash));
                this.operationStart.push(start);
                this.operationReducer.push(reducer);
                this.operationKind.push(kind);
                at += 1;
                while (text[at] === 0x2c) at = skipValue(text, skipString(text, at + 1) + 1);
                at += 1;
                if (text[at] === 0x2c) at += 1;
            }
            return at + 1;
        }

        sinceCreation(time) {
            return (time.micros - this.created.micros) / 1000 + (time.rest - this.created.rest) / 1e6;
        }

        // MARK: States

        /** Takes the last row's changes into the state at the tip. */
        advance(size) {
            const row = this.count - 1;
            const bits = this.rowFlags.values[row];
            const isDoubtful = (bits & flags.DOUBTFUL) !== 0;
            if (!(bits & flags.EFFECT)) {
                if (!(bits & flags.SKIPPED)) this.isLost = true;
                this.tip = undefined;
            } else if (bits & flags.RUN && this.lastKnown !== undefined && !this.isLost) {
                // The changes of the run begin with the state before it.
                this.tip = this.lastKnown;
            }
            if (this.isLost || !(bits & flags.EFFECT)) return;
            if (this.tip === undefined) return;
            const before = this.tipEditor.copied;
            try {
                this.tip = this.applied(this.tip, row, -1, mostReducers, this.tipEditor, isDoubtful);
            } catch (error) {
                throw new Error(`action ${this.last}: its patch does not fit the state: ${error.message}`);
            }
            this.lastKnown = this.tip;
            this.rowFlags.values[row] |= flags.KNOWN;
            const since = this.sinceKeyframe;
            since.rows += 1;
            since.bytes += size + (this.tipEditor.copied - before) * 8;
            if (isDoubtful || this.wasDoubtful) {
                // The states of doubtful rows do not follow from one another.
                this.keep();
            } else if (since.rows >= this.keyframeInterval || since.bytes > 4 << 20) {
                this.keep();
            }
            this.wasDoubtful = isDoubtful;
        }

        /** Keeps the state at the tip. */
        keep() {
            const row = this.count - 1;
            this.tipEditor.finish(this.tip);
            this.lastKnown = this.tip;
            if (this.keyframes[this.keyframes.length - 1]?.row === row) this.keyframes.pop();
            this.keyframes.push({ row, state: this.tip });
            this.keyframeWeight += this.tipEditor.copied * 32 + this.sinceKeyframe.bytes;
            this.tipEditor = new Editor();
            this.sinceKeyframe = { rows: 0, bytes: 0 };
            if (this.keyframeWeight < 192 << 20) return;
            // Too much memory: keep every other one.
            this.keyframes = this.keyframes.filter(({ row }, at) => at % 2 === 0 || this.isBarrier(row));
            this.keyframeInterval = Math.min(1 << 16, this.keyframeInterval * 2);
            this.keyframeWeight /= 2;
        }

        /** Whether a state cannot be computed from the one before. */
        isBarrier(row) {
            return row < 0 || (this.rowFlags.values[row] & (flags.WHOLE | flags.DOUBTFUL)) !== 0;
        }

        /** Applies the operations of a row's reducers after one and up to another. */
        applied(state, row, after, upTo, editor, isLenient) {
            const end = this.rowOperation.values[row + 1];
            for (let number = this.rowOperation.values[row]; number < end; number += 1) {
                const reducer = this.operationReducer.values[number];
                // Time travel and runs have one change without a reducer.
                if (Math.max(1, reducer) <= after || reducer > upTo) continue;
                const operation = this.operation(number, isLenient);
                state = isLenient ? editor.applyLeniently(state, operation) : editor.apply(state, operation);
            }
            return state;
        }

        undone(state, row, downTo, from, editor) {
            const start = this.rowOperation.values[row];
            for (let number = this.rowOperation.values[row + 1] - 1; number >= start; number -= 1) {
                const reducer = Math.max(1, this.operationReducer.values[number]);
                if (reducer <= downTo || reducer > from) continue;
                state = editor.apply(state, inverted(this.operation(number)));
            }
            return state;
        }

        path(number) {
            return (this.pathCache[number] ??= this.nameAt(this.pathNames.starts.values[number] - 1));
        }

        parts(number) {
            return (this.partsCache[number] ??= partsOf(this.path(number)));
        }

        /** The operation with a number. `isWhole`: with what it replaces or removes. */
        operation(number, isWhole = true) {
            const { text, parser } = this;
            const path = this.operationPath.values[number];
            const kind = this.operationKind.values[number];
            const operation = { op: kindNames[kind], path: this.path(path), parts: this.parts(path) };
            // Behind `{"op":"…","path":"…"`
            const pathLength = this.pathNames.ends.values[path] - this.pathNames.starts.values[path];
            let at = this.operationStart.values[number] + 18 + operation.op.length + pathLength;
            while (text[at] === 0x2c) {
                const letter = text[at + 2];
                if (letter === 0x6f) {
                    parser.at = at + 7;
                    if (isWhole) operation.old = parser.value();
                    else parser.at = skipValue(text, parser.at);
                } else if (letter === 0x76) {
                    parser.at = at + 9;
                    operation.value = parser.value();
                } else if (letter === 0x61) {
                    parser.at = at + 6;
                    operation.at = parser.value();
                } else {
                    parser.at = at + 10;
                    operation[letter === 0x72 ? 'remove' : 'insert'] = parser.value();
                }
                at = parser.at;
            }
            return operation;
        }

        // MARK: Positions

        /** The number of the last action; that of the first state if there is none. */
        get last() {
            return this.first + this.count;
        }

        /** A position as `{row, reducer}`, where `row` -1 is the start; `null` outside of the recording. */
        place(position) {
            const number = typeof position === 'number' ? position : position.number;
            let reducer = (typeof position === 'number' ? null : position.reducer) ?? null;
            let row = number - this.first - 1;
            if (!Number.isInteger(row) || row < -1 || row >= this.count) return null;
            if (row === -1) return reducer === null ? { row, reducer } : null;
            if (reducer === 0) {
                row -= 1;
                reducer = null;
            }
            const bits = row < 0 ? 0 : this.rowFlags.values[row];
            const isApart = (bits & (flags.SKIPPED | flags.WHOLE | flags.COMPUTED)) !== 0;
            if (reducer !== null && reducer >= this.stepCount(row) && !isApart) reducer = null;
            return { row, reducer };
        }

        /**
         * The position after the last computed step, up to which the tool computed what the reducers of the last action
         * did before the process ended; `null` if it computed none.
         */
        get lastComputed() {
            if (this.count === 0 || !(this.flagsOf(this.last) & flags.COMPUTED)) return null;
            this.computedCount ??= this.row(this.last).times.length;
            return { number: this.last, reducer: this.computedCount };
        }

        /** The position after an action; after its last computed step if it never finished. */
        lastIn(number) {
            const last = this.lastComputed;
            return last?.number === number ? last : { number, reducer: null };
        }

        /** Whether the state at a position was computed, and not recorded. */
        isComputedAt({ number, reducer }) {
            const last = this.lastComputed;
            return last !== null && number === last.number && reducer > 0 && reducer <= last.reducer;
        }

        stepCount(row) {
            return this.rowFlags.values[row] & flags.TRAVEL ? 1 : this.head.reducers.length;
        }

        /** Why the state at a position is not known, as a sentence; `null` if it is. */
        whyNot(position) {
            const place = this.place(position);
            if (!place) return `The recording has no such position: it goes from ${this.first} to ${this.last}.`;
            const { row, reducer } = place;
            if (row < 0) return this.lastKnown === undefined ? 'The recording has no state.' : null;
            const bits = this.rowFlags.values[row];
            if (bits & flags.SKIPPED) {
                if (reducer === null && bits & flags.KNOWN) return null;
                let [start, end] = [row, row];
                const isInRun = (other) => (this.rowFlags.values[other] & flags.SKIPPED) !== 0;
                while (start > 0 && isInRun(start - 1) && !(this.rowFlags.values[start - 1] & flags.KNOWN)) start -= 1;
                while (end + 1 < this.count && !(this.rowFlags.values[end] & flags.KNOWN) && isInRun(end + 1)) end += 1;
                const run = start === end ? 'the state' : `the states of actions ${this.first + 1 + start} to`;
                const of = start === end ? `after action ${this.first + 1 + row}` : `${this.first + 1 + end}`;
                return `The recorder was behind, and left out ${run} ${of}.`;
            }
            if (bits & flags.KNOWN) return null;
            const number = this.first + 1 + row;
            if (this.isComputedAt({ number, reducer })) return null;
            if (bits & flags.UNFINISHED) {
                return row === this.count - 1
                    ? `The process ended in action ${number}. The state after it is not known.`
                    : `Action ${number} never finished. The state after it is not known.`;
            }
            return `The recorder ended before it wrote the state after action ${number}.`;
        }

        /**
         * The state at a position; `undefined` if it is not known (see `whyNot`).
         *
         * Costs the changes since the nearest state that is kept.
         */
        state(position) {
            const place = this.place(position);
            if (!place || this.whyNot(position) !== null) return undefined;
            return this.stateAt(place.row, place.reducer ?? mostReducers - 1);
        }

        stateAt(row, reducer) {
            const key = row * mostReducers + reducer;
            const cached = this.recentStates.get(key);
            if (cached !== undefined) {
                this.recentStates.delete(key);
                this.recentStates.set(key, cached);
                return cached;
            }
            const state = this.computedState(row, reducer, key);
            this.recentStates.set(key, state);
            if (this.recentStates.size > 48) this.recentStates.delete(this.recentStates.keys().next().value);
            return state;
        }

        computedState(row, reducer, key) {
            // Keyframes are after whole actions.
            let [low, high] = [0, this.keyframes.length];
            while (low + 1 < high) {
                const middle = (low + high) >> 1;
                if (this.keyframes[middle].row * mostReducers + mostReducers - 1 <= key) low = middle;
                else high = middle;
            }
            let base = this.keyframes[low].row * mostReducers + mostReducers - 1;
            let { state } = this.keyframes[low];
            let later = Infinity;
            for (const other of this.recentStates.keys()) {
                if (other <= key && other > base) {
                    base = other;
                    state = this.recentStates.get(other);
                } else if (other > key && other < later) {
                    later = other;
                }
            }
            const editor = new Editor();
            const distance = Math.floor(key / mostReducers) - Math.floor(base / mostReducers);
            if (later < Infinity && Math.floor(later / mostReducers) - row < Math.min(distance, 64) + 1) {
                const undone = this.undoneState(this.recentStates.get(later), later, row, reducer, editor);
                if (undone !== undefined) return undone;
            }
            let at = Math.floor(base / mostReducers);
            let after = base - at * mostReducers;
            if (after === mostReducers - 1) {
                at += 1;
                after = -1;
            }
            for (; at <= row; at += 1) {
                const isDoubtful = (this.rowFlags.values[at] & flags.DOUBTFUL) !== 0;
                state = this.applied(state, at, after, at === row ? reducer : mostReducers, editor, isDoubtful);
                after = -1;
            }
            return editor.finish(state);
        }

        /** The state before one that is known, if nothing is in between that cannot be undone. */
        undoneState(state, later, row, reducer, editor) {
            const barriers = flags.WHOLE | flags.DOUBTFUL | flags.SKIPPED;
            const from = Math.floor(later / mostReducers);
            for (let at = from; at >= row; at -= 1) {
                if (at === row && reducer === mostReducers - 1) break;
                if (this.rowFlags.values[at] & barriers) return undefined;
                const upTo = at === from ? later - from * mostReducers : mostReducers;
                state = this.undone(state, at, at === row ? reducer : 0, upTo, editor);
            }
            return editor.finish(state);
        }

        /** The value at a JSON Pointer; `undefined` if there is none. */
        value(position, pointer) {
            return valueAt(this.state(position), partsOf(pointer));
        }

        // MARK: Actions

        get types() {
            return Array.from({ length: this.typeNames.size }, (_, number) => ({
                name: this.typeName(number),
                count: this.typeNames.counts.values[number],
            }));
        }

        typeName(number) {
            this.typeCache ??= [];
            return (this.typeCache[number] ??= this.nameAt(this.typeNames.starts.values[number] - 1));
        }

        /** The index in `types` of an action's type. */
        typeIndexOf(number) {
            return this.rowType.values[number - this.first - 1];
        }

        typeOf(number) {
            return this.typeName(this.typeIndexOf(number));
        }

        /** Milliseconds since the recording was created. */
        timeOf(number) {
            return this.rowTime.values[number - this.first - 1];
        }

        /** When the recording was closed, or its last action began: milliseconds since it was created. */
        get endTime() {
            const { closed } = this.head.facts;
            const last = this.count > 0 ? this.timeOf(this.last) : 0;
            return /^-?\d+$/.test(closed) ? Math.max(last, this.sinceCreation(splitTime(String(closed)))) : last;
        }

        /** Nanoseconds; NaN if the action never finished. */
        durationOf(number) {
            return this.rowDuration.values[number - this.first - 1];
        }

        flagsOf(number) {
            return this.rowFlags.values[number - this.first - 1];
        }

        /** All that the recording says of an action. */
        row(number) {
            return this.parsedRow(this.rowStart.values[number - this.first - 1], number);
        }

        parsedRow(start, number) {
            const members = this.parse(start);
            const at = String(members.get('at'));
            const patches = (key) =>
                members.has(key) ? [{ reducer: null, index: 0, patch: patchOf(members.get(key)) }] : [];
            const changes = [...patches('travel'), ...patches('run')];
            for (const [label, patch] of members.get('changes') ?? []) {
                const index = this.labels.get(label) ?? 0;
                changes.push({ reducer: this.head.reducers[index - 1] ?? label, index, patch: patchOf(patch) });
            }
            const parent = members.get('parent');
            const thread = members.get('thread');
            const duration = members.get('duration');
            const time = splitTime(at);
            // What was computed later says nothing of how long it took.
            const timeOf = number === this.computedNumber ? () => NaN : Number;
            return {
                number,
                type: members.get('action'),
                payload: members.get('payload'),
                at: timeText(at),
                time: this.sinceCreation(time),
                duration: duration === undefined ? NaN : Number(duration),
                times: (members.get('times') ?? []).map(timeOf),
                parent: parent === undefined ? null : number + Number(parent),
                origin: members.get('origin') ?? null,
                thread: thread === undefined ? null : Object.fromEntries(thread),
                problem: members.get('problem') ?? null,
                doubtful: members.get('doubtful') ?? null,
                skipped: members.get('skipped') ?? false,
                outside: Number(members.get('outside') ?? 0),
                travel: members.has('travel') || (members.get('action') === '@travel' && !members.has('payload')),
                changes,
            };
        }

        /**
         * What each reducer of an action did, in order, also those that changed nothing; of an action that never finished,
         * those whose steps were computed.
         */
        steps(number) {
            const row = this.row(number);
            const byIndex = new Map(row.changes.map((change) => [change.index, change.patch]));
            if (byIndex.has(0)) {
                return [{ reducer: null, index: 0, changes: byIndex.get(0), duration: row.duration }];
            }
            return row.times.map((duration, at) => ({
                reducer: this.head.reducers[at] ?? null,
                index: at + 1,
                changes: byIndex.get(at + 1) ?? [],
                duration,
            }));
        }

        /** The paths that an action changed. */
        changedPaths(number) {
            const row = number - this.first - 1;
            const paths = new Set();
            for (let at = this.rowOperation.values[row]; at < this.rowOperation.values[row + 1]; at += 1) {
                paths.add(this.path(this.operationPath.values[at]));
            }
            return [...paths];
        }

        /**
         * The operations that lead from the state at one position to that at another, as `diff` finds them; at a path
         * if there is one. `null` if one of the states is not known.
         */
        changes(from, to, pointer = '') {
            const [old, fresh] = [this.state(from), this.state(to)];
            if (old === undefined || fresh === undefined) return null;
            const parts = partsOf(pointer);
            return differenceOf(valueAt(old, parts), valueAt(fresh, parts));
        }

        /** How the recording ended. */
        get ending() {
            const { facts } = this.head;
            if (facts.closed !== undefined) return { kind: 'closed', text: 'closed', number: null, reducer: null };
            if (this.isOpen) {
                const text = 'open: it was being recorded when this page was made';
                return { kind: 'open', text, number: null, reducer: null };
            }
            const cause = this.crashCause();
            const end = (kind, text, number = null, reducer = null) => ({
                kind,
                text: cause ? `${text}; ${cause}` : text,
                number,
                reducer,
            });
            const { during, died } = facts;
            const crash = diedAt(died);
            // Of a part of a recording, the rows may be numbered anew.
            const shift = this.first - this.start;
            const row = this.count - 1;
            const isUnfinished = row >= 0 && (this.rowFlags.values[row] & flags.UNFINISHED) !== 0;
            if (crash && isUnfinished && (crash.number === this.last || crash.number + shift === this.last)) {
                crash.number = this.last;
                if (crash.reducer > this.head.reducers.length) crash.reducer = 0;
                const name = this.head.reducers[crash.reducer - 1];
                const place =
                    crash.reducer > 0
                        ? `reducer ${crash.reducer} of ${this.head.reducers.length} (${name})`
                        : 'outside its reducers';
                const text = `crashed in action ${crash.number}, ${place}; the state after it is not known`;
                return end('crashed', text, crash.number, crash.reducer || null);
            }
            if (typeof facts.stopped === 'string') {
                return end('open', `open: the recorder had to stop; all before that is here. ${facts.stopped}`);
            }
            if (facts.salvaged !== undefined) {
                return end('open', `open: this part was salvaged from a damaged recording, ${nameOf(facts.salvaged)}`);
            }
            if (isUnfinished) {
                const text = `crashed in action ${this.last}; the state after it is not known`;
                return end('crashed', text, this.last);
            }
            return end('open', [openEnd(during), this.loss()].filter(Boolean).join('; '));
        }

        /** The actions that are missing at the end, as a clause; `null` if none are. */
        loss() {
            const { lost, lacksJournal } = this.head.facts;
            const match = /^(\d+)-(\d+)$/.exec(lost ?? '');
            if (match && match[1] === match[2]) return `action ${match[1]} had begun and is in no file`;
            if (match) return `actions ${match[1]} to ${match[2]} had begun and are in no file`;
            return lacksJournal === undefined ? null : `its journal is missing or damaged: what came after action ${this.last} is not known`;
        }

        /** The cause of the process's end, if the recorder marked it, as the tool's `info` says it. */
        crashCause() {
            const { signal, exited } = this.head.facts;
            if (typeof signal === 'string') return signal;
            if (typeof signal?.name !== 'string') return exited === undefined ? null : 'it called exit';
            const place = signal.main === true ? 'on the main thread' : 'on a background thread';
            const isDispatching = typeof signal.dispatching === 'boolean' ? signal.dispatching : null;
            const thread = { true: 'on the thread that dispatched', false: 'on a thread that did not dispatch' };
            const text = `${signal.name} ${thread[isDispatching] ?? place}`;
            if (signal.stackOverflow === true) return `${text}: its stack overflowed`;
            return typeof signal.address === 'string' ? `${text}, at address ${signal.address}` : text;
        }

        // MARK: Redaction and memory

        /** Whether the recording hides what is at a pointer in states. */
        isRedacted(pointer) {
            const { redaction, redactedFields } = this.head.facts;
            const patterns = (this.redactedPatterns ??= [
                ...(redaction?.states ?? []), ...(redactedFields?.states ?? []),
            ].map((it) => partsOf(it.path ?? it)));
            if (patterns.length === 0) return false;
            const parts = partsOf(pointer);
            return patterns.some((pattern) => matchesPattern(pattern, parts));
        }

        /**
         * Whether a value is a placeholder for what the recording hides. An app may have the same text of its own. While
         * a recording is being made, it may not name the hidden fields yet.
         */
        isPlaceholder(value, pointer) {
            return this.isRedacted(pointer) || (this.isOpen === true && value === '[redacted]');
        }

        /** The bytes that the recording holds, roughly. */
        memory() {
            let columns = 0;
            for (const value of [...Object.values(this), ...Object.values(this.pathNames)]) {
                if (value instanceof Column) columns += value.bytes;
            }
            return this.text.byteLength + columns + this.keyframeWeight;
        }
    }

    /** Whether a path matches a pattern: `*` is one name, `**` any number, a number any number. */
    function matchesPattern(pattern, parts, at = 0, depth = 0) {
        // What is below a hidden place is hidden, too.
        if (at === pattern.length) return true;
        if (pattern[at] === '**') {
            for (let next = depth; next <= parts.length; next += 1) {
                if (matchesPattern(pattern, parts, at + 1, next)) return true;
            }
            return false;
        }
        if (depth === parts.length) return false;
        const areNumbers = indexOf(pattern[at]) >= 0 && indexOf(parts[depth]) >= 0;
        const isMatch = pattern[at] === '*' || pattern[at] === parts[depth] || areNumbers;
        return isMatch && matchesPattern(pattern, parts, at + 1, depth + 1);
    }

    function factsOf(members) {
        const facts = {};
        for (const [key, value] of members.get('facts') ?? []) facts[key] = plain(value);
        return facts;
    }

    /** A value as plain objects; for facts, which are small and ours. */
    function plain(value) {
        if (Array.isArray(value)) return value.map(plain);
        if (value instanceof Map) {
            const object = Object.create(null);
            for (const [key, member] of value) object[key] = plain(member);
            return object;
        }
        return value instanceof Exact ? value.text : value;
    }

    /** What the store was doing when its process ended. */
    function openEnd(during) {
        switch (during?.phase) {
            case 'idle':
                return during.after > 0
                    ? `open: its process ended between two actions, after action ${during.after}, without closing it`
                    : 'open: its process ended before the first action, without closing it';
            case 'middleware before':
                return 'open: its process ended while an action was in middleware, before its reduction';
            case 'middleware after':
                return `open: its process ended while action ${during.seq} was in middleware, after its reduction`;
            case 'subscribers':
                return `open: its process ended while subscribers were told of action ${during.seq}`;
            default:
                return 'open: its process ended without closing it';
        }
    }

    /** Where a process died, of `"115.2"`. */
    function diedAt(died) {
        const match = /^(\d+)(?:\.(\d+))?$/.exec(String(died ?? ''));
        return match ? { number: Number(match[1]), reducer: Number(match[2] ?? 0) } : null;
    }

    Object.assign(RecordingData, flags, {
        Exact,
        Bytes,
        flags,
        text: textOf,
        patchText,
        pointer: pointerOf,
        parts: partsOf,
        valueAt: (value, pointer) => valueAt(value, partsOf(pointer)),
        valueIn: valueAt,
        undoneEdit,
        isSame,
        isContainer,
        difference: differenceOf,
    });
    return RecordingData;
})();
