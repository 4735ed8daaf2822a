import { describe, expect, it } from 'vitest'
import { isInertType, safeContentHeaders } from './safe-serving.ts'

describe('servingHeaders', () => {
  it.each([
    'image/svg+xml',
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'text/xml',
    'application/xml',
    'application/rss+xml',
    'application/pdf',
    'text/javascript',
    'application/javascript',
    'application/ecmascript',
    'multipart/related',
    'message/rfc822',
    'application/x-mimearchive',
    'text/css',
    'text/cache-manifest',
    'application/x-shockwave-flash',
    'application/wasm',
    'application/octet-stream',
    'application/zip',
    'image/unheard-of',
    'text/markdown',
    '',
    'nonsense',
    'image/png, text/html',
    'image/png\r\nx: y',
  ])('3.5: serves %j as an attachment, in a sandbox', (type) => {
    expect(isInertType(type)).toBe(false)
    expect(safeContentHeaders(type, 'a.svg')).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment; filename="a.svg"',
      'content-security-policy': "default-src 'none'; sandbox",
    })
  })

  it.each([
    'image/png',
    'image/jpeg',
    'image/webp',
    'image/avif',
    'image/gif',
    'audio/mpeg',
    'video/mp4',
    'text/plain; charset=utf-8',
  ])('R1: serves %s as it is, never to be guessed otherwise', (type) => {
    expect(safeContentHeaders(type, 'a.b')).toEqual({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline; filename="a.b"',
    })
    expect(safeContentHeaders(type)['content-disposition']).toBe('inline')
  })
})
