import { type ApiError, createApiError, refuse } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { formatPointer, type PointerStep } from './json-pointer.ts'
import {
  afterLiteral,
  afterNumber,
  afterSpace,
  afterString,
  isDigit,
  minusCode,
  quoteCode,
  type TokenReader,
  unexpectedToken,
} from './json-tokens.ts'
import { losesPrecision } from './number-precision.ts'

export const maxJsonDepth = 64
const maxProblems = 20
const maxPointerLength = 1024

const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const fromOpenToClose = 2

/** Comparing with each other is faster than a set, for so many names. */
const maxListedNames = 16

/** Numbers of so few characters, without an exponent, never lose digits. */
const maxSafeNumberLength = 15

type Names = string[] | Set<string>

/** What is known while the text is walked once from left to right, without recursion. */
interface ScanState extends TokenReader {
  /**
   * The way to the present place; undefined stands for a name that no pointer can spell, or that is
   * not read yet.
   */
  readonly steps: (PointerStep | undefined)[]
  /** The names met in each open object; undefined for an open array. */
  readonly names: (Names | undefined)[]
  readonly problems: Problem[]
  /** How many values may still be met. */
  remainingValues: number
  readonly maxValues: number
}

/**
 * What in a JSON text cannot be kept or would be read in two ways, each with a pointer.
 * @param maxValues members, elements and the whole: each costs whoever reads it far more than the
 * few bytes that it takes
 * @throws ApiError for what ends the reading: bad syntax, too many levels or values, an empty text.
 */
export function findJsonProblems(text: string, maxValues: number): readonly Problem[] {
  const walk: ScanState = {
    text,
    steps: [],
    names: [],
    problems: [],
    hasEscapes: false,
    hasExponent: false,
    remainingValues: maxValues,
    maxValues,
  }
  let at = afterSpace(text, 0)
  if (at === text.length) throw refuse('empty-body', 'The body is empty; a JSON value is expected.')
  do {
    at = afterClosings(walk, afterValue(walk, at))
  } while (walk.steps.length > 0)
  if (at < text.length) throw unexpectedToken(text, at, 'the end of the text')
  return walk.problems.length < 2 ? walk.problems : uniqueProblems(walk.problems)
}

function uniqueProblems(faults: readonly Problem[]): Problem[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()]
}

/**
 * Past a scalar or an empty container; a container with members is entered, up to its first scalar
 * or empty container.
 */
function afterValue(walk: ScanState, start: number): number {
  const { text, steps, names } = walk
  for (let at = start; ; ) {
    if (--walk.remainingValues < 0) throw tooManyValues(walk)
    const code = text.charCodeAt(at)
    if (code !== openBrace && code !== openBracket) return afterScalar(walk, at, code)
    if (steps.length === maxJsonDepth) {
      const detail = `The body is nested deeper than ${maxJsonDepth} levels.`
      throw refuse('limit-exceeded', detail, undefined, { meta: { limit: maxJsonDepth } })
    }
    at = afterSpace(text, at + 1)
    if (text.charCodeAt(at) === code + fromOpenToClose) return at + 1
    names.push(code === openBrace ? [] : undefined)
    steps.push(code === openBrace ? undefined : 0)
    if (code === openBrace) at = afterName(walk, at)
  }
}

function tooManyValues({ maxValues, steps }: ScanState): ApiError {
  const detail = `The body has more than ${maxValues} values, its members and elements at all levels together; send less at a time.`
  return createApiError(
    'limit-exceeded',
    detail,
    { pointer: nearestPointer(steps) },
    { meta: { limit: maxValues } },
  )
}

/**
 * Leaves the containers that end here, then moves on to the next value, or to the end of the text
 * after the outermost.
 */
function afterClosings(walk: ScanState, start: number): number {
  const { text, steps, names } = walk
  for (let at = afterSpace(text, start); ; at = afterSpace(text, at + 1)) {
    const depth = steps.length
    if (depth === 0) return at
    const code = text.charCodeAt(at)
    const inObject = names[depth - 1] !== undefined
    if (code === comma) {
      const next = afterSpace(text, at + 1)
      if (inObject) return afterName(walk, next)
      steps[depth - 1] = Number(steps[depth - 1]) + 1
      return next
    }
    if (code !== (inObject ? closeBrace : closeBracket)) {
      throw unexpectedToken(text, at, inObject ? 'a comma or }' : 'a comma or ]')
    }
    steps.pop()
    names.pop()
  }
}

/** Past the name of a member and its colon, noting the name as the present step. */
function afterName(walk: ScanState, at: number): number {
  const { text, steps, names } = walk
  const top = steps.length - 1
  if (text.charCodeAt(at) !== quoteCode) throw unexpectedToken(text, at, 'a name in double quotes')
  const end = afterString(walk, at)
  const name: string = walk.hasEscapes
    ? JSON.parse(text.slice(at, end))
    : text.slice(at + 1, end - 1)
  steps[top] = undefined
  if (walk.hasEscapes && isInvalidText(name))
    addProblem(walk, 'A member name of this object has U+0000 or half a surrogate pair.')
  else steps[top] = name
  names[top] = addName(walk, names[top]!, name)
  const after = afterSpace(text, end)
  if (text.charCodeAt(after) !== colon) throw unexpectedToken(text, after, 'a colon')
  return afterSpace(text, after + 1)
}

function addName(walk: ScanState, known: Names, name: string): Names {
  const names = Array.isArray(known) && known.length === maxListedNames ? new Set(known) : known
  const isKnown = Array.isArray(names) ? names.includes(name) : names.has(name)
  if (isKnown) addProblem(walk, 'The member is given more than once.')
  else if (Array.isArray(names)) names.push(name)
  else names.add(name)
  return names
}

function afterScalar(walk: ScanState, at: number, code: number): number {
  const { text } = walk
  if (code === quoteCode) {
    const end = afterString(walk, at)
    if (walk.hasEscapes && isInvalidText(JSON.parse(text.slice(at, end)))) {
      addProblem(walk, 'The text has U+0000 or half a surrogate pair.')
    }
    return end
  }
  return code === minusCode || isDigit(code) ? afterCheckedNumber(walk, at) : afterLiteral(text, at)
}

function afterCheckedNumber(walk: ScanState, start: number): number {
  const end = afterNumber(walk, start)
  const mayLose = walk.hasExponent || end - start > maxSafeNumberLength
  if (mayLose && losesPrecision(walk.text.slice(start, end)))
    addProblem(walk, 'The number cannot be kept exactly; send it as text.')
  return end
}

/** No UTF-8 carries half a surrogate pair, and not every store carries U+0000. */
function isInvalidText(text: string): boolean {
  return text.includes('\0') || /\p{Surrogate}/u.test(text)
}

function addProblem(walk: ScanState, detail: string): void {
  if (walk.problems.length === maxProblems) return
  walk.problems.push(problem('malformed-json', detail, { pointer: nearestPointer(walk.steps) }))
}

/**
 * Long names are cut off with all that is below them, so that an answer cannot be many times as
 * large as its request.
 */
function nearestPointer(steps: ScanState['steps']): string {
  let place = ''
  for (const step of steps) {
    const inner = step === undefined ? undefined : place + formatPointer([step])
    if (inner === undefined || inner.length > maxPointerLength) break
    place = inner
  }
  return place
}
