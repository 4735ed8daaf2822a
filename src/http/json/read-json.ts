import { refuse, refuseAll } from '../../error/api-error.ts'
import { findJsonProblems, type JsonLimits, unlimitedJson } from './find-json-problems.ts'

const byteOrderMark = 0xfeff

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses a JSON request body (RFC 8259) strictly, so that no data is lost and no other parser can
 * read it differently. A member `__proto__` is plain data.
 * @throws ApiError `empty-body` for an empty body or only white space; `limit-exceeded` for more
 * than 64 levels, or beyond the limits; `malformed-json` for invalid UTF-8, a byte order mark or a
 * syntax error (with its UTF-16 offset in `meta.offset`), and for up to 20 repeated members,
 * strings with U+0000 or lone surrogates, and numbers that a double cannot represent (a rounded
 * fraction is fine), each with its pointer.
 */
export function readJson(bytes: Uint8Array, limits: JsonLimits = unlimitedJson): unknown {
  return readJsonText(decodeUtf8(bytes), limits)
}

/** The same for a text. */
export function readJsonText(text: string, limits: JsonLimits = unlimitedJson): unknown {
  refuseAll(findJsonProblems(text, limits))
  return JSON.parse(text)
}

function decodeUtf8(bytes: Uint8Array): string {
  let text: string
  try {
    text = strictUtf8.decode(bytes)
  } catch {
    throw refuse('malformed-json', 'The body is not valid UTF-8; JSON must be encoded in UTF-8.')
  }
  if (text.charCodeAt(0) !== byteOrderMark) return text
  throw refuse(
    'malformed-json',
    'The body starts with a byte order mark. Send JSON without it (RFC 8259 §8.1).',
  )
}
