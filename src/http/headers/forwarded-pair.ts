/** `token "=" value` of the header `Forwarded`. */
export interface ForwardedPair {
  /** In lower case. */
  readonly name: string
  /** Without quotes and escapes. */
  readonly value: string
  readonly start: number
}

const tokenCharacter = /[\w!#$%&'*+.^`|~-]/
/** Ports and brackets belong into quotes, and not all proxies write these. */
const valueCharacter = /[\w!#$%&'*+.^`|~:[\]/@-]/

/** The pair that ends there, read from right to left; undefined if there is none. */
export function pairBefore(text: string, end: number): ForwardedPair | undefined {
  const value = text[end - 1] === '"' ? quotedBefore(text, end) : unquotedBefore(text, end)
  if (!value || text[value.start - 1] !== '=') return undefined
  const nameEnd = value.start - 1
  const start = startOf(tokenCharacter, text, nameEnd)
  if (start === nameEnd) return undefined
  return { name: text.slice(start, nameEnd).toLowerCase(), value: value.value, start }
}

export function skipSpaceBefore(text: string, end: number): number {
  return startOf(/[ \t]/, text, end)
}

interface PairValue {
  readonly value: string
  readonly start: number
}

function unquotedBefore(text: string, end: number): PairValue | undefined {
  const start = startOf(valueCharacter, text, end)
  return start === end ? undefined : { value: text.slice(start, end), start }
}

/** All quotes inside of a quoted string are escaped (RFC 9110 §5.6.4). */
function quotedBefore(text: string, end: number): PairValue | undefined {
  for (let start = text.lastIndexOf('"', end - 2); start >= 0; ) {
    if (!isEscaped(text, start)) {
      const value = text.slice(start + 1, end - 1).replaceAll(/\\(.)/g, '$1')
      return { value, start }
    }
    start = start === 0 ? -1 : text.lastIndexOf('"', start - 1)
  }
  return undefined
}

/** Is there an odd number of backslashes before it? */
function isEscaped(text: string, index: number): boolean {
  return (index - startOf(/\\/, text, index)) % 2 === 1
}

/** Where the run of such characters before `end` starts. */
function startOf(character: RegExp, text: string, end: number): number {
  let start = end
  while (start > 0 && character.test(text[start - 1]!)) start--
  return start
}
