/**
 * The preferences of a `Prefer` header by name in lower case, with all values that it has for each
 * (RFC 7240 §2). Their parameters are ignored, and so is what is malformed. Never throws.
 *
 * ```ts
 * parsePrefer('handling=strict, return="minimal"').get('handling') // ['strict']
 * ```
 */
export function parsePrefer(header: string): ReadonlyMap<string, readonly string[]> {
  const preferences = new Map<string, string[]>()
  for (const member of membersOf(header)) {
    const match = preference.exec(member)
    if (!match) continue
    const name = match[1]!.toLowerCase()
    const value = (match[2] ?? match[3] ?? '').toLowerCase()
    const values = preferences.get(name)
    if (values) values.push(value)
    else preferences.set(name, [value])
  }
  return preferences
}

const preference =
  /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"([^"\\]*)"|([\w!#$%&'*+.^`|~-]*)))?\s*(?:;|$)/

/** A preference as it was sent. */
export interface SentPreference {
  /** In lower case. */
  readonly name: string
  /** With its value and its parameters. */
  readonly text: string
}

/** The well-formed preferences of a `Prefer` header, in their order. */
export function splitPreferences(header: string): readonly SentPreference[] {
  return membersOf(header).flatMap((text) => {
    const name = preference.exec(text)?.[1]?.toLowerCase()
    return name === undefined ? [] : [{ name, text: text.trim() }]
  })
}

/** A comma inside a quoted string does not end a member. */
function membersOf(header: string): readonly string[] {
  const members: string[] = []
  let isQuoted = false
  let from = 0
  for (let at = 0; at < header.length; at++) {
    const character = header[at]
    if (isQuoted && character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (character === ',' && !isQuoted) {
      members.push(header.slice(from, at))
      from = at + 1
    }
  }
  return [...members, header.slice(from)]
}
