import { isUtf8 } from 'node:buffer'
import { safeFileName } from '../file-name.ts'
import { percentEncode } from '../percent-encoding.ts'

export interface ContentDisposition {
  /** In lower case: `attachment`, `inline`, `form-data`. */
  readonly type: string
  /** The name of the part in a form (RFC 7578 §4.2). */
  readonly name: string | undefined
  /** `filename*`, else `filename`. Not safe: pass it through `safeFileName`. */
  readonly fileName: string | undefined
}

const typePart = /[\t ]*([!#$%&'*+\-.^`|~\w]+)[\t ]*/y
const parameter =
  /;[\t ]*(?:([!#$%&'*+\-.^`|~\w]+)[\t ]*=[\t ]*(?:([^\t\x20",;\\]+)|"((?:[^"\\]|\\.)*)")[\t ]*)?/y
const extendedValuePattern = /^(utf-8|iso-8859-1)'[\w-]*'((?:[!#$&+\-.^_`|~\w]|%[\da-f]{2})*)$/i
const notInFallback = /[^\x20\x21\x23\x24\x26-\x5b\x5d-\x7e]/gu
const notInExtended = /[^!#$&+\-.^_`|~\w]/gu

/**
 * Parses a `Content-Disposition` of a header or of a form part (RFC 6266 §4.1). Undefined if it is
 * malformed or repeats a parameter, which other parsers could read differently. Takes linear time
 * and never throws.
 */
export function parseContentDisposition(text: string | undefined): ContentDisposition | undefined {
  if (text === undefined) return undefined
  typePart.lastIndex = 0
  const type = typePart.exec(text)?.[1]
  if (type === undefined) return undefined
  const parameters = readParameters(text, typePart.lastIndex)
  if (!parameters) return undefined
  const [name, fileName, extendedName] = ['name', 'filename', 'filename*'].map((parameterName) =>
    parameters.get(parameterName),
  )
  return {
    type: type.toLowerCase(),
    name: name === undefined ? undefined : decodeUtf8(name),
    fileName:
      extendedValue(extendedName) ?? (fileName === undefined ? undefined : decodeUtf8(fileName)),
  }
}

/**
 * The value of `Content-Disposition` for a response (RFC 6266), with a safe file name: in ASCII for
 * old clients, and also as `filename*` in UTF-8 (RFC 8187) if that differs.
 *
 * ```ts
 * formatContentDisposition('attachment', 'naïve.pdf')
 * // attachment; filename="na_ve.pdf"; filename*=UTF-8''na%C3%AFve.pdf
 * ```
 */
export function formatContentDisposition(type: 'inline' | 'attachment', fileName?: string): string {
  const name = fileName === undefined ? undefined : safeFileName(fileName)
  if (name === undefined) return type
  // Some clients read a percent sign in the quoted form as an escape.
  const fallback = name.replace(notInFallback, '_')
  const quoted = `${type}; filename="${fallback}"`
  return fallback === name
    ? quoted
    : `${quoted}; filename*=UTF-8''${name.replace(notInExtended, percentEncode)}`
}

function readParameters(text: string, start: number): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>()
  let at = start
  while (at < text.length) {
    parameter.lastIndex = at
    const match = parameter.exec(text)
    if (!match) return undefined
    at = parameter.lastIndex
    const [, name, token, quoted] = match
    if (name === undefined) continue
    if (parameters.has(name.toLowerCase())) return undefined
    parameters.set(name.toLowerCase(), token ?? quoted!.replace(/\\(["\\])/g, '$1'))
  }
  return parameters
}

function extendedValue(text: string | undefined): string | undefined {
  const [, charset, encoded] = (text !== undefined && extendedValuePattern.exec(text)) || []
  if (charset === undefined || encoded === undefined) return undefined
  const bytes = encoded.replace(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return charset.toLowerCase() === 'utf-8' ? decodeUtf8(bytes) : bytes
}

/** A header value has one character per byte. Most clients send UTF-8; other bytes stay Latin-1. */
function decodeUtf8(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : text
}
