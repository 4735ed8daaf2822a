/**
 * Is the time that this regular expression takes at most proportional to the length of the text,
 * whatever the text? Texts come from clients, and an expression that tries a text in many ways can
 * hold the service for hours. Understands what `text-patterns.ts` writes, and says no to some
 * expressions that are linear.
 */
export function isLinearPattern(source: string): boolean {
  const tokens = source.match(tokenPattern) ?? []
  if (tokens.join('') !== source) return false
  const alternatives = readAlternatives([...tokens].reverse())
  if (!alternatives) return false
  const search: Search = {
    isAnchored: alternatives.every(([first]) => first?.kind === 'start'),
    overlaps: overlapIn(source),
    ways: 1,
  }
  return (
    alternatives.every((terms) => readBackwards(search, terms, atEnd)) && search.ways <= maxWays
  )
}

/** A quantifier with more choices counts as one without a limit. */
const maxChoices = 16
/** How many ways of short quantifiers and alternatives a text may be tried in at one position. */
const maxWays = 256

const tokenPattern = /\\.|\[\^?(?:\\.|[^\]\\])+\]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|[^\\[\]{}*+?]/gsu

interface Times {
  readonly min: number
  readonly max: number
}

interface Group extends Times {
  readonly kind: 'group'
  readonly alternatives: readonly Terms[]
}

type Term =
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | ({ readonly kind: 'character'; readonly source: string } & Times)
  | Group
type Terms = readonly Term[]

interface Search {
  readonly isAnchored: boolean
  overlaps(one: string, other: string): boolean
  ways: number
}

/** What stands after a term. */
interface Rest {
  /** The characters that it can begin with. */
  readonly first: readonly string[]
  /** Has it a quantifier with many choices? */
  readonly isLong: boolean
  /** Can a text fail there? */
  readonly canFail: boolean
}

const atEnd: Rest = { first: [], isLong: false, canFail: false }

/** @returns undefined if the terms before `rest` can run away */
function readBackwards(search: Search, terms: Terms, rest: Rest): Rest | undefined {
  return terms.reduceRight<Rest | undefined>(
    (after, term) => after && before(search, term, after),
    rest,
  )
}

function before(search: Search, term: Term, rest: Rest): Rest | undefined {
  if (term.kind === 'start') return rest
  if (term.kind === 'end') return { ...rest, first: [], canFail: true }
  const inner = term.kind === 'group' ? beforeGroup(search, term, rest) : characterIn(term, rest)
  if (!inner) return undefined
  const choices = term.max - term.min
  const isLong = choices > maxChoices
  if (term.min > maxWays || (isLong && !canBeLong(search, inner.first, rest))) return undefined
  if (!isLong) search.ways *= choices + 1
  return {
    first: term.min === 0 ? [...inner.first, ...rest.first] : inner.first,
    isLong: inner.isLong || isLong || rest.isLong,
    canFail: term.min > 0 || rest.canFail,
  }
}

/** Where what follows begins otherwise, there is one place where a long repetition can end. */
function canBeLong(search: Search, first: readonly string[], rest: Rest): boolean {
  if (!search.isAnchored && rest.canFail) return false
  return (
    !rest.isLong || first.every((one) => rest.first.every((other) => !search.overlaps(one, other)))
  )
}

function characterIn({ source }: { readonly source: string }, rest: Rest): Rest {
  return { ...rest, first: [source] }
}

function beforeGroup(search: Search, { alternatives, max }: Group, rest: Rest): Rest | undefined {
  if (max > 1 && !isFixed(alternatives)) return undefined
  search.ways *= alternatives.length
  const all = alternatives.map((terms) => readBackwards(search, terms, rest))
  return all.reduce(
    (one, other) =>
      one &&
      other && {
        first: [...one.first, ...other.first],
        isLong: one.isLong || other.isLong,
        canFail: one.canFail || other.canFail,
      },
  )
}

/** Some characters, each of them once. */
function isFixed([terms, ...others]: readonly Terms[]): boolean {
  return (
    others.length === 0 &&
    terms!.length > 0 &&
    terms!.every((term) => term.kind === 'character' && term.min === 1 && term.max === 1)
  )
}

/** @param tokens the next one last; taken as far as they are read */
function readAlternatives(tokens: string[], isGroup = false): readonly Terms[] | undefined {
  const alternatives: Term[][] = [[]]
  for (let token = tokens.pop(); token !== undefined; token = tokens.pop()) {
    const terms = alternatives.at(-1)!
    if (token === ')') return isGroup ? alternatives : undefined
    if (token === '|') alternatives.push([])
    else if (token === '^' || token === '$') terms.push({ kind: token === '^' ? 'start' : 'end' })
    else if (token === '(') {
      const inner = tokens.at(-1)?.startsWith('?') ? undefined : readAlternatives(tokens, true)
      if (!inner) return undefined
      terms.push({ kind: 'group', alternatives: inner, ...readTimes(tokens) })
    } else if (timesOf(token)) return undefined
    else terms.push({ kind: 'character', source: token, ...readTimes(tokens) })
  }
  return isGroup ? undefined : alternatives
}

function readTimes(tokens: string[]): Times {
  const times = timesOf(tokens.at(-1) ?? '')
  if (times) tokens.pop()
  return times ?? { min: 1, max: 1 }
}

function timesOf(token: string): Times | undefined {
  const [, sign, min, range] = /^(?:([*+?])|\{(\d+)(,\d*)?\})\??$/.exec(token) ?? []
  if (sign) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
  if (min === undefined) return undefined
  if (range === undefined) return { min: Number(min), max: Number(min) }
  return {
    min: Number(min),
    max: range === ',' ? Number.POSITIVE_INFINITY : Number(range.slice(1)),
  }
}

/** Tells of two characters or classes whether a text can match both. */
function overlapIn(source: string): Search['overlaps'] {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
  // The expression names all others that it tells apart.
  const characters = [...new Set([...ascii, '\u{10ffff}', ...source])]
  return (one, other) => {
    const [isOne, isOther] = [one, other].map((part) => new RegExp(`^${part}$`, 'u'))
    return characters.some((character) => isOne!.test(character) && isOther!.test(character))
  }
}
