/** A column of numbers that grows: a fact of each action, or of each operation. */
class Column {
    constructor(Type) {
        this.values = new Type(1024);
        this.length = 0;
    }

    push(value) {
        if (this.length === this.values.length) {
            const longer = new this.values.constructor(this.values.length * 2);
            longer.set(this.values);
            this.values = longer;
        }
        this.values[this.length] = value;
        this.length += 1;
    }

    get bytes() {
        return this.values.byteLength;
    }
}

/** Numbers for texts, in the order in which they first appear. */
class Names {
    constructor() {
        this.numbers = new Map();
        this.texts = [];
        this.counts = [];
    }

    get size() {
        return this.texts.length;
    }

    number(text) {
        let number = this.numbers.get(text);
        if (number === undefined) {
            number = this.size;
            this.numbers.set(text, number);
            this.texts.push(text);
            this.counts.push(0);
        }
        this.counts[number] += 1;
        return number;
    }
}

/** What is unusual about an action. */
const flags = {
    /** Time travel. */
    TRAVEL: 1,
    /** The recorder was behind, and left out the state after the action. */
    SKIPPED: 2,
    /** The recorder marked the state after the action as doubtful. */
    DOUBTFUL: 4,
    /** The action could not be encoded. */
    PROBLEM: 8,
    /** The action changed nothing. */
    UNCHANGED: 16,
    /** The action never finished. */
    UNFINISHED: 32,
    /** A note follows. */
    NOTE: 64,
    /** What a run of skipped actions changed. */
    RUN: 128,
    HAS_PARENT: 256,
    /** The state after the action is recorded. */
    KNOWN: 512,
    /** What the reducers did is recorded. */
    EFFECT: 1024,
    /** A whole state follows, to which the changes do not lead. */
    WHOLE: 2048,
    /** The action changed something that the page does not have. */
    OUTSIDE: 4096,
    /** The tool computed what the reducers did before the process ended in the action. */
    COMPUTED: 8192,
};

/** The kinds of operations. */
const kinds = { add: 0, remove: 1, replace: 2, splice: 3, edit: 4 };

/** More reducers than any app has: the position after a whole action. */
const allReducers = 65535;

/** The last index, of so many, of those that meet a condition, which the first ones do; -1 if none does. */
function lastIndex(count, meets) {
    let [low, high] = [-1, count - 1];
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (meets(middle)) low = middle;
        else high = middle - 1;
    }
    return low;
}

/** The time that a long task takes before others have their turn: input, timers, drawing. */
class TimeSlice {
    constructor(milliseconds = 24) {
        this.milliseconds = milliseconds;
        this.start = performance.now();
    }

    get isOver() {
        return performance.now() - this.start > this.milliseconds;
    }

    /** Lets others have their turn. Timers of zero would wait for milliseconds. */
    async next() {
        await new Promise((resolve) => {
            const channel = new MessageChannel();
            channel.port1.onmessage = () => {
                channel.port1.close();
                resolve();
            };
            channel.port2.postMessage(null);
        });
        this.start = performance.now();
    }
}
