/** A string in TypeScript, in single quotes. */
export function quoted(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`)
  return `'${escaped}'`
}

/** The name of a member, in quotes where it needs them. */
export function memberKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

/** An object on one line; empty without members. */
export function objectText(members: readonly (readonly [string, string])[]): string {
  return `{ ${members.map(([name, value]) => `${memberKey(name)}: ${value}`).join(', ')} }`
}

/** All that ends a line of TypeScript, and so a comment. */
const lineEnds = /\r\n|[\n\r\u2028\u2029]/

/** Lines of a comment. What it quotes must not end it. */
export function commentLines(text: string): readonly string[] {
  return text.split(lineEnds).map((line) => `// ${line}`.trimEnd())
}
