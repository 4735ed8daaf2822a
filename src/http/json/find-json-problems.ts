import { type ApiError, createApiError, refuse } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { isValidText } from './invalid-text.ts'
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

/** For so few names an array is faster than a set. */
const maxArrayNames = 16

/** A number of so few characters, without an exponent, never loses digits. */
const maxSafeNumberLength = 15

type Names = string[] | Set<string>

/** The state of one scan of the text, from left to right and without recursion. */
interface ScanState extends TokenReader {
  /**
   * The path to the current value; undefined for a member name that is not read yet, or that a
   * pointer cannot have.
   */
  readonly steps: (PointerStep | undefined)[]
  /** The member names of each open object; undefined for an open array. */
  readonly names: (Names | undefined)[]
  readonly problems: Problem[]
  remainingValues: number
  readonly limits: JsonLimits
}

/** How much a JSON text may have: each value costs much more memory than its few bytes of text. */
export interface JsonLimits {
  /** Members and elements at all levels. */
  readonly maxValues: number
  /** Members of one object, which cost many times what elements of an array do. */
  readonly maxMembers: number
}

export const unlimitedJson: JsonLimits = Object.freeze({
  maxValues: Number.POSITIVE_INFINITY,
  maxMembers: Number.POSITIVE_INFINITY,
})

/**
 * Finds what `JSON.parse` would lose or another parser could read differently: repeated members,
 * lone surrogates, U+0000, and numbers that lose digits.
 * @throws ApiError for a syntax error, too many levels, values or members, or an empty text
 */
export function findJsonProblems(text: string, limits: JsonLimits): readonly Problem[] {
  const state: ScanState = {
    text,
    steps: [],
    names: [],
    problems: [],
    hasEscapes: false,
    hasExponent: false,
    remainingValues: limits.maxValues,
    limits,
  }
  let at = afterSpace(text, 0)
  if (at === text.length) refuse('empty-body', 'The body is empty; expected a JSON value.')
  do {
    at = afterClosings(state, afterValue(state, at))
  } while (state.steps.length > 0)
  if (at < text.length) throw unexpectedToken(text, at, 'the end of the text')
  return state.problems.length < 2 ? state.problems : uniqueProblems(state.problems)
}

function uniqueProblems(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((item) => [JSON.stringify(item), item])).values()]
}

/** The index after the first scalar or empty container; enters containers that have members. */
function afterValue(state: ScanState, start: number): number {
  const { text, steps, names } = state
  for (let at = start; ; ) {
    if (--state.remainingValues < 0) throw tooManyValues(state)
    const code = text.charCodeAt(at)
    if (code !== openBrace && code !== openBracket) return afterScalar(state, at, code)
    if (steps.length === maxJsonDepth) {
      const detail = `The body must have at most ${maxJsonDepth} levels.`
      refuse('limit-exceeded', detail, undefined, { meta: { limit: maxJsonDepth } })
    }
    at = afterSpace(text, at + 1)
    if (text.charCodeAt(at) === code + fromOpenToClose) return at + 1
    names.push(code === openBrace ? [] : undefined)
    steps.push(code === openBrace ? undefined : 0)
    if (code === openBrace) at = afterName(state, at)
  }
}

function tooManyValues({ limits: { maxValues }, steps }: ScanState): ApiError {
  const detail = `The body must have at most ${maxValues} values (members and elements at all levels). Send fewer in one request.`
  return tooMany(detail, steps, maxValues)
}

function tooManyMembers({ limits: { maxMembers }, steps }: ScanState): ApiError {
  const detail = `An object must have at most ${maxMembers} members.`
  return tooMany(detail, steps.slice(0, -1), maxMembers)
}

function tooMany(detail: string, steps: ScanState['steps'], limit: number): ApiError {
  return createApiError(
    'limit-exceeded',
    detail,
    { pointer: nearestPointer(steps) },
    { meta: { limit } },
  )
}

/** Leaves the containers that end here, and returns the index of the next value. */
function afterClosings(state: ScanState, start: number): number {
  const { text, steps, names } = state
  for (let at = afterSpace(text, start); ; at = afterSpace(text, at + 1)) {
    const depth = steps.length
    if (depth === 0) return at
    const code = text.charCodeAt(at)
    const isObject = names[depth - 1] !== undefined
    if (code === comma) {
      const next = afterSpace(text, at + 1)
      if (isObject) return afterName(state, next)
      steps[depth - 1] = Number(steps[depth - 1]) + 1
      return next
    }
    if (code !== (isObject ? closeBrace : closeBracket)) {
      throw unexpectedToken(text, at, isObject ? "',' or '}'" : "',' or ']'")
    }
    steps.pop()
    names.pop()
  }
}

/** The index after a member name and its colon; the name becomes the current step. */
function afterName(state: ScanState, at: number): number {
  const { text, steps, names } = state
  const depth = steps.length - 1
  if (text.charCodeAt(at) !== quoteCode)
    throw unexpectedToken(text, at, 'a member name in double quotes')
  const end = afterString(state, at)
  const name: string = state.hasEscapes
    ? JSON.parse(text.slice(at, end))
    : text.slice(at + 1, end - 1)
  steps[depth] = undefined
  if (state.hasEscapes && !isValidText(name))
    addProblem(state, 'A member name contains U+0000 or a lone surrogate.')
  else steps[depth] = name
  names[depth] = addName(state, names[depth]!, name)
  const after = afterSpace(text, end)
  if (text.charCodeAt(after) !== colon) throw unexpectedToken(text, after, "':'")
  return afterSpace(text, after + 1)
}

function addName(state: ScanState, existing: Names, name: string): Names {
  const isFull = Array.isArray(existing) && existing.length === maxArrayNames
  const names = isFull ? new Set(existing) : existing
  const isRepeated = Array.isArray(names) ? names.includes(name) : names.has(name)
  if (isRepeated) addProblem(state, 'The member appears more than once.')
  else if (Array.isArray(names)) names.push(name)
  else if (names.size < state.limits.maxMembers) names.add(name)
  else throw tooManyMembers(state)
  return names
}

function afterScalar(state: ScanState, at: number, code: number): number {
  const { text } = state
  if (code === quoteCode) {
    const end = afterString(state, at)
    if (state.hasEscapes && !isValidText(JSON.parse(text.slice(at, end)))) {
      addProblem(state, 'The string contains U+0000 or a lone surrogate.')
    }
    return end
  }
  return code === minusCode || isDigit(code)
    ? afterCheckedNumber(state, at)
    : afterLiteral(text, at)
}

function afterCheckedNumber(state: ScanState, start: number): number {
  const end = afterNumber(state, start)
  const canLose = state.hasExponent || end - start > maxSafeNumberLength
  if (canLose && losesPrecision(state.text.slice(start, end)))
    addProblem(
      state,
      'The number is out of range. Integers go from -9007199254740991 to 9007199254740991, other numbers from 5e-324 to 1.8e308.',
    )
  return end
}

function addProblem(state: ScanState, detail: string): void {
  if (state.problems.length === maxProblems) return
  state.problems.push(problem('malformed-json', detail, { pointer: nearestPointer(state.steps) }))
}

/** Stops before a long name, so that the response stays in proportion to its request. */
function nearestPointer(steps: ScanState['steps']): string {
  let pointer = ''
  for (const step of steps) {
    const longer = step === undefined ? undefined : pointer + formatPointer([step])
    if (longer === undefined || longer.length > maxPointerLength) break
    pointer = longer
  }
  return pointer
}
