import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { allOf, bytesOf, chunksOf, inPieces } from '../../../test/support/bytes.ts'
import { mediaSamples } from '../../../test/support/media.ts'
import { ApiError } from '../../error/api-error.ts'
import { inspectUpload, type UploadConstraints } from './inspect-upload.ts'

let samples: Readonly<Record<string, Uint8Array>>

beforeAll(async () => {
  samples = await mediaSamples()
})

const terms = (more: Partial<UploadConstraints>): UploadConstraints => ({
  contentType: undefined,
  acceptedTypes: ['*/*'],
  maxBytes: 1_000_000,
  ...more,
})

async function passed(content: Uint8Array, more: Partial<UploadConstraints>, size?: number) {
  const { bytes, metadata } = inspectUpload(inPieces(content, size), terms(more))
  expect(Buffer.compare(await allOf(bytes), content)).toBe(0)
  return metadata()
}

async function refusal(content: AsyncIterable<Uint8Array>, more: Partial<UploadConstraints>) {
  const error = await (async () => allOf(inspectUpload(content, terms(more)).bytes))().catch(
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  const [problem] = (error as ApiError).problems
  return [problem!.code, problem!.detail] as const
}

describe('upload', () => {
  it('passes bytes on as they are, counted and hashed, however they come', async () => {
    const sizes = fc.oneof(fc.constantFrom(0, 1, 4_099, 4_100, 4_101), fc.nat(20_000))
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 9_000 }), async (size, piece) => {
        const content = bytesOf(size)
        const facts = await passed(content, { contentType: 'application/x-own' }, piece)
        const sha256 = createHash('sha256').update(content).digest('hex')
        expect(facts).toEqual({ contentType: 'application/x-own', size, sha256 })
      }),
      { numRuns: 60 },
    )
  })

  it('has no metadata before the last byte was read', async () => {
    const { bytes, metadata } = inspectUpload(chunksOf('ab', 'c'), terms({}))
    expect(metadata).toThrow('after all bytes')
    for await (const chunk of bytes) {
      expect(chunk.length).toBeGreaterThan(0)
      expect(metadata).toThrow('after all bytes')
    }
    expect(metadata().size).toBe(3)
  })

  it('is right about a source that uses its chunk again', async () => {
    async function* reusing(): AsyncGenerator<Uint8Array, void> {
      const buffer = Buffer.alloc(1_000)
      for (let fill = 0; fill < 10; fill++) yield buffer.fill(fill)
    }
    const { bytes } = inspectUpload(reusing(), terms({ contentType: 'application/x-own' }))
    const expected = Buffer.concat(
      Array.from({ length: 10 }, (_, fill) => Buffer.alloc(1_000, fill)),
    )
    const parts: Buffer[] = []
    for await (const chunk of bytes) parts.push(Buffer.from(chunk))
    expect(Buffer.compare(Buffer.concat(parts), expected)).toBe(0)
  })

  it('takes each sample as what it is, declared or not', async () => {
    for (const [type, content] of Object.entries(samples)) {
      expect(
        (await passed(content, { contentType: type, acceptedTypes: [type] })).contentType,
      ).toBe(type)
      const undeclared = await passed(content, { contentType: 'application/octet-stream' })
      const showsNothing = /svg|html|text|json/.test(type)
      expect(undeclared.contentType).toBe(showsNothing ? 'application/octet-stream' : type)
    }
  })

  it.each([
    ['image/jpg', 'image/jpeg'],
    ['IMAGE/JPEG', 'image/jpeg'],
    ['image/jpeg; charset=binary', 'image/jpeg'],
  ])('keeps %s as %s', async (contentType, kept) => {
    const facts = await passed(samples['image/jpeg']!, {
      contentType,
      acceptedTypes: ['image/jpeg'],
    })
    expect(facts.contentType).toBe(kept)
  })

  it.each([
    ['text/plain', 'text/plain'],
    ['text/plain; charset=UTF-8', 'text/plain; charset=utf-8'],
    ['text/plain; charset="latin1"; format=flowed', 'text/plain; charset=windows-1252'],
  ])('keeps %s as %s', async (contentType, kept) => {
    expect(
      (await passed(Buffer.from('text'), { contentType, acceptedTypes: ['text/*'] })).contentType,
    ).toBe(kept)
  })

  it.each([
    ['image/gif', ['image/png', 'image/jpeg']],
    ['image/svg+xml', ['image/png']],
    ['text/html', ['image/*']],
    ['imagex/png', ['image/*']],
    ['nonsense', ['*/*']],
    ['image/png, text/html', ['*/*']],
    ['text/plain; charset=utf-7', ['text/*']],
    ['text/plain; charset=x-own', ['text/*']],
  ])('R14: refuses %s where %j is taken, before a byte is read', (contentType, accepts) => {
    async function* untouched(): AsyncGenerator<Uint8Array, void> {
      yield await Promise.reject(new Error('was read'))
    }
    expect(() =>
      inspectUpload(untouched(), terms({ contentType, acceptedTypes: accepts })),
    ).toThrow(accepts.join(', '))
  })

  it('R14: refuses content without a declared type that shows none that is taken', async () => {
    const images = ['image/png', 'image/jpeg']
    expect(await refusal(inPieces(samples['image/gif']!), { acceptedTypes: images })).toEqual([
      'unsupported-media-type',
      'No media type was declared, and the content is image/gif. Accepted media types: image/png, image/jpeg.',
    ])
    expect((await refusal(chunksOf('text'), { acceptedTypes: images }))[1]).toContain(
      'of an unknown type',
    )
    expect((await refusal(chunksOf(), { acceptedTypes: images }))[0]).toBe('unsupported-media-type')
    const octets = { acceptedTypes: images, contentType: 'application/octet-stream' }
    expect((await refusal(chunksOf('text'), octets))[1]).toBe(
      "The media type 'application/octet-stream' does not say what the content is, and the content is of an unknown type. Accepted media types: image/png, image/jpeg.",
    )
  })

  it('3.5: refuses content that is not of its declared type', async () => {
    expect(await refusal(inPieces(samples['text/html']!), { contentType: 'image/png' })).toEqual([
      'content-mismatch',
      "The content was declared as 'image/png', but it is of another type.",
    ])
    expect(
      await refusal(inPieces(samples['image/gif']!, 10), { contentType: 'image/png' }),
    ).toEqual(['content-mismatch', "The content was declared as 'image/png', but it is image/gif."])
    expect(await refusal(inPieces(samples['text/html']!), { contentType: 'text/plain' })).toEqual([
      'content-mismatch',
      "The content was declared as 'text/plain', but it has markup or scripts.",
    ])
  })

  it('N6: stops reading beyond the limit', async () => {
    let read = 0
    let closed = false
    async function* endless(): AsyncGenerator<Uint8Array, void> {
      try {
        for (;;) {
          read += 1_000
          yield bytesOf(1_000)
        }
      } finally {
        closed = true
      }
    }
    const [code, detail] = await refusal(endless(), {
      contentType: 'application/x-own',
      maxBytes: 10_000,
    })
    expect([code, detail]).toEqual(['body-too-large', 'The file must have at most 10000 bytes.'])
    expect([read, closed]).toEqual([11_000, true])
    expect(
      (await passed(bytesOf(10_000), { maxBytes: 10_000, contentType: 'application/x-own' })).size,
    ).toBe(10_000)
  })

  it('N6: refuses an upload below the judged beginning as soon as it is too large', async () => {
    expect(
      (await refusal(chunksOf('abc', 'def'), { contentType: 'text/plain', maxBytes: 5 }))[0],
    ).toBe('body-too-large')
  })

  it('passes on the error of its source, and lets go of it when its reader leaves', async () => {
    const gone = new Error('gone')
    async function* broken(): AsyncGenerator<Uint8Array, void> {
      yield bytesOf(10)
      throw gone
    }
    await expect(allOf(inspectUpload(broken(), terms({})).bytes)).rejects.toBe(gone)
    let closed = false
    async function* watched(): AsyncGenerator<Uint8Array, void> {
      try {
        for (;;) yield bytesOf(5_000)
      } finally {
        closed = true
      }
    }
    for await (const chunk of inspectUpload(watched(), terms({})).bytes) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    expect(closed).toBe(true)
  })
})
