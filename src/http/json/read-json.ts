import { refuse, refuseAll } from '../../error/api-error.ts'
import { findJsonProblems } from './find-json-problems.ts'

const byteOrderMark = 0xfeff

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The value of a JSON request body (RFC 8259), read so that nothing in it is lost or read in two
 * ways. A `__proto__` member comes out as plain data of its object.
 * @throws ApiError `empty-body` for nothing but white space; `limit-exceeded` for more than 64
 * levels, or more values than `maxValues`; `malformed-json` for what is not UTF-8, a byte order
 * mark and bad syntax (with the offset in UTF-16 units from 0, also in `meta.offset`), and, up to
 * 20 at once with a pointer each, for members given twice, U+0000 and lone surrogates in text, and
 * numbers that would come out as others: too large, too small, or integers of more digits than a
 * double keeps. Rounded fractions are fine.
 */
export function readJson(bytes: Uint8Array, maxValues: number = Number.POSITIVE_INFINITY): unknown {
  const text = decodeUtf8(bytes)
  refuseAll(findJsonProblems(text, maxValues))
  return JSON.parse(text)
}

function decodeUtf8(bytes: Uint8Array): string {
  let text: string
  try {
    text = strictUtf8.decode(bytes)
  } catch {
    throw refuse('malformed-json', 'The body is not valid UTF-8, the only encoding of JSON.')
  }
  if (text.charCodeAt(0) !== byteOrderMark) return text
  throw refuse(
    'malformed-json',
    'The body starts with a byte order mark; JSON is sent without one (RFC 8259, section 8.1).',
  )
}
