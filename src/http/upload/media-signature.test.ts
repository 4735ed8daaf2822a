import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { mediaSamples } from '../../../test/support/media.ts'
import { checkMediaSignature, detectMediaType, signatureBytes } from './media-signature.ts'

let samples: Readonly<Record<string, Uint8Array>>

beforeAll(async () => {
  samples = await mediaSamples()
})

const verdict = (content: Uint8Array | string, type: string) =>
  checkMediaSignature(Buffer.from(content as Uint8Array).subarray(0, signatureBytes), type)
const utf16 = (text: string) =>
  Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])

describe('judgeSignature', () => {
  it('agrees with every sample that is declared as what it is', async () => {
    for (const [type, content] of Object.entries(samples)) {
      expect([type, await verdict(content, type)]).toEqual([type, { kind: 'match' }])
    }
  })

  it('3.5: refuses every sample that is declared as another kind of image, audio or text', async () => {
    const inert = Object.keys(samples).filter((type) =>
      /^(image|audio|video|text)\/(?!svg|html)/.test(type),
    )
    const texts = ['text/plain', 'text/csv', 'application/json']
    for (const declared of inert) {
      for (const [type, content] of Object.entries(samples)) {
        if (type === declared || (texts.includes(type) && texts.includes(declared))) continue
        const { kind } = await verdict(content, declared)
        // A PDF whose first bytes are text is text; as text it does no harm.
        const isHarmless = type === 'application/pdf' && texts.includes(declared)
        expect([declared, type, isHarmless || kind !== 'match']).toEqual([declared, type, true])
      }
    }
  })

  it.each([
    ['<!DOCTYPE html>', 'text/plain'],
    ['\r\n\t <HTML>', 'text/plain'],
    ['\ufeff<html >', 'text/plain'],
    ['<script>alert(1)</script>', 'text/plain'],
    ['<script src=x>', 'application/json'],
    ['<SVG\nonload=alert(1)>', 'text/plain'],
    ['<svg:svg>', 'text/csv'],
    ['<?xml version="1.0"?><html/>', 'text/plain'],
    ['<?php system($_GET[0]) ?>', 'text/plain'],
    ['<% eval %>', 'text/plain'],
    ['<!-- x --><b>', 'text/plain'],
    ['<img src=x onerror=alert(1)>', 'text/plain'],
    ['<a/href=x>', 'text/plain'],
    [
      'From: <Saved by Blink>\r\nSubject: x\r\n y\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related',
      'text/plain',
    ],
    ['<html>', 'audio/unheard-of'],
    ['<html>', 'video/unheard-of'],
    ['<html>', 'font/unheard-of'],
  ])('3.5: finds %j active as %s', async (content, type) => {
    expect(await verdict(content, type)).toEqual({ kind: 'activeContent' })
  })

  it('3.5: finds markup in UTF-16 active as text', async () => {
    expect(await verdict(utf16('<script>alert(1)</script>'), 'text/plain')).toEqual({
      kind: 'activeContent',
    })
    expect(await verdict(utf16('<script>').swap16(), 'text/plain')).toEqual({
      kind: 'activeContent',
    })
    expect(await verdict(utf16('Привет, 日本'), 'text/plain')).toEqual({ kind: 'match' })
  })

  it('3.5: finds a picture that is a page too active', async () => {
    const comment = (content: Uint8Array, text: string) =>
      Buffer.concat([content, Buffer.from(text)])
    for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp']) {
      expect(await verdict(comment(samples[type]!, '<script>alert(1)</script>'), type)).toEqual({
        kind: 'activeContent',
      })
      expect(await verdict(comment(samples[type]!, '<SCRIPT/src=x>'), type)).toEqual({
        kind: 'activeContent',
      })
      expect(await verdict(comment(samples[type]!, '<rdf:RDF xmlns:x="y"/>'), type)).toEqual({
        kind: 'match',
      })
    }
    expect(await verdict('GIF89a/*<script>*/=1;alert(1)', 'image/gif')).toEqual({
      kind: 'activeContent',
    })
    expect((await verdict('<html>\x89PNG\r\n\x1a\n', 'image/png')).kind).toBe('mismatch')
    expect((await verdict(comment(Buffer.from('%PDF-1.7 '), 'x'), 'image/jpeg')).kind).toBe(
      'mismatch',
    )
  })

  it.each([
    ['a < b and <c>', 'text/plain'],
    ['<3', 'text/plain'],
    ['<bold> is no tag that counts', 'text/plain'],
    ['Use <script> for that.', 'text/plain'],
    ['Content-Type: image/png', 'text/plain'],
    ['solid advice', 'text/plain'],
    ['BMW, MZ and PK are only letters here.', 'text/plain'],
    ['%!PS is how PostScript begins', 'text/plain'],
    ['BEGIN:VCARD\r\nVERSION:4.0', 'text/plain'],
    ['<h1>A heading</h1>', 'text/markdown'],
    ['<b>', 'application/octet-stream'],
    ['', 'text/plain'],
    ['MZ', 'application/x-own'],
    ['anything', 'application/x-own'],
  ])('lets %j be %s', async (content, type) => {
    expect(await verdict(content, type)).toEqual({ kind: 'match' })
  })

  it.each([
    ['', 'image/png', undefined],
    ['', 'application/pdf', undefined],
    ['text', 'image/png', undefined],
    ['\0\x01\x02', 'text/plain', undefined],
    ['\x89PNG', 'image/png', undefined],
    ['GIF89a', 'image/png', 'image/gif'],
    ['GIF89a', 'audio/unheard-of', 'image/gif'],
    ['%PDF-1.4', 'application/zip', 'application/pdf'],
  ])('finds %j is no %s', async (content, type, shown) => {
    expect(await verdict(Buffer.from(content, 'latin1'), type)).toEqual({
      kind: 'mismatch',
      detectedType: shown,
    })
  })

  it('knows types that share a signature', async () => {
    expect(await verdict(samples['video/mp4']!, 'audio/mp4')).toEqual({ kind: 'match' })
    expect(await verdict(samples['audio/ogg']!, 'audio/opus')).toEqual({ kind: 'match' })
    expect(await verdict(samples['application/zip']!, 'application/epub+zip')).toEqual({
      kind: 'match',
    })
    const document = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    expect(await verdict(samples['application/zip']!, document)).toEqual({ kind: 'match' })
    expect((await verdict(samples['application/pdf']!, document)).kind).toBe('mismatch')
  })

  it('inspects any bytes in time', async () => {
    const beginnings = Object.values(samples).map((content) => content.subarray(0, 40))
    const bytes = fc
      .tuple(
        fc.constantFrom(new Uint8Array(), ...beginnings),
        fc.uint8Array({ maxLength: 4_060, size: 'max' }),
      )
      .map((parts) => Buffer.concat(parts))
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await detectMediaType(content)
        for (const type of ['image/png', 'text/plain', 'application/pdf', 'audio/mpeg'])
          await verdict(content, type)
      }),
      { numRuns: 200 },
    )
    const started = performance.now()
    for (const piece of ['a:\n', 'a:\n ', '<', ' ', '<a:', 'content-type:', '\n', '<script']) {
      await verdict(piece.repeat(4_100), 'text/plain')
    }
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
