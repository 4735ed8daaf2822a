import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allOf, bytesOf, chunksOf, inPieces } from '../../../test/support/bytes.ts'
import { ApiError } from '../../error/api-error.ts'
import { parseMediaType } from '../headers/media-type.ts'
import { readFilePart } from './file-part.ts'

const formType = (boundary: string) =>
  parseMediaType(`multipart/form-data; boundary="${boundary}"`)!
const head = 'Content-Disposition: form-data; name="cover"; filename="a.png"'
const form = (...parts: string[]) => `--b\r\n${parts.join('\r\n--b\r\n')}\r\n--b--\r\n`
const file = `${head}\r\nContent-Type: image/png\r\n\r\nbytes`

/** Reads the form to its end. */
async function read(body: string | AsyncIterable<Uint8Array>, boundary = 'b') {
  const part = await readFilePart(
    formType(boundary),
    typeof body === 'string' ? chunksOf(body) : body,
    'cover',
  )
  return { ...part, bytes: (await allOf(part.bytes)).toString('latin1') }
}

async function refusal(
  body: string | AsyncIterable<Uint8Array>,
  boundary?: string,
): Promise<string> {
  const error = await read(body, boundary).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  expect((error as ApiError).status).toBeGreaterThanOrEqual(400)
  expect((error as ApiError).status).toBeLessThan(500)
  return (error as ApiError).problems[0]!.code
}

