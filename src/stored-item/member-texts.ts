const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]
const space = 0x20

/**
 * Adds the members of a JSON object to others, as JSON by the JSON of their names, without parsing
 * the values. A member that is there gets the new value, and stays where it is.
 *
 * @param json as `JSON.stringify` writes it
 * @returns false for a text that looks otherwise; some members may have been added then
 */
export function addMemberTexts(members: Map<string, string>, json: string): boolean {
  const end = json.length - 1
  if (json.charCodeAt(0) !== openBrace || json.charCodeAt(end) !== closeBrace) return false
  for (let offset = 1; offset < end; ) {
    if (json.charCodeAt(offset) !== quote) return false
    const nameEnd = stringEnd(json, offset)
    if (json.charCodeAt(nameEnd) !== colon) return false
    const valueStart = nameEnd + 1
    const valueEnd = endOfValue(json, valueStart, end)
    if (valueEnd <= valueStart) return false
    members.set(json.slice(offset, nameEnd), json.slice(valueStart, valueEnd))
    if (valueEnd + 1 === end) return false
    offset = valueEnd + 1
  }
  return true
}

/**
 * Where a member of a JSON object begins; -1 if the object does not have it.
 *
 * @param json as `JSON.stringify` writes it
 * @param prefix the text from the comma to the value: `,"name":`
 * @returns undefined for a text that looks otherwise
 */
export function memberOffset(json: string, prefix: string): number | undefined {
  const first = json.indexOf(prefix)
  // In a string, quotes have a backslash before them. So only an object within can have it too.
  if (first === -1 || json.lastIndexOf('{', first) === 0) return first
  const end = json.length - 1
  if (json.charCodeAt(0) !== openBrace || json.charCodeAt(end) !== closeBrace) return undefined
  for (let offset = 1; ; ) {
    const nameEnd = stringEnd(json, offset)
    const valueEnd = endOfValue(json, nameEnd + 1, end)
    if (valueEnd <= nameEnd) return undefined
    if (valueEnd >= end) return -1
    if (valueEnd >= first && json.startsWith(prefix, valueEnd)) return valueEnd
    offset = valueEnd + 1
  }
}

/** Where the text behind a value begins: at a comma, or at the end. -1 for no value. */
function endOfValue(json: string, start: number, end: number): number {
  let depth = 0
  let offset = start
  while (offset < end) {
    const code = json.charCodeAt(offset)
    if (code === quote) {
      offset = stringEnd(json, offset)
      continue
    }
    if (code === comma && depth === 0) return offset
    if (code === openBrace || code === openBracket) depth++
    else if (code === closeBrace || code === closeBracket) depth--
    if (code <= space || depth < 0) return -1
    offset++
  }
  return depth === 0 && offset === end ? end : -1
}

/** Where the text behind a string begins; behind all text if the string does not end. */
function stringEnd(json: string, start: number): number {
  for (let offset = start + 1; ; offset++) {
    offset = json.indexOf('"', offset)
    if (offset === -1) return json.length
    let escapesFrom = offset
    while (json.charCodeAt(escapesFrom - 1) === backslash) escapesFrom--
    if ((offset - escapesFrom) % 2 === 0) return offset + 1
  }
}
