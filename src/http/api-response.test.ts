import { describe, expect, it } from 'vitest'
import { respond } from './api-response.ts'

describe('respond()', () => {
  it('makes a text, bytes or no body', () => {
    const bytes = Buffer.from('GIF')
    expect(respond(204).body).toEqual({ kind: 'empty' })
    expect(respond(200, {}, '').body).toEqual({ kind: 'text', text: '' })
    expect(respond(200, {}, bytes).body).toEqual({ kind: 'bytes', bytes })
  })

  it('reads web Headers, with each line of set-cookie', () => {
    const headers = new Headers({ 'Content-Type': 'text/plain', 'X-A': '1' })
    expect(respond(200, headers).headers).toEqual({ 'content-type': 'text/plain', 'x-a': '1' })
    headers.append('set-cookie', 'a=1')
    expect(respond(200, headers).headers['set-cookie']).toEqual(['a=1'])
    headers.append('set-cookie', 'b=2')
    expect(respond(200, headers).headers['set-cookie']).toEqual(['a=1', 'b=2'])
  })

  it('keeps an object of headers as it is', () => {
    const headers = { 'X-A': '1', 'set-cookie': ['a=1', 'b=2'] }
    expect(respond(200, headers).headers).toBe(headers)
    const bare = Object.assign(Object.create(null), { 'x-a': '1' })
    expect(respond(200, bare).headers).toBe(bare)
  })

  it.each([
    ['short and stout', '"short and stout"'],
    [null, 'null'],
    [5, '5'],
    [[['x-a', '1']], 'a value of Array'],
    [new Map([['x-a', '1']]), 'a value of Map'],
  ])('refuses %j as headers', (headers, shown) => {
    expect(() => respond(200, headers as never)).toThrow(
      new TypeError(
        `The headers of a response must be an object such as { 'content-type': 'text/plain' }, or Headers; got ${shown}.`,
      ),
    )
  })

  it('names each header that is no text', () => {
    const headers = { 'x-a': 5, 'x-b': 'fine', 'set-cookie': ['a=1', null], 'x-c': undefined }
    expect(() => respond(200, headers as never)).toThrow(
      new TypeError(
        "The header 'x-a' must be a string, or an array of strings; got 5. The header 'set-cookie' must be a string, or an array of strings; got [\"a=1\",null]. The header 'x-c' must be a string, or an array of strings; got undefined.",
      ),
    )
  })

  it.each([
    [{ count: 1 }, 'a value of the type object'],
    [5, 'a value of the type number'],
    [null, 'null'],
  ])('says what to pass in place of the body %j', (body, shown) => {
    expect(() => respond(200, {}, body as never)).toThrow(
      new TypeError(
        `The body of a response must be a string or a Uint8Array; got ${shown}. Pass JSON.stringify(value) for JSON.`,
      ),
    )
  })
})
