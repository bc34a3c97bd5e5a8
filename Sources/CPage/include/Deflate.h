#ifndef HINDSIGHT_DEFLATE_H
#define HINDSIGHT_DEFLATE_H

/// `z_stream` of zlib's `zlib.h`, which needs not be installed: the library is loaded at run time. Its layout is fixed,
/// and zlib checks the size that it is given.
typedef struct {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc;
    void *zfree;
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} hindsight_z_stream;

#endif
