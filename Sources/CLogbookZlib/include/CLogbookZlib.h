#pragma once
// zlib's initialisers are macros, which Swift cannot see. No decisions live here.
#include <string.h>
#include <zlib.h>

/// 16 above the largest window asks zlib for gzip's header and trailer.
static inline int logbook_gzip_deflate_init(z_stream *stream, int level) {
    memset(stream, 0, sizeof *stream);
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int logbook_gzip_inflate_init(z_stream *stream) {
    memset(stream, 0, sizeof *stream);
    return inflateInit2(stream, 15 + 16);
}
