import sharp from 'sharp'

/** Small valid files of each type. */
export async function mediaSamples(): Promise<Readonly<Record<string, Uint8Array>>> {
  const picture = () =>
    sharp({ create: { width: 8, height: 6, channels: 3, background: '#c04020' } })
  return {
    'image/png': await picture().png().toBuffer(),
    'image/jpeg': await picture().jpeg().toBuffer(),
    'image/webp': await picture().webp().toBuffer(),
    'image/avif': await picture().avif().toBuffer(),
    'image/gif': await picture().gif().toBuffer(),
    'image/tiff': await picture().tiff().toBuffer(),
    'image/bmp': Buffer.concat([
      Buffer.from('BM'),
      Buffer.from([70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40]),
      Buffer.alloc(57),
    ]),
    'audio/mpeg': Buffer.concat([
      Buffer.from('ID3\x03\0\0\0\0\0\x0a'),
      Buffer.alloc(10),
      mpegFrames(),
    ]),
    'audio/wav': Buffer.concat([
      Buffer.from('RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0'),
      Buffer.alloc(4_000),
    ]),
    'audio/ogg': Buffer.concat([
      Buffer.from('OggS'),
      Buffer.alloc(24),
      Buffer.from('\x01vorbis'),
      Buffer.alloc(30),
    ]),
    'audio/flac': Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(40)]),
    'video/mp4': Buffer.concat([
      Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'),
      Buffer.alloc(100),
    ]),
    'application/pdf': Buffer.from(
      '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n',
      'latin1',
    ),
    'application/zip': Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]),
    'image/svg+xml': Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    ),
    'text/html': Buffer.from('<!doctype html><title>x</title><script>alert(1)</script>'),
    'text/plain': Buffer.from('Text is only text.\n'),
    'text/csv': Buffer.from('a,b\n1,2\n'),
    'application/json': Buffer.from('{"a": "<script>"}'),
  }
}

/** Frames of MPEG-1 layer 3 at 128 kbit/s and 44.1 kHz, silent. */
function mpegFrames(): Buffer {
  const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)])
  return Buffer.concat(Array.from({ length: 8 }, () => frame))
}
