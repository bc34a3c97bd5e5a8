/** The actions that are read between two looks at the clock. */
const rowsBetweenLooks = 512;

/**
 * A recording in its text form, as `hindsight export` writes it.
 *
 * Knows nothing of the page. The text stays bytes. While it is read, columns with the facts of each action and each
 * operation are filled, and states are kept at intervals, so that any state is a few changes away. A row is parsed again
 * when it is asked for.
 *
 * Values: `null`, booleans, strings, arrays, `Map`s for objects; numbers where JavaScript keeps every digit, otherwise
 * `Exact`; data as `Bytes`. Values are never changed. States share what did not change: it is the identical object.
 *
 * Positions are `{number, reducer}`: after an action if `reducer` is `null` or missing, otherwise after its first
 * `reducer` reducers. A plain number is the position after that action. A row is an action's index; -1 is the start.
 */
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
        const slice = new TimeSlice();
        for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            data.append(value);
            while (!data.scan()) {
                if (!slice.isOver) continue;
                progress?.(bytes > 0 ? Math.min(1, data.scanned / bytes) : 0);
                await slice.next();
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
        /** The bytes that were appended, those that were scanned, and those in which no other line ends. */
        this.length = 0;
        this.scanned = 0;
        this.searched = 0;
        this.head = null;
        this.first = first ?? 0;
        this.count = 0;
        this.notes = [];
        this.computedNumber = null;

        this.rowStart = new Column(Uint32Array);
        this.rowType = new Column(Uint32Array);
        this.rowTime = new Column(Float64Array);
        this.rowDuration = new Column(Float64Array);
        this.rowFlags = new Column(Uint16Array);
        /** The first operation of each row; one more at the end. */
        this.rowOperation = new Column(Uint32Array);
        this.rowOperation.push(0);
        this.operationPath = new Column(Uint32Array);
        this.operationReducer = new Column(Uint16Array);
        this.operationKind = new Column(Uint8Array);
        this.typeNames = new Names();
        this.pathNames = new Names();
        /** The names in each path, and the kinds of the operations there: a bit for each. */
        this.pathParts = [];
        this.pathKinds = [];
        this.labels = new Map();

        this.parser = new Parser(this.text, 0);
        /** The state after the last row that was scanned; `undefined` if it is not known. */
        this.tip = undefined;
        this.tipEditor = new Editor();
        /** The last state that is known. */
        this.lastKnown = undefined;
        this.isLost = false;
        this.wasDoubtful = false;
        /** `[{row, state}]`, by row. */
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
            // A line may come in thousands of pieces.
            const end = this.filled.indexOf(0x0a, Math.max(this.scanned, this.searched));
            if (end < 0) {
                this.searched = this.length;
                return true;
            }
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
        if (end - start < 3) return undefined;
        switch (text[start + 2]) {
            case 0x61: // action
                return this.scanAction(start, end);
            case 0x73: // state
                return this.scanState(start + '{"state":'.length);
            case 0x6e: // note
                return this.scanNote(start);
            case 0x65: // end
                return undefined;
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
        const members = this.parse(this.text[start] === 0xef ? start + 3 : start);
        if (members.get('hindsight') !== 'recording') throw new Error('the page has no recording');
        this.created = BigInt(String(members.get('created')));
        const reducers = (members.get('reducers') ?? []).map((name) => (typeof name === 'string' ? name : textOf(name)));
        this.head = {
            app: members.get('app'),
            version: members.get('version'),
            platform: members.get('platform'),
            created: timeText(this.created),
            facts: factsOf(members),
            reducers,
        };
        reducers.forEach((name, at) => {
            const isOnly = reducers.indexOf(name) === reducers.lastIndexOf(name) && !name.startsWith('#');
            this.labels.set(isOnly ? name : `#${at + 1}`, at + 1);
        });
        this.start = Number(members.get('start') ?? 0);
        this.first = this.givenFirst ?? this.start;
        this.tip = members.get('state');
        this.keep();
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
            number: this.last,
            reducer: members.get('reducer') ?? null,
        });
        if (this.count > 0) this.rowFlags.values[this.count - 1] |= flags.NOTE;
    }

    /** The whole state after the last action. */
    scanState(at) {
        this.tip = this.parse(at);
        this.tipEditor = new Editor();
        this.wasDoubtful = false;
        // A run that was unclear may end here.
        this.runs = undefined;
        if (this.count > 0) this.rowFlags.values[this.count - 1] |= flags.KNOWN | flags.WHOLE;
        this.keep();
    }

    scanAction(start, end) {
        const members = this.parse(start);
        if (this.parser.at > end) throw new Error(`a line of the recording cannot be read, at byte ${start}`);
        // What a limit dropped before the first action.
        if (members.has('dropped')) return;
        let bits = 0;
        for (const [key, flag] of memberFlags) if (members.has(key)) bits |= flag;
        if (isTravel(members)) bits |= flags.TRAVEL;
        const operations = this.operationsIn(members);
        // Computed steps lead on from the state at the tip, and not to the state after the action.
        const isComputed = this.last + 1 === this.computedNumber && this.tip !== undefined;
        if (!members.has('duration')) {
            bits |= flags.UNFINISHED;
            if (isComputed && bits & flags.EFFECT) bits ^= flags.EFFECT | flags.COMPUTED;
        }
        if (bits & flags.EFFECT && operations.length === 0 && !(bits & flags.OUTSIDE)) bits |= flags.UNCHANGED;
        for (const { op, path, reducer } of operations) {
            const number = this.pathNames.numbers.get(path);
            this.operationPath.push(number);
            this.operationReducer.push(reducer);
            this.operationKind.push(kinds[op]);
            this.pathKinds[number] |= 1 << kinds[op];
        }
        this.rowStart.push(start);
        this.rowType.push(this.typeNames.number(members.get('action')));
        this.rowTime.push(this.sinceCreation(members.get('at') ?? 0));
        this.rowDuration.push(Number(members.get('duration') ?? NaN));
        this.rowFlags.push(bits);
        this.rowOperation.push(this.operationPath.length);
        this.count += 1;
        this.advance(operations, end - start);
    }

    /** What a row's members say of each reducer that changed something: `{reducer, index, patch}`. */
    changesIn(members) {
        const changes = [];
        for (const key of ['travel', 'run']) {
            if (members.has(key)) changes.push({ reducer: null, index: 0, patch: this.patchIn(members.get(key), 0) });
        }
        for (const [label, patch] of members.get('changes') ?? []) {
            const index = this.labels.get(label) ?? 0;
            changes.push({ reducer: this.head.reducers[index - 1] ?? label, index, patch: this.patchIn(patch, index) });
        }
        return changes;
    }

    /** Operations, with the names in their paths and the number of their reducer; 0 of time travel and of runs. */
    patchIn(patch, reducer) {
        return patch.map((members) => {
            const path = members.get('path');
            const number = this.pathNames.number(path);
            const parts = (this.pathParts[number] ??= partsOf(path));
            const operation = { op: members.get('op'), path, parts, reducer };
            for (const key of ['old', 'value', 'at', 'remove', 'insert']) if (members.has(key)) operation[key] = members.get(key);
            return operation;
        });
    }

    operationsIn(members) {
        const changes = this.changesIn(members);
        return changes.length === 1 ? changes[0].patch : changes.flatMap(({ patch }) => patch);
    }

    /** The operations of a row, in the order of the columns. */
    operations(row) {
        return this.operationsIn(this.parse(this.rowStart.values[row]));
    }

    /** Milliseconds since the recording was created, of nanoseconds since 1970. */
    sinceCreation(nanoseconds) {
        return Number(BigInt(String(nanoseconds)) - this.created) / 1e6;
    }

    // MARK: States

    /** Takes the last row's changes into the state at the tip. */
    advance(operations, size) {
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
        if (this.isLost || this.tip === undefined) return;
        const before = this.tipEditor.copied;
        try {
            this.tip = applied(this.tip, operations, this.tipEditor, isDoubtful);
        } catch (error) {
            throw new Error(`action ${this.last}: its patch does not fit the state: ${error.message}`);
        }
        this.lastKnown = this.tip;
        this.rowFlags.values[row] |= flags.KNOWN;
        const since = this.sinceKeyframe;
        since.rows += 1;
        since.bytes += size + (this.tipEditor.copied - before) * 8;
        // The states of doubtful rows do not follow from one another.
        const isApart = isDoubtful || this.wasDoubtful;
        if (isApart || since.rows >= this.keyframeInterval || since.bytes > 4 << 20) this.keep();
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
        const steps = bits & flags.TRAVEL ? 1 : this.head.reducers.length;
        if (reducer !== null && reducer >= steps && !isApart) reducer = null;
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

    /** Whether the state at a position is known. */
    isKnown(position) {
        const place = this.place(position);
        if (!place) return false;
        const { row, reducer } = place;
        if (row < 0) return this.keyframes[0].state !== undefined;
        const bits = this.rowFlags.values[row];
        // Of skipped actions, no reducer's step is recorded.
        if (bits & flags.SKIPPED && reducer !== null) return false;
        return (bits & flags.KNOWN) !== 0 || this.isComputedAt({ number: this.first + 1 + row, reducer });
    }

    /** Why the state at a position is not known, as a sentence; `null` if it is. */
    whyNot(position) {
        if (this.isKnown(position)) return null;
        const place = this.place(position);
        if (!place) return `The recording has no such position: it goes from ${this.first} to ${this.last}.`;
        const { row } = place;
        if (row < 0) return 'The recording has no state.';
        const bits = this.rowFlags.values[row];
        if (bits & flags.SKIPPED) {
            let end = row;
            const isSkipped = (at) => at < this.count && (this.rowFlags.values[at] & flags.SKIPPED) !== 0;
            while (!(this.rowFlags.values[end] & flags.KNOWN) && isSkipped(end + 1)) end += 1;
            const [first, last] = this.runAround(end);
            const states = first === last ? `the state after action ${last}` : `the states of actions ${first} to ${last}`;
            return `The recorder was behind, and left out ${states}.`;
        }
        const number = this.first + 1 + row;
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
        if (!this.isKnown(position)) return undefined;
        const { row, reducer } = this.place(position);
        return this.stateAt(row, reducer ?? allReducers);
    }

    stateAt(row, reducer = allReducers) {
        const key = row * (allReducers + 1) + reducer;
        const state = this.recentStates.get(key) ?? this.computedState(row, reducer, key);
        this.recentStates.delete(key);
        this.recentStates.set(key, state);
        if (this.recentStates.size > 48) this.recentStates.delete(this.recentStates.keys().next().value);
        return state;
    }

    /** Applies the changes since the nearest state that is kept. */
    computedState(row, reducer, key) {
        // Keyframes are after whole actions.
        const keyOf = (row) => row * (allReducers + 1) + allReducers;
        const keyframe = this.keyframes[lastIndex(this.keyframes.length, (at) => keyOf(this.keyframes[at].row) <= key)];
        let [base, state] = [keyOf(keyframe.row), keyframe.state];
        for (const [other, recent] of this.recentStates) if (other <= key && other > base) [base, state] = [other, recent];
        const editor = new Editor();
        let at = Math.floor(base / (allReducers + 1));
        let after = base - at * (allReducers + 1);
        if (after === allReducers) [at, after] = [at + 1, 0];
        for (; at <= row; at += 1) {
            const upTo = at === row ? reducer : allReducers;
            // Time travel and runs have one change without a reducer.
            const operations = this.operations(at).filter((it) => Math.max(1, it.reducer) > after && it.reducer <= upTo);
            state = applied(state, operations, editor, (this.rowFlags.values[at] & flags.DOUBTFUL) !== 0);
            after = 0;
        }
        return editor.finish(state);
    }

    /** The value at a JSON Pointer; `undefined` if there is none. */
    value(position, pointer) {
        return valueAt(this.state(position), partsOf(pointer));
    }

    // MARK: Actions

    get types() {
        return this.typeNames.texts.map((name, number) => ({ name, count: this.typeNames.counts[number] }));
    }

    /** The index in `types` of an action's type. */
    typeIndexOf(number) {
        return this.rowType.values[number - this.first - 1];
    }

    typeOf(number) {
        return this.typeNames.texts[this.typeIndexOf(number)];
    }

    /** Milliseconds since the recording was created. */
    timeOf(number) {
        return this.rowTime.values[number - this.first - 1];
    }

    /** When the recording was closed, or its last action began: milliseconds since it was created. */
    get endTime() {
        const { closed } = this.head.facts;
        const last = this.count > 0 ? this.timeOf(this.last) : 0;
        return /^-?\d+$/.test(closed) ? Math.max(last, this.sinceCreation(closed)) : last;
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
        const members = this.parse(this.rowStart.values[number - this.first - 1]);
        const parent = members.get('parent');
        const thread = members.get('thread');
        // What was computed later says nothing of how long it took.
        const timeOf = number === this.computedNumber ? () => NaN : Number;
        return {
            number,
            type: members.get('action'),
            payload: members.get('payload'),
            at: timeText(BigInt(String(members.get('at') ?? 0))),
            duration: Number(members.get('duration') ?? NaN),
            times: (members.get('times') ?? []).map(timeOf),
            parent: parent === undefined ? null : number + Number(parent),
            origin: members.get('origin') ?? null,
            thread: thread === undefined ? null : Object.fromEntries(thread),
            problem: members.get('problem') ?? null,
            doubtful: members.get('doubtful') ?? null,
            outside: Number(members.get('outside') ?? 0),
            travel: isTravel(members),
            changes: this.changesIn(members),
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
        const { values } = this.operationPath;
        const numbers = new Set(values.subarray(this.rowOperation.values[row], this.rowOperation.values[row + 1]));
        return [...numbers].map((it) => this.pathNames.texts[it]);
    }

    /**
     * The operations that lead from the state at one position to that at another; `null` if one of the states is not
     * known.
     */
    changes(from, to) {
        const [old, fresh] = [this.state(from), this.state(to)];
        return old === undefined || fresh === undefined ? null : differenceOf(old, fresh);
    }

    /** How the recording ended. */
    get ending() {
        const { facts } = this.head;
        if (facts.closed !== undefined) return { kind: 'closed', text: 'closed', number: null };
        if (this.isOpen) return { kind: 'open', text: 'open: it was being recorded when this page was made', number: null };
        const cause = this.crashCause();
        const end = (kind, text, number = null) => ({ kind, text: cause ? `${text}; ${cause}` : text, number });
        const isUnfinished = this.count > 0 && (this.flagsOf(this.last) & flags.UNFINISHED) !== 0;
        const place = isUnfinished ? this.diedIn() : null;
        if (place !== null) return end('crashed', `crashed in action ${this.last}, ${place}; the state after it is not known`, this.last);
        if (typeof facts.stopped === 'string') return end('open', `open: the recorder had to stop; all before that is here. ${facts.stopped}`);
        if (facts.salvaged !== undefined) return end('open', `open: this part was salvaged from a damaged recording, ${facts.salvaged}`);
        if (isUnfinished) return end('crashed', `crashed in action ${this.last}; the state after it is not known`, this.last);
        return end('open', [openEnd(facts.during, this.shift), this.loss()].filter(Boolean).join('; '));
    }

    /** What the numbers of actions in the first line lack: those of a part begin with 1. */
    get shift() {
        return this.first - this.start;
    }

    /** Where in the last action the process died; `null` if the recording does not say. */
    diedIn() {
        const match = /^(\d+)(?:\.(\d+))?$/.exec(String(this.head.facts.died ?? ''));
        if (!match || Number(match[1]) + this.shift !== this.last) return null;
        const { reducers } = this.head;
        const name = reducers[Number(match[2] ?? 0) - 1];
        return name === undefined ? 'outside its reducers' : `reducer ${match[2]} of ${reducers.length} (${name})`;
    }

    /** The actions that are missing at the end, as a clause; `null` if none are. */
    loss() {
        const { lost, lacksJournal } = this.head.facts;
        const match = /^(\d+)-(\d+)$/.exec(lost ?? '');
        const [from, to] = (match ?? []).slice(1).map((number) => Number(number) + this.shift);
        if (match) return from === to ? `action ${from} had begun and is in no file` : `actions ${from} to ${to} had begun and are in no file`;
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

    // MARK: Redaction

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

const factsOf = (members) => plain(members.get('facts') ?? new Map());

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

/** What the store was doing when its process ended. `shift`: what its numbers lack. */
function openEnd(during, shift) {
    const [after, number] = [during?.after + shift, during?.seq + shift];
    switch (during?.phase) {
        case 'idle':
            return after > 0
                ? `open: its process ended between two actions, after action ${after}, without closing it`
                : 'open: its process ended before the first action, without closing it';
        case 'middleware before':
            return 'open: its process ended while an action was in middleware, before its reduction';
        case 'middleware after':
            return `open: its process ended while action ${number} was in middleware, after its reduction`;
        case 'subscribers':
            return `open: its process ended while subscribers were told of action ${number}`;
        default:
            return 'open: its process ended without closing it';
    }
}

/** The members of a row that are flags. */
const memberFlags = [
    ['problem', flags.PROBLEM], ['times', flags.EFFECT], ['travel', flags.EFFECT], ['run', flags.RUN | flags.EFFECT],
    ['doubtful', flags.DOUBTFUL], ['skipped', flags.SKIPPED], ['parent', flags.HAS_PARENT], ['outside', flags.OUTSIDE],
];

/** Whether a row is time travel. */
const isTravel = (members) => members.has('travel') || (members.get('action') === '@travel' && !members.has('payload'));

/** The state after operations. `isLenient`: as far as they fit. */
const applied = (state, operations, editor, isLenient) =>
    operations.reduce((it, operation) => (isLenient ? editor.applyLeniently(it, operation) : editor.apply(it, operation)), state);

/** `2026-11-20T14:03:22.123456Z` of nanoseconds since 1970. */
function timeText(nanoseconds) {
    const micros = Number(nanoseconds / 1000n);
    const millis = Math.floor(micros / 1000);
    const date = new Date(millis);
    if (Number.isNaN(date.getTime())) return String(nanoseconds);
    return `${date.toISOString().slice(0, -1)}${String(micros - millis * 1000).padStart(3, '0')}Z`;
}
