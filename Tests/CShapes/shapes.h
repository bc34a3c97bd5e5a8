// C types for tests. Swift's reflection lists no bit fields.

struct flagged {
    char kind;
    unsigned int low : 3;
    unsigned int high : 5;
    int count;
};
