/** A string in TypeScript, in single quotes. */
export function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
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

/** Lines of a comment. What it quotes must not end it. */
export function commentLines(text: string): readonly string[] {
  return text.split(/\r?\n/).map((line) => `// ${line}`.trimEnd())
}
