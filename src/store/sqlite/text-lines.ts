// Texts of items as the database joins them: one per line, for no text has a line feed in it that is not escaped.

const lineFeed = 0x0a
const comma = 0x2c
const quote = 0x22
const backslash = 0x5c

/** The same without the last line. */
export function withoutLast(lines: Buffer): Buffer {
  return lines.subarray(0, Math.max(0, lines.lastIndexOf(lineFeed)))
}

export function firstId(lines: Buffer): string {
  return idAt(lines, 0)
}

export function lastId(lines: Buffer): string {
  return idAt(lines, lines.lastIndexOf(lineFeed) + 1)
}

/** Puts commas where lines end, in place. */
export function joinedByCommas(lines: Buffer): Buffer {
  for (let at = lines.indexOf(lineFeed); at >= 0; at = lines.indexOf(lineFeed, at + 1)) lines[at] = comma
  return lines
}

/** Every text begins with the id. */
function idAt(lines: Buffer, line: number): string {
  const start = line + '{"id":'.length
  let end = lines.indexOf(quote, start + 1)
  while (isEscaped(lines, end)) end = lines.indexOf(quote, end + 1)
  return JSON.parse(lines.toString('utf8', start, end + 1)) as string
}

/** Is there an odd number of backslashes before it? */
function isEscaped(lines: Buffer, at: number): boolean {
  let before = at
  while (lines[before - 1] === backslash) before--
  return (at - before) % 2 === 1
}
