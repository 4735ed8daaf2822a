import { isLinearPattern } from './linear-pattern.ts'

/**
 * The source of a regular expression for a pattern of `like`; undefined if it escapes a character,
 * if case does not count and it has letters, or if a text could hold the service for long.
 */
export function likePattern(pattern: string, ignoresCase: boolean): string | undefined {
  if (pattern.includes('\\') || (ignoresCase && /[a-z]/i.test(pattern))) return undefined
  return addAnchors(pattern, (character) =>
    character === '_' ? anyCharacter : escapeCharacter(character),
  )
}

/** The same for a pattern of `glob` in SQLite. */
export function globPattern(pattern: string): string | undefined {
  const parts = pattern.match(/\[\^?[\w .-]+\]|[^[\]]/gu) ?? []
  if (parts.join('') !== pattern) return undefined
  const text = parts.map((part) => (part === '*' ? '%' : part))
  return addAnchors(text, (part) => {
    if (part === '?') return anyCharacter
    return part.length > 1 && part.startsWith('[') ? part : escapeCharacter(part)
  })
}

/** A regular expression of PostgreSQL that means the same in JavaScript; undefined for others. */
export function sharedPattern(pattern: string): string | undefined {
  const shared =
    /^(?:[A-Za-z0-9 @%&!~#,;:='"/_<>-]|[$^|+*?()]|\.|\{\d+(?:,\d*)?\}|\\[d.+*?()[\]{}|^$/]|\[\^?[\w .,@%+:;/-]+\])*$/
  // PostgreSQL gives meanings of its own to what begins like this.
  if (!shared.test(pattern) || /^\*|\(\?/.test(pattern)) return undefined
  const source = pattern.replaceAll(/\\.|\[[^\]]*\]|\./g, (part) =>
    part === '.' ? anyCharacter : part,
  )
  return isUsable(source) ? source : undefined
}

/** The expression in TypeScript. */
export function regexText(source: string): string {
  return String(new RegExp(source, 'u'))
}

const anyCharacter = '[\\s\\S]'

/** `%` at an end means that the text may go on there. */
function addAnchors(
  pattern: string | readonly string[],
  sourceOf: (part: string) => string,
): string | undefined {
  const parts = [...pattern]
  const start = parts.findIndex((part) => part !== '%')
  if (start === -1) return parts.length === 0 ? '^$' : ''
  const end = parts.findLastIndex((part) => part !== '%') + 1
  const middle = parts
    .slice(start, end)
    .map((part) => (part === '%' ? `${anyCharacter}*` : sourceOf(part)))
    .join('')
  const source = `${start === 0 ? '^' : ''}${middle}${end === parts.length ? '$' : ''}`
  return isUsable(source) ? source : undefined
}

function escapeCharacter(character: string): string {
  return character.replace(/[.*+?^${}()|[\]\\/]/, '\\$&')
}

/** Others stay with the database, which reads most patterns without trying a text in many ways. */
function isUsable(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return isLinearPattern(source)
  } catch {
    return false
  }
}