describe('readFilePart', () => {
  it('gives the file of a form that a browser or fetch sends', async () => {
    const data = new FormData()
    const bytes = bytesOf(200_000)
    data.append(
      'cover',
      new Blob([bytes.buffer as ArrayBuffer], { type: 'image/png' }),
      'naïve “1”.png',
    )
    const request = new Request('http://localhost/', { method: 'POST', body: data })
    const type = parseMediaType(request.headers.get('content-type')!)!
    const part = await readFilePart(
      type,
      inPieces(new Uint8Array(await request.arrayBuffer()), 777),
      'cover',
    )
    expect(part.fileName).toBe('naïve “1”.png')
    expect(part.contentType).toBe('image/png')
    expect(Buffer.compare(await allOf(part.bytes), bytes)).toBe(0)
  })

  it('gives the same, wherever the body is cut', async () => {
    const body = Buffer.from(
      `preamble\r\n--b \t\r\n${file}\r\n-\r\n--\r\n--c\r\n--b--  \r\nepilogue`,
    )
    for (let size = 1; size <= body.length; size++) {
      expect((await read(inPieces(body, size))).bytes).toBe('bytes\r\n-\r\n--\r\n--c')
    }
  })

  it.each([
    ['no bytes', form(`${head}\r\n\r\n`), ''],
    [
      'line ends and dashes',
      form(`${head}\r\n\r\n\r\n--\r\n\r\n--a--\r\n`),
      '\r\n--\r\n\r\n--a--\r\n',
    ],
    ['no line end behind the last boundary', form(file).trimEnd(), 'bytes'],
    [
      'a type but no file name',
      form('Content-Disposition: form-data; name=cover\r\nContent-Type: image/png\r\n\r\nx'),
      'x',
    ],
    ['odd spelling', form(`CONTENT-DISPOSITION:form-data;name=cover;filename=a \r\n\r\nx`), 'x'],
    [
      'a transfer encoding that changes nothing',
      form(`${head}\r\nContent-Transfer-Encoding: Binary\r\n\r\nx`),
      'x',
    ],
  ])('reads a part with %s', async (_, body, bytes) => {
    expect((await read(body)).bytes).toBe(bytes)
  })

  it.each([
    ['repeated-part', 'two files', form(file, file)],
    [
      'unknown-part',
      'another name',
      form('Content-Disposition: form-data; name="covers"; filename="a"\r\n\r\nx'),
    ],
    [
      'unknown-part',
      'another part behind it',
      form(file, 'Content-Disposition: form-data; name="a"\r\n\r\nx'),
    ],
    [
      'unknown-part',
      'another part before it',
      form('Content-Disposition: form-data; name="a"\r\n\r\nx', file),
    ],
    [
      'unknown-part',
      'a name of the prototype',
      form('Content-Disposition: form-data; name="__proto__"; filename=a\r\n\r\nx'),
    ],
    ['missing-part', 'no part', '--b--\r\n'],
    [
      'missing-part',
      'a text for the file',
      form('Content-Disposition: form-data; name="cover"\r\n\r\nx'),
    ],
    [
      'missing-part',
      'no file chosen',
      form(
        'Content-Disposition: form-data; name="cover"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n',
      ),
    ],
    [
      'unsupported-encoding',
      'a transfer encoding',
      form(`${head}\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA`),
    ],
    [
      'malformed-multipart',
      'a part without a name',
      form('Content-Disposition: form-data\r\n\r\nx'),
    ],
    [
      'malformed-multipart',
      'a part without a disposition',
      form('Content-Type: image/png\r\n\r\nx'),
    ],
    ['malformed-multipart', 'a second part without a name', form(file, 'X: y\r\n\r\nx')],
    [
      'malformed-multipart',
      'another disposition',
      form('Content-Disposition: attachment; name="cover"\r\n\r\nx'),
    ],
    ['malformed-multipart', 'two dispositions', form(`${head}\r\n${head}\r\n\r\nx`)],
    [
      'malformed-multipart',
      'two names',
      form('Content-Disposition: form-data; name="cover"; name="a"\r\n\r\nx'),
    ],
    ['malformed-multipart', 'a folded header', form(`${head};\r\n filename*=UTF-8''b\r\n\r\nx`)],
    ['malformed-multipart', 'a bare line feed in a header', form(`${head}\nX: y\r\n\r\nx`)],
    ['malformed-multipart', 'a NUL in a header', form(`${head}\0\r\n\r\nx`)],
    [
      'malformed-multipart',
      'a space before a colon',
      form(`Content-Disposition : form-data; name="cover"\r\n\r\nx`),
    ],
    ['malformed-multipart', 'a line that is no header', form(`${head}\r\nnothing\r\n\r\nx`)],
    ['malformed-multipart', 'no end of its headers', `--b\r\n${head}\r\n--b--\r\n`],
    ['malformed-multipart', 'something behind a boundary', `--bx\r\n${file}\r\n--b--\r\n`],
    ['malformed-multipart', 'no last boundary', `--b\r\n${file}\r\n`],
    ['malformed-multipart', 'only dashes of the last boundary', `--b\r\n${file}\r\n--b-`],
    ['malformed-multipart', 'an end in its headers', `--b\r\n${head}`],
    ['malformed-multipart', 'an end in its boundary', '--b'],
    ['malformed-multipart', 'no boundary', 'bytes and bytes'],
    ['malformed-multipart', 'no byte', ''],
    ['malformed-multipart', 'another boundary', form(file).replaceAll('--b', '--c')],
    ['malformed-multipart', 'a long preamble', `${'x'.repeat(20_000)}\r\n${form(file)}`],
    ['malformed-multipart', 'long headers', form(`${head}\r\nX: ${'y'.repeat(20_000)}\r\n\r\nx`)],
    ['malformed-multipart', 'many headers', form(`${'X: y\r\n'.repeat(5_000)}${head}\r\n\r\nx`)],
    ['malformed-multipart', 'a long epilogue', `${form(file)}${'x'.repeat(20_000)}`],
    [
      'malformed-multipart',
      'white space without end behind a boundary',
      `--b${' '.repeat(20_000)}`,
    ],
  ])('refuses as %s a form with %s', async (code, _, body) => {
    expect(await refusal(body)).toBe(code)
    expect(await refusal(inPieces(Buffer.from(body), 61))).toBe(code)
  })

  it.each([undefined, '', 'x'.repeat(71), 'a\r\nb', 'a ', 'ü', 'a"b'])(
    'refuses the boundary %j before it reads a byte',
    async (boundary) => {
      const parameters = new Map(boundary === undefined ? [] : [['boundary', boundary]])
      async function* untouched(): AsyncGenerator<Uint8Array, void> {
        yield await Promise.reject(new Error('was read'))
      }
      const reading = readFilePart(
        { type: 'multipart/form-data', parameters },
        untouched(),
        'cover',
      )
      await expect(reading).rejects.toMatchObject({ problems: [{ code: 'malformed-multipart' }] })
    },
  )

  it('stops reading a preamble, headers or an epilogue that do not end', async () => {
    for (const begin of ['', `--b\r\n${head}\r\nX: `, form(file)]) {
      let read = 0
      async function* endless(): AsyncGenerator<Uint8Array, void> {
        yield Buffer.from(begin)
        for (;;) {
          read += 1_000
          yield Buffer.alloc(1_000, 'x')
        }
      }
      expect(await refusal(endless())).toBe('malformed-multipart')
      expect(read).toBeLessThan(40_000)
    }
  })

  it('passes on what breaks off the body, and lets go of it', async () => {
    const gone = new Error('gone')
    let closed = 0
    async function* broken(...chunks: string[]): AsyncGenerator<Uint8Array, void> {
      try {
        yield* chunksOf(...chunks)
        throw gone
      } finally {
        closed++
      }
    }
    for (const begin of ['', '--b', `--b\r\n${head}`, `--b\r\n${file}`, `--b\r\n${file}\r\n--b`]) {
      await expect(read(broken(begin))).rejects.toBe(gone)
    }
    expect(closed).toBe(5)
  })

  it('lets go of the body when the reader leaves, or the form is refused', async () => {
    let closed = 0
    async function* watched(body: string): AsyncGenerator<Uint8Array, void> {
      try {
        for (;;) yield Buffer.from(body)
      } finally {
        closed++
      }
    }
    const part = await readFilePart(formType('b'), watched(`--b\r\n${file}`), 'cover')
    for await (const chunk of part.bytes) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    expect(closed).toBe(1)
    expect(await refusal(watched(form('X: y\r\n\r\nx')))).toBe('malformed-multipart')
    expect(closed).toBe(2)
  })

  it('reads nothing of the file before it is asked for', async () => {
    let read = 0
    async function* counted(): AsyncGenerator<Uint8Array, void> {
      yield Buffer.from(`--b\r\n${file}`)
      for (;;) {
        read++
        yield Buffer.alloc(10_000)
      }
    }
    const part = await readFilePart(formType('b'), counted(), 'cover')
    await new Promise(setImmediate)
    expect(read).toBe(0)
    const bytes = part.bytes[Symbol.asyncIterator]()
    await bytes.next()
    await bytes.next()
    expect(read).toBeLessThanOrEqual(1)
  })

  it('reads any bytes, cut anywhere, as another reader of forms reads them', async () => {
    const piece = fc.constantFrom(
      '\r',
      '\n',
      '-',
      '--',
      '\r\n',
      '--b',
      '\r\n--',
      '\r\n--b'.slice(0, -1),
      'x',
      '\0',
      'ÿ',
    )
    const content = fc
      .array(piece, { maxLength: 40, size: 'max' })
      .map((pieces) => Buffer.from(pieces.join(''), 'latin1'))
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 60 }), async (bytes, size) => {
        fc.pre(!bytes.includes('\r\n--bound') && !bytes.subarray(0, 9).includes('--bound'))
        const body = Buffer.concat([
          Buffer.from(`--bound\r\n${head}\r\n\r\n`),
          bytes,
          Buffer.from('\r\n--bound--\r\n'),
        ])
        const ours = (await read(inPieces(body, size), 'bound')).bytes
        expect(ours).toBe(bytes.toString('latin1'))
        expect(ours).toBe((await readByBusboy(body, 'bound')).toString('latin1'))
      }),
      { numRuns: 300 },
    )
  })

  it('gives a part or a refusal for any mess, and never hangs', async () => {
    const piece = fc.constantFrom(
      '--b',
      '--',
      '\r\n',
      '\n',
      ' ',
      'x',
      ':',
      head,
      '\r\n\r\n',
      '\0',
      '"',
      ';',
      file,
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 30, size: 'max' }),
        fc.integer({ min: 1, max: 90 }),
        async (mess, size) => {
          const reading = read(inPieces(Buffer.from(mess.join('')), size))
          const outcome = await reading.then(
            () => 'read',
            (error) => (error instanceof ApiError ? 'refused' : error),
          )
          expect(['read', 'refused']).toContain(outcome)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

function readByBusboy(body: Buffer, boundary: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const busboy = new Busboy({
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    })
    busboy.on('file', (_: string, stream: BusboyFileStream) => {
      allOf(stream).then(resolve, reject)
    })
    busboy.on('error', reject)
    busboy.end(body)
  })
}
