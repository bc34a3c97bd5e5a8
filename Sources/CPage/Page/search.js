// Where a text or number appears in a recording.

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
        /** The number of bytes in UTF-8. */
        this.length = encoder.encode(text).length;
        // In the paths of operations, these characters are written in another way.
        const runs = escapeInJSON(text).split(/[/~]/);
        this.needle = runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
        // However a number is written, these digits follow one another, with a point at most.
        this.digits = this.number === null ? null : new RegExp([.../\d+/.exec(this.number)[0]].join('\\.?'));
    }

    /** Whether the text of a row may have a value or a name that matches. `false` is certain. */
    mayOccur(row) {
        return row.includes(this.needle) || (this.digits !== null && this.digits.test(row));
    }

    isIn(text) {
        return text.includes(this.text);
    }

    isSameNumber(value) {
        return this.number !== null && canonicalNumber(String(value)) === this.number;
    }

    *matches(value, parts) {
        const isFound = isNumber(value) ? this.isSameNumber(value) : typeof value === 'string' && this.isIn(value);
        if (isFound) yield { path: pointerOf(parts), text: String(value), isName: false };
        if (!isContainer(value)) return;
        for (const [name, member] of value.entries()) {
            const path = [...parts, String(name)];
            if (value instanceof Map && this.isIn(name)) yield { path: pointerOf(path), text: name, isName: true };
            yield* this.matches(member, path);
        }
    }
}

/** `RecordingData` has the columns and states that answer. */
class RecordingSearch {
    /** The rows whose text meets a condition, or all rows; slice by slice, so that the page stays alive. */
    async *rowsWith(meets, signal) {
        const slice = new TimeSlice();
        for (let row = 0; row < this.count; row += 1) {
            if (slice.isOver) await slice.next();
            if (signal?.aborted) return;
            // The recording may have grown meanwhile, and have another column.
            const { values } = this.rowStart;
            const end = row + 1 < this.count ? values[row + 1] : this.scanned;
            if (meets === null || meets(decoder.decode(this.text.subarray(values[row], end)))) yield row;
        }
    }

    /** The rows that have a text in their type or their payload, in any case. */
    async *rowsWithContent(text, signal) {
        const needle = escapeInJSON(text).toLowerCase();
        const has = (it) => it.toLowerCase().includes(needle);
        for await (const row of this.rowsWith(has, signal)) {
            const members = this.parse(this.rowStart.values[row]);
            if (has(escapeInJSON(members.get('action'))) || has(textOf(members.get('payload') ?? ''))) yield row;
        }
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
        let left = text === '' ? 0 : limit;
        for await (const match of this.allMatches(new SearchPattern(text), signal)) {
            if (left === 0 || signal?.aborted) return;
            left -= 1;
            yield match;
        }
    }

    async *allMatches(pattern, signal) {
        for (const match of pattern.matches(this.keyframes[0].state, [])) {
            yield { number: this.first, reducer: null, where: 'state', ...match };
        }
        const types = new Set();
        // Edits may put a text together that no row has.
        const edits = this.pathKinds.some((bits) => bits & (1 << kinds.edit)) ? new EditedTexts(this, pattern) : null;
        for await (const row of this.rowsWith(edits === null ? (it) => pattern.mayOccur(it) : null, signal)) {
            yield* this.rowMatches(row, pattern, types, edits);
        }
    }

    *rowMatches(row, pattern, types, edits) {
        const number = this.first + 1 + row;
        const type = this.typeOf(number);
        if (!types.has(type) && pattern.isIn(type)) {
            types.add(type);
            yield { number, reducer: null, where: 'type', path: '', text: type, isName: false };
        }
        const members = this.parse(this.rowStart.values[row]);
        if (members.has('payload')) {
            for (const match of pattern.matches(members.get('payload'), [])) {
                yield { number, reducer: null, where: 'payload', ...match };
            }
        }
        for (const { index, patch } of this.changesIn(members)) {
            const edited = edits?.take(row, index, patch) ?? new Map();
            for (const match of this.newMatches(patch, pattern, edited)) {
                yield { number, reducer: index || null, where: 'state', ...match };
            }
        }
        edits?.end(row);
        const run = this.unclearRun(row);
        if (run?.last !== row) return;
        const { old, fresh } = this.aroundRun(run);
        const patch = differenceOf(old, fresh);
        const edited = (edits ?? new EditedTexts(this, pattern)).among(patch, old);
        for (const match of this.newMatches(patch, pattern, edited)) yield { number, reducer: null, where: 'state', ...match };
    }

    /** The matches that operations make. `edited`: the texts in which edits make it appear, by the first edit of each. */
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
            } else if (edited.has(operation)) {
                yield { path, text: edited.get(operation), isName: false };
            }
        }
    }

}

/** The texts that a recording edits, followed from its start. They cost what the edits change. */
class EditedTexts {
    constructor(data, pattern) {
        Object.assign(this, { data, pattern });
        this.begin(data.keyframes[0].state);
    }

    begin(state) {
        this.state = state;
        this.editor = new Editor();
    }

    /** Takes what a reducer did in a row. Returns the texts in which its edits make the pattern appear. */
    take(row, reducer, operations) {
        if (this.state === undefined || !this.isPlain(row)) this.begin(this.data.stateBefore(row, reducer));
        return this.found(operations);
    }

    /** The same of operations that lead on from another state. */
    among(operations, state) {
        this.begin(state);
        const found = this.found(operations);
        this.state = undefined;
        return found;
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

    /** By the first edit of each text in which the pattern appears: the text. */
    found(operations) {
        const appearances = new Set();
        for (const operation of operations) {
            try {
                this.state = this.editor.apply(this.state, operation);
                if (operation.op === 'edit' && this.isAround(operation)) appearances.add(operation.path);
            } catch (error) {
                // What does not fit a doubtful state changes nothing.
                if (!(error instanceof Mismatch)) throw error;
            }
        }
        const found = new Map();
        for (const path of appearances) {
            const edits = operations.filter((it) => it.path === path && it.op === 'edit');
            const text = valueAt(this.editor.finish(this.state), edits[0].parts);
            const has = (value) => typeof value === 'string' && this.pattern.isIn(value);
            const isNew = has(text) && !has(edits.reduceRight(undoneEdit, text));
            if (isNew) found.set(edits[0], text);
        }
        return found;
    }

    /** Whether the pattern is around what an edit inserted. */
    isAround({ at, insert }) {
        const { open } = this.editor;
        if (open === null || typeof insert !== 'string') return false;
        const margin = this.pattern.length - 1;
        const end = at + encoder.encode(insert).length + margin;
        return this.pattern.isIn(decoder.decode(open.text.bytes.subarray(Math.max(0, at - margin), end)));
    }
}
