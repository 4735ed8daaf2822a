/**
 * Does the text match the pattern, where `%` stands for any run of characters and `_` for any one?
 * A pattern comes from clients, so nothing of it is tried twice: what stands between two `%` is
 * looked for once, from where the part before it was found.
 *
 * ```ts
 * isLike('Frankenstein', '%stein') // true
 * ```
 */
export function isLike(text: string, pattern: string): boolean {
  const [first, ...others] = pattern.split('%')
  const last = others.pop()
  const start = matchAt(text, 0, first!)
  if (start === undefined) return false
  if (last === undefined) return start === text.length
  let end = start
  for (const part of others) {
    const found = findFrom(text, end, part)
    if (found === undefined) return false
    end = found
  }
  return matchesEnd(text, end, last)
}

/** Where the part ends that stands at this place; undefined where another does. */
function matchAt(text: string, start: number, part: string): number | undefined {
  if (!part.includes('_')) return text.startsWith(part, start) ? start + part.length : undefined
  let at = start
  for (const wanted of part) {
    const character = text.codePointAt(at)
    if (character === undefined || (wanted !== '_' && wanted.codePointAt(0) !== character))
      return undefined
    at += lengthOf(character)
  }
  return at
}

/** Where the part ends that is the first to be found from a place on. */
function findFrom(text: string, start: number, part: string): number | undefined {
  const run = part.indexOf('_')
  if (run < 0) {
    const found = text.indexOf(part, start)
    return found < 0 ? undefined : found + part.length
  }
  const begins = part.slice(0, run)
  for (let at = start; at <= text.length; at += lengthOf(text.codePointAt(at) ?? 0)) {
    if (begins !== '') at = text.indexOf(begins, at)
    if (at < 0) return undefined
    const end = matchAt(text, at, part)
    if (end !== undefined) return end
  }
  return undefined
}

function matchesEnd(text: string, start: number, part: string): boolean {
  let at = text.length
  for (const wanted of Array.from(part).reverse()) {
    if (at <= start) return false
    at -= isLowSurrogate(text.charCodeAt(at - 1)) && at - 2 >= start ? 2 : 1
    if (wanted !== '_' && wanted.codePointAt(0) !== text.codePointAt(at)) return false
  }
  return true
}

function lengthOf(character: number): number {
  return character > 0xffff ? 2 : 1
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}
