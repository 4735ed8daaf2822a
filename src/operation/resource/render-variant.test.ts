import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { bytesOf, inPieces } from '../../../test/support/bytes.ts'
import { ApiError } from '../../error/api-error.ts'
import { renderVariant } from './render-variant.ts'

const imageFormats = ['png', 'jpeg', 'webp', 'avif'] as const
type ImageFormat = (typeof imageFormats)[number]

const maxPixels = 25_000_000
const never = new AbortController().signal
const red = { r: 200, g: 10, b: 10 }
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: red } })

async function scaled(bytes: Uint8Array, format: ImageFormat = 'png', size = 64) {
  const made = Buffer.from(await renderVariant(inPieces(bytes), { format, size }, maxPixels, never))
  return { made, ...(await sharp(made).metadata()) }
}

async function refusal(bytes: Uint8Array): Promise<string> {
  const error = await renderVariant(
    inPieces(bytes),
    { format: 'png', size: 64 },
    maxPixels,
    never,
  ).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  const [problem] = (error as ApiError).problems
  expect(['unprocessable', 'image-too-large']).toContain(problem?.code)
  return problem!.detail.replace('The image cannot be converted: ', '')
}

/** A PNG whose head says that it is as large as one likes. */
function pngHead(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const framed = Buffer.alloc(body.length + 8)
    framed.writeUInt32BE(data.length)
    body.copy(framed, 4)
    framed.writeUInt32BE(crc32(body), body.length + 4)
    return framed
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const data = deflateSync(Buffer.alloc(100_000))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function crc32(bytes: Buffer): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

describe('renderVariant', () => {
  it('converts every format to every format, small enough for the square', async () => {
    const sources = ['png', 'jpeg', 'webp', 'avif', 'gif', 'tiff'] as const
    for (const source of sources) {
      const bytes = await picture(300, 200).toFormat(source).toBuffer()
      for (const format of imageFormats) {
        const { format: made, compression, width, height } = await scaled(bytes, format, 60)
        expect([source, format, made === 'heif' ? compression : made]).toEqual([
          source,
          format,
          format === 'avif' ? 'av1' : format,
        ])
        expect([width, height]).toEqual([60, 40])
      }
    }
  })

  it('never makes an image larger', async () => {
    const { width, height } = await scaled(await picture(30, 20).png().toBuffer(), 'webp', 512)
    expect([width, height]).toEqual([30, 20])
  })

  it('turns an image upright, as its metadata says, and removes the metadata', async () => {
    const bytes = await picture(100, 50)
      .withExif({ IFD0: { Copyright: 'somebody', ImageDescription: 'at home' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    for (const format of imageFormats) {
      const { width, height, orientation, exif, xmp, iptc, icc, made } = await scaled(
        bytes,
        format,
        40,
      )
      expect([width, height]).toEqual([20, 40])
      expect([orientation ?? 1, exif, xmp, iptc, icc]).toEqual([
        1,
        undefined,
        undefined,
        undefined,
        undefined,
      ])
      expect(made.includes('at home')).toBe(false)
    }
  })

  it('takes the first frame of an animation', async () => {
    const frames = [red, { r: 10, g: 10, b: 200 }].map((background) => ({
      create: { width: 40, height: 30, channels: 3 as const, background },
    }))
    const raw = await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer()))
    for (const format of ['gif', 'webp'] as const) {
      const animation = await sharp(raw, { join: { animated: true } })
        .toFormat(format, { loop: 0 })
        .toBuffer()
      expect((await sharp(animation, { animated: true }).metadata()).pages).toBe(2)
      const { made, width, height, pages } = await scaled(animation, 'png', 20)
      expect([width, height, pages ?? 1]).toEqual([20, 15, 1])
      const { dominant } = await sharp(made).stats()
      expect(dominant.r).toBeGreaterThan(dominant.b)
    }
  })

  it('puts white behind transparent pixels if the format has no transparency', async () => {
    const clear = {
      create: {
        width: 20,
        height: 20,
        channels: 4 as const,
        background: { r: 0, g: 0, b: 0, alpha: 0 },
      },
    }
    const { made } = await scaled(await sharp(clear).png().toBuffer(), 'jpeg', 20)
    expect((await sharp(made).stats()).channels.map(({ min }) => min)).toEqual([255, 255, 255])
  })

  it('3.5: reads no image of too many pixels, whatever its bytes are', async () => {
    const before = process.memoryUsage().rss
    expect(await refusal(pngHead(60_000, 60_000))).toBe(
      'The image has 60000 x 60000 pixels, 3600000000 in all; expected at most 25000000.',
    )
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576)
  })

  it('3.5: refuses images that are cut off or damaged', async () => {
    for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif'] as const) {
      const noise = {
        create: {
          width: 200,
          height: 200,
          channels: 3 as const,
          background: red,
          noise: { type: 'gaussian' as const, mean: 128, sigma: 30 },
        },
      }
      const bytes = await sharp(noise).toFormat(format).toBuffer()
      for (const part of [0.02, 0.3, 0.6]) {
        const cut = bytes.subarray(0, Math.floor(bytes.length * part))
        expect([format, part, await refusal(cut)]).toEqual([
          format,
          part,
          expect.stringMatching(/damaged|unsupported/),
        ])
      }
    }
    expect(await refusal(pngHead(0, 0))).toMatch(/damaged/)
    expect(await refusal(pngHead(5_000, 5_000))).toMatch(/damaged/)
  })

  it('3.5: decodes nothing but images', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>'
    const others = [
      Buffer.from(svg),
      Buffer.from(
        `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg}`,
      ),
      Buffer.from('%PDF-1.7\n'),
      Buffer.from(''),
      Buffer.from('text'),
      Buffer.from(bytesOf(10_000)),
    ]
    for (const bytes of others) expect(await refusal(bytes)).toBe('unsupported image format.')
  })

  it('passes on the error of its source, and works for the next image', async () => {
    const gone = new Error('gone')
    async function* broken(): AsyncGenerator<Uint8Array, void> {
      yield bytesOf(10)
      throw gone
    }
    for (let count = 0; count < 5; count++)
      await expect(
        renderVariant(broken(), { format: 'png', size: 64 }, maxPixels, never),
      ).rejects.toBe(gone)
    expect((await scaled(await picture(10, 10).png().toBuffer())).width).toBe(10)
  })
})
