import { type ApiError, createApiError } from '../../error/api-error.ts'

// Each function returns the index after a token of a JSON text (RFC 8259), or throws.

export interface TokenReader {
  readonly text: string
  /** Does the last string have escapes? */
  hasEscapes: boolean
  /** Does the last number have an exponent? */
  hasExponent: boolean
}

export const quoteCode = 0x22
const plusCode = 0x2b
export const minusCode = 0x2d
const dotCode = 0x2e
const zeroCode = 0x30
const backslashCode = 0x5c
const literals = ['true', 'false', 'null'] as const

/** The index after a string. Sets `hasEscapes`. */
export function afterString(tokens: TokenReader, start: number): number {
  const { text } = tokens
  tokens.hasEscapes = false
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at)
    if (code === quoteCode) return at + 1
    if (code === backslashCode) {
      tokens.hasEscapes = true
      at = endOfEscape(text, at + 1)
    } else if (!(code >= 0x20)) throw unexpectedToken(text, at, 'a closing double quote')
  }
}

function endOfEscape(text: string, at: number): number {
  const code = text[at]
  if (code === undefined || !'"\\/bfnrtu'.includes(code))
    throw unexpectedToken(text, at, 'one of " \\ / b f n r t u')
  if (code !== 'u') return at
  for (let digit = at + 1; digit <= at + 4; digit++) {
    if (!/[\dA-Fa-f]/.test(text.charAt(digit)))
      throw unexpectedToken(text, digit, 'a hexadecimal digit')
  }
  return at + 4
}

/** The index after a number. Sets `hasExponent`. */
export function afterNumber(tokens: TokenReader, start: number): number {
  const { text } = tokens
  const first = text.charCodeAt(start) === minusCode ? start + 1 : start
  let at = afterDigits(text, first)
  if (text.charCodeAt(first) === zeroCode && at > first + 1) {
    throw unexpectedToken(text, first + 1, 'no digit after a leading zero')
  }
  if (text.charCodeAt(at) === dotCode) at = afterDigits(text, at + 1)
  tokens.hasExponent = (text.charCodeAt(at) | 0x20) === 0x65
  if (!tokens.hasExponent) return at
  const sign = text.charCodeAt(at + 1)
  return afterDigits(text, sign === plusCode || sign === minusCode ? at + 2 : at + 1)
}

/** The index after `true`, `false` or `null`. */
export function afterLiteral(text: string, at: number): number {
  for (const literal of literals) if (text.startsWith(literal, at)) return at + literal.length
  throw unexpectedToken(text, at, 'a JSON value')
}

function afterDigits(text: string, start: number): number {
  let at = start
  while (isDigit(text.charCodeAt(at))) at++
  if (at === start) throw unexpectedToken(text, at, 'a digit')
  return at
}

export function afterSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code <= 0x20 && (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)
}

export function isDigit(code: number): boolean {
  return code >= zeroCode && code <= 0x39
}

/** @param offset in UTF-16 units, from 0 */
export function unexpectedToken(text: string, offset: number, expected: string): ApiError {
  const code = text.codePointAt(offset)
  const actual = code === undefined ? 'the end of the text' : formatCharacter(code)
  const detail = `Expected ${expected} at character ${offset}, got ${actual}.`
  return createApiError('malformed-json', detail, undefined, { meta: { offset } })
}

function formatCharacter(code: number): string {
  const isPrintable = code > 0x20 && code < 0x7f
  return isPrintable
    ? `'${String.fromCodePoint(code)}'`
    : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
